/** @jsxImportSource hono/jsx */
/** `/credits`: what plans and top-ups cost, and where they are chosen. A sample's `upgradeUrl` leads here. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { PLANS, type PlanName, TOP_UPS, type TopUpName, TRIAL_DAYS } from '../../contract/tiers.ts'
import { type Choice, paymentsOf } from '../../payments/payments.ts'
import { idempotencyKeyOf } from '../components/idempotency-field.tsx'
import { Notice } from '../components/notice.tsx'
import { Chosen, Plans, TopUps } from '../components/price-list.tsx'
import type { Form as Fields } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { redirectToSignIn } from '../http/return-url.ts'

export async function plansPage(context: PageContext): Promise<Page> {
  const { session, application, href } = context
  const payments = session ? await paymentsOf(application.database, session.account.id) : []
  return {
    title: 'Plans and credits',
    description: 'What each plan costs and holds, and the other ways to credits.',
    canonical: '/credits',
    shape: 'wide',
    main: (
      <>
        <h1>Plans and credits</h1>
        <Said context={context} />
        <p class="lead">
          {application.payments.mode === 'stripe'
            ? 'Plans are paid by the month at Stripe, top-ups once. '
            : 'Choose here; the operator gets in touch about the payment, then accepts. '}
          Credits count from the moment they are paid, and nothing changes about your keys.
        </p>
        <Plans context={context} payments={payments} />
        <p>
          Data calls and reveals are what the credits come to if they are spent on nothing else:{' '}
          {CALL_CREDITS} credits a call, {REVEAL_CREDITS} a first reveal. A plan's credits end with
          its month.
        </p>
        <section aria-labelledby="top-ups">
          <h2 id="top-ups">Top-ups</h2>
          <p>Credits beside a plan or without one. They do not end.</p>
          <TopUps context={context} payments={payments} />
        </section>
        {payments.length > 0 ? <Chosen payments={payments} /> : null}
        <section aria-labelledby="other">
          <h2 id="other">Other ways</h2>
          <ul>
            <li>
              <strong>Trial:</strong> every new account begins with credits that last {TRIAL_DAYS}{' '}
              days.
            </li>
            <li>
              <strong>Referral:</strong> <a href={href('/referral')}>bring somebody</a>, and both of
              you get credits when they first pay.
            </li>
          </ul>
          <p>
            How much is left: <a href={href('/balance')}>your credits</a>, or{' '}
            <code>GET /v1/me</code>, free of charge. How it is spent:{' '}
            <a href={href('/docs/credits')}>credits and samples</a>.
          </p>
        </section>
      </>
    ),
  }
}

/** Chooses `plan` or `topUp`. Nothing is given before it is paid. */
export async function choosePlan(context: PageContext, form: Fields): Promise<Reply> {
  const { session, application, href } = context
  if (!session) return redirectToSignIn(context)
  const chosen = await application.payments.choose(session, choiceOf(form), idempotencyKeyOf(form))
  switch (chosen.outcome) {
    case 'requested':
      return redirect(href('/credits?payment=requested'))
    case 'redirect':
      return leavingPage(chosen.url)
    case 'refused':
      throw new PageError(
        403,
        'This was not taken',
        'Nothing was charged. Only the owner of a workspace chooses, and only so many choices may be open at once.',
      )
    case 'unavailable':
      throw new PageError(
        503,
        'The payment service does not answer',
        'Nothing was charged. Try again in a minute.',
        { 'retry-after': '60' },
      )
  }
}

/** @throws PageError 400 for what is not on the list */
function choiceOf(form: Fields): Choice {
  const plan = form.get('plan') ?? ''
  const topUp = form.get('topUp') ?? ''
  if (Object.hasOwn(PLANS, plan)) return { plan: plan as PlanName }
  if (Object.hasOwn(TOP_UPS, topUp)) return { topUp: topUp as TopUpName }
  throw new PageError(
    400,
    'That is not on the list',
    `Plans are ${Object.keys(PLANS).join(', ')}; top-ups ${Object.keys(TOP_UPS).join(', ')}.`,
  )
}

/** By a header, not a redirection: pages may send their forms to this host alone. */
function leavingPage(url: string): Page {
  return {
    title: 'On to the payment',
    isUnlisted: true,
    headers: { refresh: `0; url=${url}` },
    main: (
      <>
        <h1>On to the payment</h1>
        <p class="lead">You pay at Stripe and come back here. Nothing is charged before.</p>
        <p>
          <a class="button" href={url}>
            Go on to Stripe
          </a>
        </p>
      </>
    ),
  }
}

const SAID: Readonly<Record<string, { tone: 'good' | 'warn'; text: string }>> = {
  requested: {
    tone: 'good',
    text: 'Your choice is with the operator. It is listed below until it is accepted.',
  },
  done: {
    tone: 'good',
    text: 'Thank you. The credits come as soon as Stripe tells us of the payment, usually within seconds.',
  },
  left: { tone: 'warn', text: 'The payment was left. Nothing was charged.' },
}

function Said({ context }: { context: PageContext }): Html | null {
  const name = new URLSearchParams(context.query).get('payment') ?? ''
  const said = Object.hasOwn(SAID, name) ? SAID[name] : undefined
  return context.session && said ? <Notice tone={said.tone}>{said.text}</Notice> : null
}
