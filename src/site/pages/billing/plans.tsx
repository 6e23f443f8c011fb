/** @jsxImportSource hono/jsx */
/** `/credits`: prices of plans and top-ups, and orders. A sample's `upgradeUrl` leads here. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { PLANS, type PlanName, TIER_RULES, TRIAL_DAYS } from '../../../contract/tiers.ts'
import { paymentsOf } from '../../../money/payments/payments.ts'
import type { Session } from '../../../people/users/sessions.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { redirectToSignIn } from '../../http/return-url.ts'
import { ButtonLink } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { idempotencyKeyOf } from '../../ui/form.tsx'
import { Notice, personalPage, Section } from '../../ui/page-parts.tsx'
import { Choose, Chosen, type PricesProps, TopUps } from '../../ui/price-list.tsx'
import { refuseSuspended } from '../../ui/suspension.tsx'
import { figure, humanize, plural, rewardTime } from '../../ui/text.tsx'
import { choiceOf, OpenOrders, orderRefused } from './order.tsx'

export async function plansPage(context: PageContext): Promise<Page> {
  const { session, application, href } = context
  const payments = session ? await paymentsOf(application.database, session.account.id) : []
  return {
    title: 'Plans and top-ups',
    description: 'What each plan and top-up costs, and other ways to get credits.',
    canonical: '/credits',
    shape: 'wide',
    main: (
      <>
        <h1>Plans and top-ups</h1>
        <PaymentNotice context={context} />
        <p class="lead">
          {application.payments.mode === 'stripe'
            ? 'Plans are billed monthly through Stripe, top-ups once. '
            : 'Choose a plan or a top-up, and the operator contacts you about payment. '}
          Credits are available as soon as the payment is confirmed. Your API keys stay the same.
        </p>
        <OpenOrders context={context} payments={payments} />
        <Section id="plans" title="Plans">
          <Plans context={context} payments={payments} />
        </Section>
        <p>
          A data call costs {CALL_CREDITS} credits and a first reveal {REVEAL_CREDITS}. A plan’s
          credits expire at the end of each month.
        </p>
        <Section id="top-ups" title="Top-ups">
          <p>Extra credits, with or without a plan. They never expire.</p>
          <TopUps context={context} payments={payments} />
        </Section>
        {payments.length > 0 ? <Chosen context={context} payments={payments} /> : null}
        <Section id="other" title="Other ways to get credits">
          <ul>
            <li>
              <strong>Trial:</strong> your first account starts with credits for {TRIAL_DAYS} days.
            </li>
            <li>
              <strong>Referral:</strong> <a href={href('/referral')}>invite a friend</a>, and you
              both get {plural(application.referralCredits, 'credit', 'credits')}{' '}
              {rewardTime(application.referrals.holdDays, 'their first payment')}.
            </li>
          </ul>
          <p>
            <a href={href('/balance')}>Usage</a> and <code class="unbroken">GET /v1/me</code> show
            your balance free of charge. <a href={href('/docs/credits')}>Credits and samples</a>{' '}
            explains what calls cost.
          </p>
        </Section>
      </>
    ),
  }
}

/** Orders a plan or a top-up, or withdraws an order. Only a payment grants credits. */
export async function changeOrders(context: PageContext, form: Fields): Promise<Reply> {
  const { session, application, href } = context
  if (!session) return redirectToSignIn(context)
  const withdrawn = form.get('withdraw')
  if (withdrawn) return withdrawOrder(context, session, withdrawn)
  refuseSuspended({ session })
  const result = await application.payments.checkout(
    session,
    choiceOf(form),
    idempotencyKeyOf(form),
  )
  switch (result.outcome) {
    case 'requested':
      return redirect(href('/credits?payment=requested'))
    case 'redirect':
      return checkoutPage(result.url)
    case 'decided':
      return redirect(href('/credits?payment=known#chosen'))
    case 'refused':
      throw orderRefused()
    case 'unavailable':
      throw paymentUnavailable('Nothing was charged.')
    case 'unanswered':
      return redirect(href('/credits?payment=unanswered#chosen'))
  }
}

/** Withdraws an unpaid order. */
async function withdrawOrder(
  { application, href }: PageContext,
  session: Session,
  order: string,
): Promise<Reply> {
  const outcome = await application.payments.withdraw(session, order)
  if (outcome === 'unavailable') throw paymentUnavailable('The order was not withdrawn.')
  const notices = {
    withdrawn: 'withdrawn',
    paid: 'paying',
    'not open': 'known',
    unanswered: 'unknown',
  } as const
  return redirect(href(`/credits?payment=${notices[outcome]}#chosen`))
}

function paymentUnavailable(effect: string): PageError {
  const message = `${effect} Try again in a minute.`
  return new PageError(503, 'The payment service is not available', message, {
    'retry-after': '60',
  })
}

/** Forwards with a `refresh` header, because the CSP forbids forms to redirect to another host. */
function checkoutPage(url: string): Page {
  return personalPage(
    { title: 'Continue to payment', headers: { refresh: `0; url=${url}` } },
    <>
      <p class="lead">You pay on Stripe's page and then return here. Nothing is charged before.</p>
      <p>
        <ButtonLink href={url}>Continue to Stripe</ButtonLink>
      </p>
    </>,
  )
}

/** Messages by the `payment` parameter. None claims that money moved. */
const PAYMENT_NOTICES = new Map([
  ['requested', 'Your order was sent to the operator. It is listed below until it is accepted.'],
  ['withdrawn', 'Your order was withdrawn.'],
  ['paying', 'This order can’t be withdrawn: its payment is on its way. It is listed below.'],
  ['known', 'This order is not open any more. It is listed below with its status.'],
  [
    'unanswered',
    'Stripe did not answer, so your order was not placed. Nothing was charged. Order again in a minute.',
  ],
  [
    'unknown',
    'Stripe has not answered, so it is not known yet whether your order was withdrawn. The list below shows it once Stripe confirms. You can withdraw it again.',
  ],
  [
    'done',
    'Thank you. Your credits are added as soon as Stripe confirms the payment, usually within seconds.',
  ],
  [
    'left',
    'You left the checkout. Only a payment that Stripe confirms adds credits; it is listed below then.',
  ],
])

function PaymentNotice({ context }: { context: PageContext }) {
  const payment = new URLSearchParams(context.query).get('payment') ?? ''
  const text = PAYMENT_NOTICES.get(payment)
  if (!context.session || !text) return null
  const isWarning = ['left', 'paying', 'known', 'unanswered', 'unknown'].includes(payment)
  return <Notice tone={isWarning ? 'warn' : 'good'}>{text}</Notice>
}

const NAMES = Object.keys(PLANS) as PlanName[]

/** The contract's table of plans, a card for each. */
function Plans(prices: PricesProps) {
  const current = prices.context.session?.account.tier
  return (
    <ul class="plans">
      {NAMES.map((name) => {
        const { tier, usdPerMonth } = PLANS[name]
        const price = usdPerMonth === null ? null : `$${figure(usdPerMonth)}`
        const what = `${humanize(name)}, ${price ? `${price} a month` : 'price to be agreed'}`
        return (
          <li class={tier === current ? 'card current' : 'card'}>
            <h3>
              {humanize(name)} {tier === current ? <Badge tone="good">Current</Badge> : null}
            </h3>
            <p>
              <strong class="figure">{price ?? 'Custom'}</strong> {price ? 'a month' : 'price'}
            </p>
            <ul>
              {featuresOf(name).map((feature) => (
                <li>{feature}</li>
              ))}
            </ul>
            {tier === current ? null : (
              <p>
                <Choose {...prices} kind="plan" item={name} what={what} />
              </p>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Lines about a plan: its monthly credits and their worth, the rate limit, and the features of its tier. */
function featuresOf(name: PlanName): string[] {
  const { tier, credits } = PLANS[name]
  const { rateLimit, rateSeconds } = TIER_RULES[tier]
  // Each plan has what those before it have.
  const extras = NAMES.slice(0, NAMES.indexOf(name) + 1).map((each) => PLANS[each].extras)
  return [
    ...(credits === null
      ? []
      : [
          `${figure(credits)} credits a month`,
          `${figure(credits / CALL_CREDITS)} data calls or ${figure(credits / REVEAL_CREDITS)} reveals`,
        ]),
    `${figure((rateLimit * 60) / rateSeconds)} requests a minute`,
    ...extras.map(humanize),
  ]
}
