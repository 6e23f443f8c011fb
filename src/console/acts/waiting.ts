/** Counts of orders, privacy requests and mails that wait, for the first page, metrics and `doctor`. */
import type { Database } from '../../database/client.ts'
import type { MailReason } from '../../people/users/mail.ts'

/** Mails of one state and reason. */
export interface MailCount {
  /** Given up within the last day; else they wait. */
  isGivenUp: boolean
  /** Null before the first try. */
  reason: MailReason | null
  /** One of the codes that they failed with. */
  code: string | null
  count: number
  /** When the oldest was written. ISO 8601 in UTC. */
  since: string
}

export interface WaitingCounts {
  /** Orders that an operator accepts or refuses. */
  ordersAtOperator: number
  /** Orders whose owner is to pay at the payment provider. */
  ordersAtProvider: number
  /** Requests of people about their own data. */
  privacyRequests: number
  mails: MailCount[]
}

export async function waitingCounts(database: Database): Promise<WaitingCounts> {
  const [counts] = await database.use(
    ({ sql }) => sql<Omit<WaitingCounts, 'mails'>[]>`
      select count(*) filter (where checkout is null)::integer as "ordersAtOperator",
             count(checkout)::integer as "ordersAtProvider",
             (select count(*)::integer from privacy_requests where state = 'open') as "privacyRequests"
        from payments where state = 'open'`,
  )
  if (!counts) throw new Error('A statement of one row gave none')
  return { ...counts, mails: await mailCounts(database) }
}

export const mailCounts = (database: Database): Promise<MailCount[]> =>
  database.use(
    ({ sql }) => sql<MailCount[]>`
      select gave_up_at is not null as "isGivenUp", reason, max(code) as code, count(*)::integer as count,
             min(created_at) as since
        from mails group by 1, 2 order by 1, 2`,
  )
