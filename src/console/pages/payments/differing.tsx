/** @jsxImportSource hono/jsx */
/** How payments stand at Stripe beside how they stand here: asked for on demand, of one payment or of those that wait. */

import type { Difference } from '../../../money/payments/differences.ts'
import type { Check } from '../../../money/payments/stripe-checks.ts'
import type { Child } from '../../../site/http/html.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { orderName } from '../../../site/pages/billing/order.tsx'
import { Notice, Section } from '../../../site/ui/page-parts.tsx'
import { humanize, plural } from '../../../site/ui/text.tsx'
import type { PaymentDetails } from '../../acts/payment-details.ts'
import { takeOver } from '../../acts/payments.ts'
import { ActForm } from '../../ui/acts.tsx'
import { List } from '../../ui/lists.tsx'
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
      <Differences check={check} none="It stands there as it does here." />
      {differences.some(({ event }) => event) ? <ActForm context={context} act={takeOver} /> : null}
    </Section>
  )
}

/** The differences of all payments that wait. */
export function AllChecked({ context, check, payments }: AllCheckedProps) {
  const { asked, failure, hasMore } = check
  return (
    <>
      <Failure failure={failure} />
      <p class="note">
        Stripe was asked about {plural(asked, 'payment that waits', 'payments that wait')}
        {hasMore ? ', the oldest; there are more' : ''}. Others are asked about on their own pages.
      </p>
      <Differences
        check={check}
        none="None is found that differs."
        orderOf={(id) => (
          <a href={context.href(askPath(id))}>
            <Order payment={payments.get(id)} />
          </a>
        )}
      />
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
  check: Check
  /** Stands in place of no differences, where Stripe was asked to the end. */
  none: string
  /** Leads to the page of a payment; none is named on that page. */
  orderOf?: (payment: string) => Child
}

function Differences({ check: { differences, failure }, none, orderOf }: DifferencesProps) {
  return (
    <List
      label="What differs"
      rows={differences}
      none={failure === null ? none : undefined}
      cells={[
        ...(orderOf ? [['Order', ({ payment }: Difference) => orderOf(payment)] as const] : []),
        ['Here', ({ here }) => here],
        ['At Stripe', ({ there }) => there],
        [{ label: 'What to do', card: 'line' }, ({ todo }) => humanize(todo)],
      ]}
    />
  )
}
