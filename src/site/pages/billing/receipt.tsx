/** @jsxImportSource hono/jsx */
/** `/credits/receipts/:id`: a receipt to read and print. */
import { moneyText } from '../../../money/payments/amounts.ts'
import { type Receipt, receiptOf } from '../../../money/payments/receipts.ts'
import { notFound } from '../../http/form-errors.ts'
import type { Page, SignedInContext } from '../../http/page.ts'
import { QuietLink } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { Day, figure, humanize } from '../../ui/text.tsx'

export async function receiptPage(context: SignedInContext): Promise<Page> {
  const { application, session, site } = context
  const receipt = await receiptOf(application.database, session.account.id, context.id)
  if (!receipt) throw notFound('receipt')
  return personalPage(
    { title: 'Receipt' },
    <div class="receipt">
      <p class="lead">
        From {site.serviceName}, {site.appUrl}
      </p>
      <ReceiptFacts receipt={receipt} />
      <p class="note">
        {receipt.paidBack
          ? 'The credits that went back with the money are on the Usage page. '
          : ''}
        This is a receipt and not a tax invoice. To keep it, print this page or save it as a PDF.
      </p>
      <p class="actions">
        <QuietLink href={context.href('/credits#chosen')}>All orders</QuietLink>
      </p>
    </div>,
  )
}

/** Facts of a receipt, for its account and for the operator. */
export function ReceiptFacts({ receipt }: { receipt: Receipt }) {
  const { account, credits, kind, paidAt, paidBack } = receipt
  return (
    <Facts
      facts={[
        { name: 'Number', value: <code>{receipt.id}</code> },
        { name: 'Date (UTC)', value: paidAt && <Day at={paidAt} /> },
        { name: 'Account', value: <bdi>{account.name}</bdi> },
        { name: 'Workspace', value: account.organization && <bdi>{account.organization}</bdi> },
        { name: 'E-mail', value: account.email },
        {
          name: 'For',
          value: `${humanize(receipt.item)} ${kind === 'plan' ? 'plan, one month' : 'top-up'}`,
        },
        { name: 'Credits', value: credits === null ? 'No credit ceiling' : figure(credits) },
        { name: 'Amount', value: amountOf(receipt) },
        { name: 'Paid through', value: receipt.isCollected ? 'Stripe' : 'The operator' },
        { name: 'Paid back', value: paidBack },
      ]}
    />
  )
}

function amountOf({ usd }: Receipt): string {
  return usd === null ? 'As agreed with the operator' : moneyText(usd * 100)
}
