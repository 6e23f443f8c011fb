/** Payments: chosen plans and top-ups with their state. Their rules are SQL functions (`drizzle/functions`). */
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import { PLANS, type PlanName, TOP_UPS, type TopUpName } from '../../contract/tiers.ts'
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, scalar } from '../../database/scalar.ts'
import { accounts } from '../../database/tables/accounts.ts'
import { paymentEvents, payments } from '../../database/tables/payments.ts'
import { runId } from '../accounts/web-runs.ts'

export type Choice = { plan: PlanName } | { topUp: TopUpName }

export type PaymentState = Payment['state']

/** Times are ISO 8601 in UTC. */
export type Payment = Omit<
  typeof payments.$inferSelect,
  | 'userId'
  | 'reference'
  | 'checkout'
  | 'charged'
  | 'reversed'
  | 'refundAt'
  | 'refundNote'
  | 'refundTries'
  | 'mailedState'
> & {
  /** Part of the money that went back by refunds and disputes. */
  reversed: 'none' | 'part' | 'all'
}

export type PaymentEvent = Pick<typeof paymentEvents.$inferSelect, 'id' | 'kind' | 'at' | 'reason'>

/** Open payments per account. */
const MAX_OPEN = 20

const { id, accountId, kind, item, credits, usd, state, refusedBy, createdAt, decidedAt, refund } =
  payments
const reversed = sql<Payment['reversed']>`
  case when coalesce(${payments.reversed}, 0) = 0 then 'none'
       when ${payments.reversed} = ${payments.charged} then 'all' else 'part' end`
const COLUMNS = {
  id,
  accountId,
  kind,
  item,
  credits,
  usd,
  state,
  refusedBy,
  reversed,
  createdAt,
  decidedAt,
  refund,
}

const IS_WAITING = and(eq(paymentEvents.outcome, 'waiting'), isNull(paymentEvents.dismissedAt))

/** Tier of each plan, as JSON for SQL functions. */
export const PLAN_TIERS = JSON.stringify(
  Object.fromEntries(Object.entries(PLANS).map(([name, { tier }]) => [name, tier])),
)

/**
 * Records a choice. Credits follow when the payment is accepted.
 * @param idempotencyKey records a repeated choice once
 * @returns the payment's id; null if the user is not the account's owner or too many payments are open
 */
export async function openPayment(
  database: Database,
  account: string,
  userId: string,
  choice: Choice,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<string | null> {
  const chosen = priceOf(choice)
  const paymentId = runId(account, idempotencyKey, `${chosen.kind} ${chosen.item}`)
  return database.use(({ sql }) =>
    scalar<string>(sql`
      insert into payments (id, account_id, user_id, kind, item, credits, usd, created_at)
      select ${paymentId}::uuid, m.account_id, m.user_id, ${chosen.kind}, ${chosen.item},
             ${chosen.credits}::integer, ${chosen.usd}::integer, meter_now()
        from members m
       where m.account_id = ${account} and m.user_id = ${userId} and m.role = 'owner'
         and (select count(*) from payments p where p.account_id = m.account_id and p.state = 'open')
             < ${MAX_OPEN}::integer
      on conflict (id) do update set id = payments.id
      returning id`),
  )
}

/** @returns the entry in the price list. */
export function priceOf(choice: Choice) {
  if ('topUp' in choice) {
    return { kind: 'topup' as const, item: choice.topUp, ...TOP_UPS[choice.topUp] }
  }
  const { credits, usdPerMonth: usd } = PLANS[choice.plan]
  return { kind: 'plan' as const, item: choice.plan, credits, usd }
}

/** The account's payments, newest first, at most 100. */
export async function paymentsOf(database: Database, account: string): Promise<Payment[]> {
  return database.use(({ db }) =>
    db
      .select(COLUMNS)
      .from(payments)
      .where(eq(accountId, account))
      .orderBy(desc(createdAt), asc(id))
      .limit(100),
  )
}

export async function isOpenPayment(database: Database, account: string, payment: string) {
  const open = and(eq(id, payment), eq(accountId, account), eq(state, 'open'))
  const found = await database.use(({ db }) => db.select({ id }).from(payments).where(open))
  return found.length > 0
}

/** Lists the payments of all accounts, oldest first. */
export function listPayments(database: Database, only?: PaymentState) {
  return database.use(({ db }) =>
    db
      .select({ ...COLUMNS, account: { name: accounts.name, email: accounts.email } })
      .from(payments)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(only && eq(state, only))
      .orderBy(asc(createdAt), asc(id)),
  )
}

export interface Acceptance {
  /** The plan renews by itself when its period ends. */
  renews?: boolean
  /** Credits for each side of a referral, on the account's first payment. */
  referralCredits: number
}

/** SQL that accepts an open payment and gives its credits; returns its id, null if none is open. */
export const acceptCall = (
  sql: Connection['sql'],
  payment: string,
  { renews = false, referralCredits }: Acceptance,
): Fragment =>
  sql`(payment_accept(${payment}, (select ${PLAN_TIERS}::json->>item from payments where id = ${payment}),
                      ${renews}::boolean, ${referralCredits}::integer)).id`

/** SQL that refuses an open payment; returns its id, null if none is open. @param by null if its Checkout could not begin */
export const refuseCall = (
  sql: Connection['sql'],
  payment: string,
  by: Payment['refusedBy'] = 'operator',
): Fragment => sql`payment_refuse(${payment}, ${by}::text)`

/** Refuses an open payment. If it is paid later, its credits follow. @returns undefined if it is unknown or not open. */
export async function refusePayment(
  database: Database,
  payment: string,
  by?: Payment['refusedBy'],
) {
  const refused = await database.use(({ sql }) =>
    scalar(sql`select ${refuseCall(sql, payment, by)}`),
  )
  return refused === null ? undefined : findPayment(database, payment)
}

/** @returns undefined if there is no such payment. */
export async function findPayment(database: Database, payment: string) {
  const [found] = await database.use(({ db }) =>
    db.select(COLUMNS).from(payments).where(eq(id, payment)),
  )
  return found
}

/** Lists the provider's events that wait for the operator, oldest first. */
export async function waitingEvents(database: Database): Promise<PaymentEvent[]> {
  const { id, kind, at, reason } = paymentEvents
  return database.use(({ db }) =>
    db
      .select({ id, kind, at, reason })
      .from(paymentEvents)
      .where(IS_WAITING)
      .orderBy(asc(at), asc(id)),
  )
}

/** SQL that marks a waiting event as dealt with; null if it is unknown or doesn't wait. */
export const dismissCall = (sql: Connection['sql'], event: string): Fragment =>
  sql`payment_event_dismiss(${event})`
