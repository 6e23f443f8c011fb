/** @jsxImportSource hono/jsx */
/** `/credits`: what plans and top-ups cost, and where they are chosen. A sample's `upgradeUrl` leads here. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../../metering/prices.ts'
import { PLANS, type PlanName, TOP_UPS, type TopUpName, TRIAL_DAYS } from '../../metering/tiers.ts'
import { type Choice, type Payment, paymentsOf } from '../../payments/payments.ts'
import type { Form as Fields } from '../form.ts'
import type { Child, Html } from '../html.ts'
import { signInFirst } from '../next.ts'
import { type Page, PageError, type Reply, redirect, type Visit } from '../page.ts'
import { Badge, type Tone } from '../parts/badges.tsx'
import { Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Once, onceOf } from '../parts/once.tsx'
import { Table } from '../parts/table.tsx'
import { Day, figure, words } from '../parts/text.tsx'

export async function plansPage(visit: Visit): Promise<Page> {
  const { session, application, to } = visit
  const payments = session ? await paymentsOf(application.database, session.account.id) : []
  return {
    title: 'Plans and credits',
    description: 'What each plan costs and holds, and the other ways to credits.',
    canonical: '/credits',
    shape: 'wide',
    main: (
      <>
        <h1>Plans and credits</h1>
        <Said visit={visit} />
        <p class="lead">
          {application.payments.mode === 'stripe'
            ? 'Plans are paid by the month at Stripe, top-ups once. '
            : 'Choose here; the operator gets in touch about the payment, then accepts. '}
          Credits count from the moment they are paid, and nothing changes about your keys.
        </p>
        <Plans visit={visit} payments={payments} />
        <p>
          Data calls and reveals are what the credits come to if they are spent on nothing else:{' '}
          {CALL_CREDITS} credits a call, {REVEAL_CREDITS} a first reveal. A plan's credits end with
          its month.
        </p>
        <section aria-labelledby="top-ups">
          <h2 id="top-ups">Top-ups</h2>
          <p>Credits beside a plan or without one. They do not end.</p>
          <TopUps visit={visit} payments={payments} />
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
              <strong>Referral:</strong> <a href={to('/referral')}>bring somebody</a>, and both of
              you get credits when they first pay.
            </li>
          </ul>
          <p>
            How much is left: <a href={to('/balance')}>your credits</a>, or <code>GET /v1/me</code>,
            free of charge. How it is spent: <a href={to('/docs/credits')}>credits and samples</a>.
          </p>
        </section>
      </>
    ),
  }
}

/** Chooses `plan` or `topUp`. Nothing is given before it is paid. */
export async function choosePlan(visit: Visit, form: Fields): Promise<Reply> {
  const { session, application, to } = visit
  if (!session) return signInFirst(visit)
  const chosen = await application.payments.choose(session, choiceOf(form), onceOf(form))
  switch (chosen.outcome) {
    case 'requested':
      return redirect(to('/credits?payment=requested'))
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

function Said({ visit }: { visit: Visit }): Html | null {
  const name = new URLSearchParams(visit.query).get('payment') ?? ''
  const said = Object.hasOwn(SAID, name) ? SAID[name] : undefined
  return visit.session && said ? <Notice tone={said.tone}>{said.text}</Notice> : null
}

function Plans({ visit, payments }: { visit: Visit; payments: readonly Payment[] }): Html {
  return (
    <Table
      label="Plans"
      columns={[
        { label: 'Plan' },
        { label: 'Per month', isNumber: true },
        { label: 'Credits', isNumber: true },
        { label: 'Data calls', isNumber: true },
        { label: 'Reveals', isNumber: true },
        { label: 'Extras' },
        { label: 'Yours' },
      ]}
      rows={Object.entries(PLANS).map(([name, { tier, usdPerMonth, credits, extras }]) => {
        const worth = (price: number) => (credits === null ? 'unlimited' : figure(credits / price))
        const price = usdPerMonth === null ? 'custom' : `$${figure(usdPerMonth)}`
        return [
          words(name),
          price,
          worth(1),
          worth(CALL_CREDITS),
          worth(REVEAL_CREDITS),
          extras,
          visit.session?.account.tier === tier ? (
            <Badge tone="good">Current</Badge>
          ) : (
            <Choose
              visit={visit}
              name="plan"
              value={name}
              what={`${words(name)}, ${usdPerMonth === null ? 'price to be agreed' : `${price} a month`}`}
              isOpen={isOpen(payments, 'plan', name)}
            />
          ),
        ]
      })}
    />
  )
}

function TopUps({ visit, payments }: { visit: Visit; payments: readonly Payment[] }): Html {
  return (
    <Table
      label="Top-ups"
      columns={[
        { label: 'Top-up' },
        { label: 'Credits', isNumber: true },
        { label: 'Once', isNumber: true },
        { label: 'Yours' },
      ]}
      rows={Object.entries(TOP_UPS).map(([name, { credits, usd }]) => [
        words(name),
        figure(credits),
        `$${figure(usd)}`,
        <Choose
          visit={visit}
          name="topUp"
          value={name}
          what={`${figure(credits)} credits, $${figure(usd)}`}
          isOpen={isOpen(payments, 'topup', name)}
        />,
      ])}
    />
  )
}

function isOpen(payments: readonly Payment[], kind: Payment['kind'], name: string): boolean {
  return payments.some((it) => it.state === 'open' && it.kind === kind && it.item === name)
}

/** @param what is chosen, with its price: what a screen reader says of the button */
function Choose({
  visit,
  name,
  value,
  what,
  isOpen: isWaiting,
}: {
  visit: Visit
  name: 'plan' | 'topUp'
  value: string
  what: string
  isOpen: boolean
}): Child {
  const { session, application, to } = visit
  if (!session) return <a href={to('/sign-up')}>Sign up</a>
  // A checkout that was left may be begun again; a request waits.
  if (isWaiting && application.payments.mode === 'manual')
    return <Badge tone="warn">Requested</Badge>
  if (session.role !== 'owner') return <span class="quiet">the owner chooses</span>
  return (
    <Form visit={visit} action="/credits" class="inline">
      <input type="hidden" name={name} value={value} />
      <Once />
      <button class="button quiet small" type="submit" aria-label={`Choose ${what}`}>
        Choose
      </button>
    </Form>
  )
}

const STATES: Readonly<Record<Payment['state'], { tone: Tone; label: string }>> = {
  open: { tone: 'warn', label: 'Open' },
  accepted: { tone: 'good', label: 'Accepted' },
  refused: { tone: 'bad', label: 'Refused' },
}

function Chosen({ payments }: { payments: readonly Payment[] }): Html {
  return (
    <section aria-labelledby="chosen">
      <h2 id="chosen">What you chose</h2>
      <Table
        label="Choices, newest first"
        columns={[
          { label: 'Chosen on' },
          { label: 'What' },
          { label: 'Credits', isNumber: true },
          { label: 'Price', isNumber: true },
          { label: 'State' },
        ]}
        rows={payments.map(({ createdAt, kind, item, credits, usd, state, decidedAt }) => [
          <Day at={createdAt} />,
          kind === 'plan' ? `Plan: ${words(item)}` : `Top-up: ${item}`,
          credits === null ? 'unlimited' : figure(credits),
          usd === null ? 'to be agreed' : `$${figure(usd)}`,
          <>
            <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>{' '}
            {decidedAt ? <Day at={decidedAt} /> : null}
          </>,
        ])}
      />
    </section>
  )
}
