/** The log of requests as an account sees it: its latest calls, and how many there were on each day. */
import type { Database } from '../../database/client.ts'
import { callsOf, type LoggedCall } from './request-line.ts'
import { KEPT_CALLS } from './request-log.ts'

export interface RequestEntry extends Omit<LoggedCall, 'afterMs'> {
  /** When it ended, ISO 8601 in UTC, by the database's clock. */
  at: string
  key: { id: string; prefix: string; label: string }
}

/** Classes of status that requests are filtered by. */
export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

export function statusClassOf({ status }: Pick<LoggedCall, 'status'>): StatusClass {
  if (status >= 500) return '5xx'
  return status >= 400 ? '4xx' : '2xx'
}

export interface RequestFilter {
  status?: StatusClass | undefined
  /** A key's id. */
  key?: string | undefined
  path?: string | undefined
}

/** The account's calls that the log keeps, newest first. At most `KEPT_CALLS`. */
export async function requestsOf(database: Database, accountId: string): Promise<RequestEntry[]> {
  const chunks = await database.use(
    ({ sql }) => sql<
      { beganAt: string; id: string; prefix: string; label: string; calls: string }[]
    >`
      select c.began_at as "beganAt", c.key_id as id, coalesce(k.prefix, '') as prefix,
             coalesce(k.label, '') as label, c.calls
        from request_chunks c left join api_keys k on k.id = c.key_id
       where c.account_id = ${accountId}
       order by c.sequence desc limit ${KEPT_CALLS}::integer`,
  )
  return entriesOf(chunks).slice(0, KEPT_CALLS)
}

/** Calls of chunks, newest first. */
export function entriesOf(
  chunks: readonly { beganAt: string; id: string; prefix: string; label: string; calls: string }[],
): RequestEntry[] {
  const entries = chunks.flatMap(({ beganAt, calls, ...key }) => {
    const beganMs = Date.parse(beganAt)
    // From the last line to the first, so that calls of one millisecond stay in their order.
    return callsOf(calls)
      .reverse()
      .map(({ afterMs, ...call }) => ({ endedMs: beganMs + afterMs, call, key }))
  })
  return entries
    .sort((one, other) => other.endedMs - one.endedMs)
    .map(({ endedMs, call, key }) => ({ ...call, at: new Date(endedMs).toISOString(), key }))
}

/** Returns a test of entries against the filter. */
export function isAskedFor({ status, key, path }: RequestFilter): (entry: RequestEntry) => boolean {
  return (entry) =>
    (status === undefined || statusClassOf(entry) === status) &&
    (key === undefined || entry.key.id === key) &&
    (path === undefined || entry.path === path)
}

export interface DayOfCalls {
  /** `YYYY-MM-DD`, in UTC. */
  day: string
  charged: number
  free: number
  refused: number
  failed: number
}
