/** The operator's list of privacy requests: what waits, whose record it may be about, and how each ends. */
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { type Candidate, candidatesFor } from './candidates.ts'
import type { RequestKind } from './rules.ts'

/** Times are ISO 8601 in UTC. Once it is closed, `email` and `person` are null. */
export interface PrivacyRequest {
  id: string
  kind: RequestKind
  state: RequestState
  email: string | null
  /** True if the link of a mail to that address was opened. */
  isConfirmed: boolean
  person: string | null
  askedAt: string
  closedAt: string | null
  reason: string | null
  /** Null once it is closed. */
  deadlines: { eu: Deadline; california: Deadline } | null
}

/** `daysLeft` is of whole days; below zero it is late. */
interface Deadline {
  dueAt: string
  daysLeft: number
}

export const REQUEST_STATES = ['open', 'done', 'refused'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

export interface ShownRequest extends PrivacyRequest {
  details: string | null
  people: Candidate[]
}

interface Row extends Omit<ShownRequest, 'deadlines' | 'people'> {
  euDueAt: string
  euDaysLeft: number
  californiaDueAt: string
  californiaDaysLeft: number
}

/** The oldest first; those that nobody has confirmed are not among them. @param id only this one */
async function readRequests(
  database: Database,
  { state = null, id = null }: { state?: RequestState | null; id?: string | null },
): Promise<Omit<ShownRequest, 'people'>[]> {
  const rows = await database.use(
    ({ sql }) => sql<Row[]>`
      select q.id, q.kind, q.state, q.email, q.confirmed_at is not null as "isConfirmed", q.person, q.details,
             q.asked_at as "askedAt", q.closed_at as "closedAt", q.reason,
             d.eu as "euDueAt", floor(extract(epoch from d.eu - d.now) / 86400)::integer as "euDaysLeft",
             d.california as "californiaDueAt",
             floor(extract(epoch from d.california - d.now) / 86400)::integer as "californiaDaysLeft"
        from privacy_requests q
       cross join lateral (
         select (q.asked_at at time zone 'UTC' + interval '1 month') at time zone 'UTC' as eu,
                q.asked_at + interval '45 days' as california, meter_now() as now) d
       where q.state <> 'unconfirmed' and q.state = coalesce(${state}::text, q.state)
         and q.id = coalesce(${id}::uuid, q.id)
       order by q.asked_at, q.id`,
  )
  return rows.map((row) => {
    const { euDueAt, euDaysLeft, californiaDueAt, californiaDaysLeft, ...request } = row
    const deadlines = {
      eu: { dueAt: euDueAt, daysLeft: euDaysLeft },
      california: { dueAt: californiaDueAt, daysLeft: californiaDaysLeft },
    }
    return { ...request, deadlines: request.closedAt === null ? deadlines : null }
  })
}

/** Everybody's requests, the oldest first; those that nobody has confirmed are none yet. */
export async function listRequests(
  database: Database,
  state?: RequestState,
): Promise<PrivacyRequest[]> {
  const requests = await readRequests(database, { state: state ?? null })
  return requests.map(({ details: _, ...request }) => request)
}

/** One request, and whom it may be about. @returns undefined where there is none */
export async function showRequest(
  database: Database,
  id: string,
): Promise<ShownRequest | undefined> {
  const [request] = await readRequests(database, { id })
  if (!request) return undefined
  const people = request.closedAt === null ? await candidatesFor(database, request) : []
  return { ...request, people }
}

/** The expression that closes an open request: null where it is not open. @param reason why it is refused; null where it is done */
export const closeCall = (
  sql: Connection['sql'],
  request: string,
  reason: string | null,
): Fragment => sql`privacy_close(${request}, ${reason}::text)`
