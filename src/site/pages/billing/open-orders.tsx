/** @jsxImportSource hono/jsx */
/** Orders that wait: what each is, what it waits for, and how its owner goes on with it or withdraws it. */
import type { PaymentMode } from '../../../config.ts'
import type { Payment } from '../../../money/payments/payments.ts'
import type { PageContext } from '../../http/page.ts'
import { QuietLink } from '../../ui/actions.tsx'
import { Form } from '../../ui/form.tsx'
import { Day, figure, humanize } from '../../ui/text.tsx'

type Named = Pick<Payment, 'kind' | 'item' | 'usd'>

/** "Pro plan", "Small top-up". */
export const orderName = ({ kind, item }: Pick<Named, 'kind' | 'item'>): string =>
  `${humanize(item)} ${kind === 'plan' ? 'plan' : 'top-up'}`

/** "$99 a month", "$10 once". */
export function priceText({ kind, usd }: Pick<Named, 'kind' | 'usd'>): string {
  if (usd === null) return 'price to be agreed'
  return `$${figure(usd)} ${kind === 'plan' ? 'a month' : 'once'}`
}

interface OpenOrdersProps {
  context: PageContext
  payments: readonly Payment[]
}

export function OpenOrders({ context, payments }: OpenOrdersProps) {
  const open = payments.filter(({ state }) => state === 'open')
  if (open.length === 0) return null
  const isOwner = context.session?.role === 'owner'
  // Who comes back from Stripe has paid, and what Stripe says of it may still be on its way.
  const isBack = new URLSearchParams(context.query).get('payment') === 'done'
  const { mode } = context.application.payments
  return (
    <section aria-labelledby="open">
      <h2 id="open">Open orders</h2>
      <ul class="rows open">
        {open.map((order) => {
          const isByStripe = isPaidByStripe(order, mode)
          return (
            <li class="row">
              <div class="what">
                {orderName(order)}, {priceText(order)}
                <p>
                  Ordered <Day at={order.createdAt} />, waits{' '}
                  {!isByStripe
                    ? 'for the operator. Nothing is charged before.'
                    : isBack
                      ? 'for Stripe’s confirmation.'
                      : 'for your payment at Stripe. Nothing is charged before.'}
                </p>
              </div>
              {isByStripe && isOwner && !isBack ? (
                <QuietLink href={context.href(orderPath(order))}>Continue</QuietLink>
              ) : null}
              {isOwner ? <Withdraw context={context} order={order} /> : null}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The page that says what an order means, before it is sent. */
export const orderPath = ({ kind, item }: Pick<Named, 'kind' | 'item'>): string =>
  `/credits/order?${choiceName(kind)}=${item}`

/** The parameter that names what is ordered. */
export const choiceName = (kind: Named['kind']) => (kind === 'plan' ? 'plan' : 'topUp')

/** What has no price is agreed with the operator. */
export const isPaidByStripe = ({ usd }: Pick<Named, 'usd'>, mode: PaymentMode): boolean =>
  mode === 'stripe' && usd !== null

function Withdraw({ context, order }: { context: PageContext; order: Payment }) {
  return (
    <Form context={context} action="/credits" class="inline">
      <input type="hidden" name="withdraw" value={order.id} />
      <button class="button quiet" type="submit" aria-label={`Withdraw ${orderName(order)}`}>
        Withdraw
      </button>
    </Form>
  )
}
