/** The operator's list of privacy requests: what waits, whose record it may be about, and how each ends. */
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { withAsciiHost } from '../../directory/email-address.ts'
import type { RequestKind } from './rules.ts'

/** Times are ISO 8601 in UTC. Once it is closed, `email` and `person` are null. */
export interface PrivacyRequest {
  id: string
  kind: RequestKind
  state: RequestState
  email: string | null
  /** Whether the link of a mail to that address was opened. */
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

/** Somebody of the directory whom a request may be about. */
export interface Candidate {
  id: string
  slug: string | null
  name: string
  company: string | null
  /** Parts of the request that lead to them: the person's description, or the sender's address. */
  foundBy: ('page' | 'handle' | 'profile' | 'name' | 'email')[]
  /** Whether the request's address is the one on file; null where none is on file. */
  isEmailOnFile: boolean | null
}

/** Namesakes that are listed, at most. */
const MAX_CANDIDATES = 50

/**
 * Finds candidates. Channels are compared inside the database and never leave it. @param person description of the person in the
 * request
 */
async function candidatesFor(
  database: Database,
  { person, email }: { person: string | null; email: string | null },
): Promise<Candidate[]> {
  const { page, handle, profile } = namedBy(person ?? '')
  const address = email && withAsciiHost(email)
  return database.use(
    ({ sql }) => sql<Candidate[]>`
      select p.id, p.slug, concat_ws(' ', p.first_name, p.last_name) as name, c.name as company,
             to_json(f.ways) as "foundBy", lower(h.email) = ${address} as "isEmailOnFile"
        from people p
        left join private_channels h on h.person_id = p.id
        left join companies c on c.id = p.company_id
       cross join lateral (select array_remove(array[
         case when lower(${page}) in (p.id::text, p.slug) or p.external_id = ${page} or exists (
                select from redirects m
                 where m.to_id = p.id and (lower(${page}) in (m.id::text, m.slug) or m.external_id = ${page}))
              then 'page' end,
         case when lower(p.twitter_handle) = lower(${handle}) then 'handle' end,
         case when lower(substring(h.linkedin_url from '/in/([^/?#]+)')) = lower(${profile}) then 'profile' end,
         case when folded_name(p.first_name, p.last_name) = folded(${person}) then 'name' end,
         case when lower(h.email) = ${address} then 'email' end], null) as ways) f
       where cardinality(f.ways) > 0
       order by f.ways[1] = 'page' desc, 'email' = any (f.ways) desc, p.id
       limit ${MAX_CANDIDATES}::integer`,
    { deadlineMs: 30_000 },
  )
}

/** Identifiers in a request's text, beside names: an address of a page here, an X handle, a LinkedIn profile. */
function namedBy(person: string) {
  const part = (pattern: RegExp) => pattern.exec(person)?.[1] ?? null
  const page = part(/\/people\/([^/?#\s]+)/) ?? person
  const handle = part(/(?:^@|\b(?:x|twitter)\.com\/@?)(\w{1,15})\b/i)
  const profile = part(/linkedin\.com\/in\/([^/?#\s]+)/i)
  return { page, handle, profile }
}
