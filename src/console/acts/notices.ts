/**
 * Mails that tell operators what waits for them, and owners what became of their orders. A sweep looks for what no mail has told yet;
 * the statement that notes it as told puts the mails into the queue, so that of several processes one tells. No mail says who asked,
 * or for what: that is seen after signing in.
 */
import type { Config } from '../../config.ts'
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, isTrue } from '../../database/scalar.ts'
import type { Payment } from '../../money/payments/payments.ts'
import * as emails from '../../people/users/email-templates.ts'
import { insertMails } from '../../people/users/mail-queue.ts'
import { countWindows } from '../../people/users/rate-limiter.ts'

export interface NoticeSettings extends emails.Sender, Pick<Config, 'mailNoticesTo' | 'payments'> {
  database: Database
}

/** Operators get one mail of a kind in ten minutes, about all that is new then: strangers who ask much don't flood them. */
const APART = { limit: 1, seconds: 600 }

/** Queues the mails about what is new within a day; older things are of a time without a mail server. */
export async function mailNotices(settings: NoticeSettings): Promise<void> {
  const isManual = settings.payments === 'manual'
  await tellOperators(settings, {
    kind: 'orders',
    content: emails.newOrdersEmail(settings),
    find: (sql) => sql`
      select id from payments
       where state = 'open' and mailed_state is null and (usd is null or ${isManual}::boolean)
         and created_at > meter_now() - interval '1 day'`,
    note: (sql) => sql`update payments set mailed_state = 'open'`,
  })
  await tellOperators(settings, {
    kind: 'requests',
    content: emails.newPrivacyRequestsEmail(settings),
    find: (sql) => sql`
      select id from privacy_requests
       where state = 'open' and mailed_at is null
         and coalesce(confirmed_at, asked_at) > meter_now() - interval '1 day'`,
    note: (sql) => sql`update privacy_requests set mailed_at = meter_now()`,
  })
  await tellOwners(settings)
}

interface News {
  kind: 'orders' | 'requests'
  content: ReturnType<typeof emails.newOrdersEmail>
  /** Selects the ids of what is new. */
  find(sql: Connection['sql']): Fragment
  /** The head of the update that notes it as told. */
  note(sql: Connection['sql']): Fragment
}

async function tellOperators(
  { database, mailNoticesTo }: NoticeSettings,
  { kind, content, find, note }: News,
): Promise<void> {
  if (!(await database.use(({ sql }) => isTrue(sql`select exists (${find(sql)})`)))) return
  const to = mailNoticesTo ?? (await confirmedOperators(database))
  if (to.length === 0) return
  const [window] = await countWindows(database, [{ subject: `mail ${kind}`, ...APART }])
  if (!window || window.count > APART.limit) return
  await database.use(
    ({ sql }) => sql`
      with told as (${note(sql)} where id in (${find(sql)}) returning id)
      ${insertMails(sql, to, { kind, ...content })} where exists (select from told)`,
  )
}

async function confirmedOperators(database: Database): Promise<string[]> {
  const operators = await database.use(
    ({ sql }) => sql<{ email: string }[]>`
      select email from users where operator_since is not null and email_verified_at is not null`,
  )
  return operators.map(({ email }) => email)
}

interface DecidedOrder extends Pick<Payment, 'id' | 'kind' | 'item'> {
  state: 'accepted' | 'refused'
  email: string
}

/** Tells who ordered that an operator accepted or refused it. What Stripe collects, it confirms by itself. */
async function tellOwners({ database, ...sender }: NoticeSettings): Promise<void> {
  const decided = await database.use(
    ({ sql }) => sql<DecidedOrder[]>`
      select p.id, p.kind, p.item, p.state, u.email
        from payments p join users u on u.id = p.user_id and u.email_verified_at is not null
       where p.decided_at > meter_now() - interval '1 day' and p.mailed_state is distinct from p.state
         and (p.state = 'accepted' and p.reference is null or p.state = 'refused' and p.refused_by = 'operator')`,
  )
  for (const { id, email, ...order } of decided) {
    const mail = { kind: 'order' as const, ...emails.orderDecidedEmail(sender, order) }
    await database.use(
      ({ sql }) => sql`
        with told as (
          update payments set mailed_state = state
           where id = ${id} and state = ${order.state} and mailed_state is distinct from state returning id
        )
        ${insertMails(sql, [email], mail)} where exists (select from told)`,
    )
  }
}
