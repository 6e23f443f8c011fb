/** One of several servers: how it is asked what it is, and what it said (`servers.ts`). */
import type { Socket } from 'node:net'
import { partsOfUrl } from '../database-url.ts'
import { connect, type Database, DatabaseUnavailable, errorCode } from './client.ts'
import type { Target } from './failures.ts'
import type { Transport } from './tls.ts'

/** How long a server may take to say what it is. */
const DEADLINE_MS = 1_000
/** pg_hba.conf has no line for this kind of connection; the transport then tries the other kind, where it may. */
const TURNED_AWAY = '28000'

/** What a server says of itself. */
interface Facts {
  isStandby: boolean
  isReadOnly: boolean
  /** Which history of changes a primary writes; of a standby the latest that it is known to have received, or an earlier one. */
  timeline: number
  /** Since when it runs, in seconds since the epoch: by it one server is known that has two names. */
  runsSince: number
  /** Which database cluster it has a copy of. */
  system: string
}

export interface Server {
  /** `host:port`, for messages. */
  place: string
  target: Target
  transport: Transport
  /** The connection that asks. */
  asking: Database
  /** What it said last, or why it did not; undefined before its first answer. */
  latest: Facts | DatabaseUnavailable | undefined
  /** The sockets of everybody's connections to it. */
  sockets: Set<Socket>
  /** Asks it now. */
  wake: () => void
}

export type AnsweringServer = Server & { latest: Facts }

export function serverAt({ url, transport }: { url: string; transport: Transport }): Server {
  const { host, port, path, user, database } = partsOfUrl(url)
  return {
    place: path || `${new URL(url).hostname}:${port}`,
    target: { host: [host], port: [port], path, user, database },
    transport,
    asking: connect({ url, transport, connections: 1, deadlineMs: DEADLINE_MS }),
    latest: undefined,
    sockets: new Set(),
    wake: () => {},
  }
}

export const hasAnswered = (server: Server): server is AnsweringServer =>
  server.latest !== undefined && !(server.latest instanceof DatabaseUnavailable)

export const isPrimary = (server: Server): server is AnsweringServer =>
  hasAnswered(server) && !server.latest.isReadOnly

/** Whether both are one server, which has two names or addresses. */
export const isSame = ({ latest: a }: AnsweringServer, { latest: b }: AnsweringServer) =>
  a.system === b.system && a.runsSince === b.runsSince

export const systemOf = (latest: Server['latest']) =>
  latest instanceof DatabaseUnavailable ? undefined : latest?.system

export async function ask(asking: Database): Promise<Facts | DatabaseUnavailable> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await asking.use(async ({ sql }) => {
        const [facts] = await sql.unsafe<Facts[]>(FACTS)
        if (!facts) throw new DatabaseUnavailable('no row')
        return facts
      })
    } catch (error) {
      if (isFirst && errorCode(error) === TURNED_AWAY) continue
      if (error instanceof DatabaseUnavailable) return error
      return new DatabaseUnavailable('it does not say what it is', { cause: error })
    }
  }
}

/**
 * The checkpoint's timeline is the earlier one for a while after a promotion: that of the log is written now. A standby tells no user
 * what it receives, and everybody what it had when it last wrote down how far it is.
 */
const FACTS = `
  select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when pg_is_in_recovery()
      then greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery()))
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
    extract(epoch from pg_postmaster_start_time())::float8 as "runsSince",
    (select system_identifier::text from pg_control_system()) as system`

/**
 * What a server is that is not taken as the primary, for a message.
 * @param system of the primary that was seen last. @param timeline the highest that was seen
 */
export function stateOf(
  { latest }: Server,
  { system, timeline }: { system: string | undefined; timeline: number },
): string {
  if (!latest) return 'was not asked'
  if (latest instanceof DatabaseUnavailable) {
    return `does not answer: ${errorCode(latest) ?? 'too slow'}`
  }
  if (latest.isStandby) return 'is a standby'
  if (latest.isReadOnly) return 'is read-only'
  return system === undefined || system === latest.system
    ? `was replaced: it is of timeline ${latest.timeline}, and ${timeline} was seen`
    : 'is no copy of the same database'
}
