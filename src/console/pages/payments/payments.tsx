/** @jsxImportSource hono/jsx */
/** `/operator/payments`: orders that wait for the operator, accepted or refused one by one or several at once, and the lists of those that ended or that Stripe knows otherwise. */
import { uuidOf } from '../../../database/uuid.ts'
import { type PaymentEvent, waitingEvents } from '../../../money/payments/payments.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import {
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../../site/http/page.ts'
import { orderName } from '../../../site/pages/billing/order.tsx'
import { Submit } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Notice, numbers, Section } from '../../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../../site/ui/pager.tsx'
import { figure, humanize, Moment, plural } from '../../../site/ui/text.tsx'
import type { Act } from '../../acts/act.ts'
import {
  endedPayments,
  PAYMENT_ENDS,
  type PaymentDetails,
  type PaymentEnd,
  paymentDetails,
} from '../../acts/payment-details.ts'
import {
  acceptPayment,
  refusePayment,
  type WaitingPayment,
  waitingPayments,
} from '../../acts/payments.ts'
import { doAct } from '../../acts/perform.ts'
import { formsOf, Refused, resourcesOf, Said } from '../../ui/acts.tsx'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { type Cells, List, Tabs } from '../../ui/lists.tsx'
import { PAYMENTS } from '../../ui/paths.ts'
import { choiceIn, MAX_PAGE, pageIn } from '../../ui/query.ts'
import { AllChecked } from './differing.tsx'
import { dismissal, eventName, orderCells, StateBadge } from './payment.tsx'

/** Orders of a page, and the most that one form decides on. */
const LIMIT = 100

export async function paymentsPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const list = listIn(context)
  if (list === 'differing') return differingPage(context)
  if (list !== 'waiting') return endedPage(context, list)
  const { database } = context.application
  const [{ payments, count }, events] = await Promise.all([
    waitingPayments(database, LIMIT),
    waitingEvents(database),
  ])
  return operatorPage(
    context,
    { title: 'Payments' },
    <>
      <Said context={context} />
      <Decided context={context} />
      <Lists context={context} />
      <Refused errors={errors} />
      {payments.length === 0 ? (
        <p class="empty">No order waits.</p>
      ) : (
        <Form context={context} action={PAYMENTS} class="decide">
          {count > payments.length ? (
            <p class="note">
              The oldest {figure(payments.length)} of {figure(count)} orders that wait.
            </p>
          ) : null}
          <Waiting
            context={context}
            payments={payments}
            ticked={errors ? errors.form.getAll('ids') : onlyOne(payments)}
          />
          {payments.some(({ kind }) => kind === 'plan') ? (
            <Checkbox
              name="renews"
              isTicked={errors?.form.get('renews') === 'yes'}
              hint="Else the tier falls back to free when the month ends."
            >
              Plans renew
            </Checkbox>
          ) : null}
          <p class="actions">
            <Submit action={acceptPayment.name}>{acceptPayment.button}</Submit>
            <Submit action={refusePayment.name} tone="quiet">
              {refusePayment.button}
            </Submit>
          </p>
        </Form>
      )}
      <WaitingEvents context={context} events={events} />
    </>,
  )
}

/** An order alone is chosen already, but not one that Stripe may still collect. */
const onlyOne = (payments: readonly WaitingPayment[]): string[] =>
  payments.length === 1 ? payments.filter((it) => !it.isAtProvider).map(({ id }) => id) : []

interface WaitingProps {
  context: PageContext
  payments: readonly WaitingPayment[]
  /** The ids of those that are chosen already. */
  ticked: readonly string[]
}

function Waiting({ context, payments, ticked }: WaitingProps) {
  const { order, account, email, price, ordered } = orderCells(context)
  const cells: Cells<WaitingPayment> = [
    [
      order[0],
      (payment) => (
        <>
          <label class="tick">
            <input
              class="select"
              type="checkbox"
              name="ids"
              value={payment.id}
              aria-label={`${orderName(payment)} of ${payment.account.name}`}
              checked={ticked.includes(payment.id)}
            />
          </label>{' '}
          {order[1](payment)} {payment.isAtProvider ? <Badge tone="warn">at Stripe</Badge> : null}
        </>
      ),
    ],
    ...[account, email, price],
    [numbers('Credits'), ({ credits }) => (credits === null ? 'no ceiling' : figure(credits))],
    ordered,
  ]
  return <List label="Orders that wait, oldest first" rows={payments} cells={cells} />
}

/** Result of the form that led here. */
function Decided({ context }: { context: PageContext }) {
  const asked = new URLSearchParams(context.query)
  const [done, gone] = [countIn(asked, 'done'), countIn(asked, 'gone')]
  if (done + gone === 0) return null
  const verb = asked.get('said') === 'refused' ? 'refused' : 'accepted'
  return (
    <Notice tone={done > 0 ? 'good' : 'warn'}>
      {done > 0
        ? `${plural(done, 'order was', 'orders were')} ${verb}${verb === 'accepted' ? ': the credits are there' : ''}.`
        : 'Nothing was changed.'}{' '}
      {gone > 0 ? `${plural(gone, 'was', 'were')} decided before.` : ''}
    </Notice>
  )
}

function countIn(asked: URLSearchParams, name: string): number {
  const text = asked.get(name) ?? ''
  return /^\d{1,3}$/.test(text) ? Number(text) : 0
}

const decideBy = (act: Act, said: string) =>
  /** Each order is decided by itself, so one that was decided meanwhile keeps none from the others. */
  async function decide(context: OperatorContext, form: Fields): Promise<Reply> {
    const ids = [...new Set(form.getAll('ids').map(uuidOf))]
    if (ids.length === 0 || ids.length > LIMIT || !ids.every((id) => id !== undefined))
      throw new FieldError('', `Nothing was changed: tick the orders first, at most ${LIMIT}.`)
    const values = { renews: form.get('renews') === 'yes' }
    let done = 0
    for (const id of ids) {
      const { result } = await doAct(resourcesOf(context), act, id, values)
      if (result !== undefined) done++
    }
    const counts = new URLSearchParams({ said, done: `${done}`, gone: `${ids.length - done}` })
    return redirect(context.href(`${PAYMENTS}?${counts}`))
  }

export const decide = formsOf('payment', paymentsPage, {
  [acceptPayment.name]: decideBy(acceptPayment, 'accepted'),
  [refusePayment.name]: decideBy(refusePayment, 'refused'),
})

/** Ended payments of a page. */
const ENDED_LIMIT = 50

type PaymentList = 'waiting' | PaymentEnd | 'differing'

/** The lists that exist. The list of differences exists only where Stripe collects payments. */
const listsOf = ({ application }: PageContext): PaymentList[] => [
  'waiting',
  ...PAYMENT_ENDS,
  ...(application.payments.mode === 'stripe' ? (['differing'] as const) : []),
]

/** Selected list. @throws PageError 400 */
const listIn = (context: PageContext): PaymentList =>
  choiceIn(new URLSearchParams(context.query), 'show', listsOf(context), 'waiting')

/** Links to the lists. */
function Lists({ context }: { context: PageContext }) {
  const path = (list: PaymentList) => (list === 'waiting' ? PAYMENTS : `${PAYMENTS}?show=${list}`)
  const tabs = listsOf(context).map((list) => [path(list), humanize(list)] as const)
  return <Tabs context={context} label="Payments" tabs={tabs} current={path(listIn(context))} />
}

/** The list of differences, the only one that asks Stripe. */
async function differingPage(context: SignedInContext): Promise<Page> {
  const { database, payments } = context.application
  const check = await payments.check()
  const ids = [...new Set(check?.differences.map(({ payment }) => payment))]
  const read = ids.map(async (id) => [id, await paymentDetails(database, id)] as const)
  const known = new Map<string, PaymentDetails>()
  for (const [id, payment] of await Promise.all(read)) if (payment) known.set(id, payment)
  return operatorPage(
    context,
    { title: 'Payments' },
    <>
      <Lists context={context} />
      {check ? <AllChecked context={context} check={check} payments={known} /> : null}
    </>,
  )
}

async function endedPage(context: SignedInContext, end: PaymentEnd): Promise<Page> {
  const page = pageIn(new URLSearchParams(context.query))
  const { database } = context.application
  const { payments, hasMore } = await endedPayments(database, end, { page, limit: ENDED_LIMIT })
  const href = (number: number) => context.href(`${PAYMENTS}?show=${end}&page=${number}`)
  const { order, account, email, price, ordered } = orderCells(context)
  return operatorPage(
    context,
    { title: 'Payments' },
    <>
      <Lists context={context} />
      <List
        label="Payments, newest first"
        rows={payments}
        none="None."
        cells={[
          ...[order, account, email, price],
          ['State', (payment) => <StateBadge payment={payment} />],
          ordered,
        ]}
      />
      <NewerOlder
        newer={page > 1 ? href(page - 1) : undefined}
        older={hasMore && page < MAX_PAGE ? href(page + 1) : undefined}
      />
    </>,
  )
}

interface WaitingEventsProps {
  context: PageContext
  events: readonly PaymentEvent[]
}

function WaitingEvents({ context, events }: WaitingEventsProps) {
  if (events.length === 0) return null
  return (
    <Section id="events" title="Stripe’s events that wait for you" count={events.length}>
      <List
        label="Events, oldest first"
        rows={events}
        cells={[
          ['Time (UTC)', ({ at }) => <Moment at={at} />],
          ['Event', eventName],
          [{ label: 'What to do', card: 'line' }, ({ reason }) => reason],
          [{ label: 'Done', card: 'last' }, ({ id, kind }) => dismissal(context, id, kind)],
        ]}
      />
    </Section>
  )
}
