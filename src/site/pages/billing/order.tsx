/** @jsxImportSource hono/jsx */
/** `/credits/order?plan=` or `?topUp=`: price, renewal and what an order replaces, before it is sent; and open orders above the price list. */

import type { PaymentMode } from '../../../config.ts'
import {
  FEATURE_TIERS,
  type Feature,
  PLANS,
  type PlanName,
  type Tier,
  TOP_UPS,
  type TopUpName,
  tierHas,
} from '../../../contract/tiers.ts'
import { type Credits, creditsOf } from '../../../money/accounts/credits.ts'
import { runId } from '../../../money/accounts/web-runs.ts'
import { type Choice, type Payment, paymentsOf, priceOf } from '../../../money/payments/payments.ts'
import { notFound } from '../../http/form-errors.ts'
import type { Page, PageContext, SignedInContext } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Form, IdempotencyField } from '../../ui/form.tsx'
import { Notice, personalPage } from '../../ui/page-parts.tsx'
import { isSuspended, NotWhileSuspended } from '../../ui/suspension.tsx'
import { Day, figure, formatDay, humanize, plural, wordList } from '../../ui/text.tsx'

type Order = ReturnType<typeof priceOf>

export async function orderPage(context: SignedInContext): Promise<Page> {
  const { application, session, href } = context
  const order = priceOf(choiceOf(new URLSearchParams(context.query)))
  if (session.role !== 'owner') throw orderRefused()
  const [credits, payments] = await Promise.all([
    creditsOf(application.database, session.account.id),
    paymentsOf(application.database, session.account.id),
  ])
  if (!credits) throw notFound('account')
  const isByStripe = isPaidByStripe(order, application.payments.mode)
  const open = payments.filter(({ state }) => state === 'open')
  const isOpen = open.some(({ kind, item }) => kind === order.kind && item === order.item)
  const isHeld = isSuspended(context)
  const stands = isHeld ? undefined : standing(order, credits, isOpen && !isByStripe)
  return personalPage(
    { title: 'Your order', heading: `Order: ${orderName(order)}` },
    <>
      <p class="lead">Nothing is charged by this page.</p>
      <Facts
        facts={[
          ...factsOf(order, isByStripe),
          { name: 'Your plan now', value: planNow(order, credits) },
        ]}
      />
      {order.kind === 'plan' ? (
        <Replaced order={order} credits={credits} isByStripe={isByStripe} />
      ) : null}
      {stands || isHeld ? null : <Others open={open} isByStripe={isByStripe} />}
      {stands ? <Notice tone="warn">{stands}</Notice> : null}
      {isHeld ? <NotWhileSuspended /> : null}
      {stands || isHeld ? (
        <p class="actions">
          <QuietLink href={href('/credits')}>Back to plans and top-ups</QuietLink>
        </p>
      ) : (
        <Form context={context} action="/credits">
          <input type="hidden" name={choiceName(order.kind)} value={order.item} />
          <IdempotencyField value={orderKey(session.account.id, payments)} />
          <p class="actions">
            <Submit>
              {isByStripe ? 'Continue to Stripe' : 'Send order'}{' '}
              <span class="price">{priceText(order)}</span>
            </Submit>
            <QuietLink href={href('/credits')}>Back</QuietLink>
          </p>
        </Form>
      )}
    </>,
  )
}

/** Idempotency key that is the same in two windows, so that two presses are one order. */
const orderKey = (account: string, payments: readonly Payment[]): string =>
  runId(account, payments.map(({ id }) => id).join(), 'order')

/** Reason why this can't be ordered now. */
function standing({ kind, item }: Order, { plan }: Credits, waits: boolean): string | undefined {
  if (waits) return 'You have ordered this already: it waits for the operator.'
  if (kind === 'plan' && plan?.name === item) return 'This is your plan now.'
  return undefined
}

function factsOf(order: Order, isByStripe: boolean) {
  const begun = isByStripe
    ? 'As soon as Stripe confirms the payment'
    : 'When the operator accepts the order'
  return [
    { name: 'You pay', value: priceText(order) },
    {
      name: 'How',
      value: isByStripe
        ? 'On Stripe’s page, which comes next'
        : 'The operator contacts you about payment',
    },
    { name: 'You get', value: creditsText(order) },
    { name: 'Begins', value: begun },
    { name: 'Renews', value: renewalText(order, isByStripe) },
  ]
}

function creditsText({ kind, credits }: Order): string {
  if (credits === null) return 'No credit ceiling'
  const amount = plural(credits, 'credit', 'credits')
  return kind === 'plan'
    ? `${amount} each month, which expire at its end`
    : `${amount}, which never expire`
}

function renewalText({ kind }: Order, isByStripe: boolean): string {
  if (kind === 'topup') return 'Never: a top-up is paid once'
  if (!isByStripe) return 'It lasts one month. You agree with the operator whether it renews'
  const first = formatDay(monthAfter(new Date()))
  return `Every month, first on ${first} if you pay today. You can cancel before, on the Usage page`
}

/** Same day of the next month, or its last day. @returns ISO 8601 */
export function monthAfter(at: Date): string {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + 1]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(at.getUTCDate(), last))).toISOString()
}

function planNow({ kind }: Order, { plan, tier }: Credits) {
  if (!plan)
    return kind === 'plan' && tier !== 'free' ? `None; the tier is ${humanize(tier)}` : null
  return (
    <>
      {humanize(plan.name)}, {plan.renews ? 'renews on ' : 'ends on '}
      <Day at={plan.endsAt} />
    </>
  )
}

interface ReplacedProps {
  order: Order
  credits: Credits
  isByStripe: boolean
}

/** Consequences for the account's current plan. */
function Replaced({ order, credits: { plan, tier, grants }, isByStripe }: ReplacedProps) {
  if (!(order.item in PLANS) || plan?.name === order.item) return null
  const lost = lostWith(tier, PLANS[order.item as PlanName].tier)
  const left = grants.filter(({ source }) => source === 'plan')
  const when = isByStripe ? 'is paid' : 'begins'
  if (!plan && lost.length === 0) return null
  return (
    <section class="panel" aria-labelledby="replaced">
      <h2 id="replaced">What it replaces</h2>
      <ul>
        {plan ? (
          <li>
            {humanize(plan.name)} ends when {humanize(order.item)} {when}
            {isByStripe
              ? ', and is not collected again. The rest of its month is not paid back.'
              : '.'}
          </li>
        ) : null}
        {left.map(({ remaining, expiresAt }) => (
          <li>
            Its {plural(remaining, 'credit that is', 'credits that are')} left stay
            {remaining === 1 ? 's' : ''} yours
            {expiresAt ? ' until ' : ''}
            {expiresAt ? <Day at={expiresAt} /> : null}.
          </li>
        ))}
        {lost.length > 0 ? (
          <li>
            <strong>You lose {wordList(lost, lost.length)}.</strong>
          </li>
        ) : null}
      </ul>
    </section>
  )
}

const FEATURES: Readonly<Record<Feature, string>> = {
  csvExport: 'CSV export',
  bulkSearch: 'bulk search',
  workspace: 'the shared workspace, so its members can’t act for the account any more',
}

/** Features of tier `now` that `next` lacks. */
function lostWith(now: Tier, next: Tier): string[] {
  return (Object.keys(FEATURE_TIERS) as Feature[])
    .filter((feature) => tierHas(now, feature) && !tierHas(next, feature))
    .map((feature) => FEATURES[feature])
}

/** Consequences for other open orders. */
function Others({ open, isByStripe }: { open: readonly Payment[]; isByStripe: boolean }) {
  if (open.length === 0) return null
  const names = wordList(open.map(orderName), 3)
  return (
    <Notice tone="warn">
      {isByStripe
        ? `You have other open orders: ${names}. When you continue, those that wait for a payment at Stripe are withdrawn.`
        : `You have other open orders: ${names}. You pay for each; withdraw those you don’t want.`}
    </Notice>
  )
}

/** @throws PageError 400 for a plan or top-up that is not in the price list */
export function choiceOf(form: URLSearchParams): Choice {
  const plan = form.get('plan') ?? ''
  const topUp = form.get('topUp') ?? ''
  if (Object.hasOwn(PLANS, plan)) return { plan: plan as PlanName }
  if (Object.hasOwn(TOP_UPS, topUp)) return { topUp: topUp as TopUpName }
  throw new PageError(
    400,
    'Unknown plan or top-up',
    `Plans are ${Object.keys(PLANS).join(', ')}; top-ups are ${Object.keys(TOP_UPS).join(', ')}.`,
  )
}

export function orderRefused(): PageError {
  return new PageError(
    403,
    'This order was not accepted',
    'Nothing was charged. Only the owner of a workspace can order, and only a few orders can be open at once.',
  )
}

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
  // The buyer has paid and Stripe's event may still be on its way.
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

const orderPath = ({ kind, item }: Pick<Named, 'kind' | 'item'>): string =>
  `/credits/order?${choiceName(kind)}=${item}`

/** Name of the URL parameter. */
const choiceName = (kind: Named['kind']) => (kind === 'plan' ? 'plan' : 'topUp')

/** Items without a price are agreed with the operator. */
const isPaidByStripe = ({ usd }: Pick<Named, 'usd'>, mode: PaymentMode): boolean =>
  mode === 'stripe' && usd !== null

function Withdraw({ context, order }: { context: PageContext; order: Payment }) {
  return (
    <Form context={context} action="/credits" class="inline">
      <input type="hidden" name="withdraw" value={order.id} />
      <Submit tone="quiet" label={`Withdraw ${orderName(order)}`}>
        Withdraw
      </Submit>
    </Form>
  )
}
