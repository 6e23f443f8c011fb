/** @jsxImportSource hono/jsx */
/** How payments stand at Stripe beside how they stand here: asked for on demand, of one payment or of those that wait. */

import type { Difference } from '../../../money/payments/differences.ts'
import type { Check } from '../../../money/payments/stripe-checks.ts'
import type { Child } from '../../../site/http/html.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { orderName } from '../../../site/pages/billing/order.tsx'
import { Notice, Section, Table } from '../../../site/ui/page-parts.tsx'
import { humanize, plural } from '../../../site/ui/text.tsx'
import type { PaymentDetails } from '../../acts/payment-details.ts'
import { takeOver } from '../../acts/payments.ts'
import { ActForm } from '../../ui/acts.tsx'
import { paymentPath } from '../../ui/paths.ts'

/** The link that asks Stripe about one payment. */
export const askPath = (id: string): string => `${paymentPath(id)}?check=yes#stripe`

interface CheckedProps {
  context: PageContext
  check: Check
}

interface AllCheckedProps extends CheckedProps {
  /** Differing payments by id. */
  payments: ReadonlyMap<string, PaymentDetails>
}

/** The differences of one payment, and the button that takes over Stripe’s state. */
export function Checked({ context, check }: CheckedProps) {
  const { differences, failure } = check
  return (
    <Section id="stripe" title="At Stripe">
      <Failure failure={failure} />
      {differences.length > 0 ? (
        <Differences differences={differences} />
      ) : failure === null ? (
        <p class="empty">It stands there as it does here.</p>
      ) : null}
      {differences.some(({ event }) => event) ? <ActForm context={context} act={takeOver} /> : null}
    </Section>
  )
}

/** The differences of all payments that wait. */
export function AllChecked({ context, check, payments }: AllCheckedProps) {
  const { differences, asked, failure, hasMore } = check
  return (
    <>
      <Failure failure={failure} />
      <p class="note">
        Stripe was asked about {plural(asked, 'payment that waits', 'payments that wait')}
        {hasMore ? ', the oldest; there are more' : ''}. Others are asked about on their own pages.
      </p>
      {differences.length > 0 ? (
        <Differences
          differences={differences}
          orderOf={(id) => (
            <a href={context.href(askPath(id))}>
              <Order payment={payments.get(id)} />
            </a>
          )}
        />
      ) : failure === null ? (
        <p class="empty">None is found that differs.</p>
      ) : null}
    </>
  )
}

function Failure({ failure }: Pick<Check, 'failure'>) {
  return failure === null ? null : (
    <Notice tone="bad">Stripe was not asked to the end: {failure}. Nothing was changed.</Notice>
  )
}

/** Account of an order; without a name if the order was deleted with its account. */
function Order({ payment }: { payment: PaymentDetails | undefined }) {
  if (!payment) return <>An order</>
  return (
    <>
      {orderName(payment)} of <bdi>{payment.account.name}</bdi>
    </>
  )
}

interface DifferencesProps {
  differences: readonly Difference[]
  /** Leads to the page of a payment; none is named on that page. */
  orderOf?: (payment: string) => Child
}

function Differences({ differences, orderOf }: DifferencesProps) {
  return (
    <Table
      label="What differs"
      isCards
      columns={[
        ...(orderOf ? ['Order'] : []),
        'Here',
        'At Stripe',
        { label: 'What to do', card: 'line' },
      ]}
      rows={differences.map(({ payment, here, there, todo }) => [
        ...(orderOf ? [orderOf(payment)] : []),
        here,
        there,
        humanize(todo),
      ])}
    />
  )
}
