/** Explains why a database can't be used: the cause in one line with its cure, and whether it may pass. */
import type postgres from 'postgres'

/** Where a connection goes, as the driver has read it from the URL. */
export type Target = Pick<postgres.ParsedOptions, 'host' | 'port' | 'path' | 'user' | 'database'>

export interface Failure {
  /** The cause and the cure, without a secret. */
  reason: string
  /** True if waiting may help. */
  mayPass: boolean
}

/** An error that the server sent. */
export interface ServerError {
  /** Its SQLSTATE. */
  code: string
  message: string
}

/** The server's own error in one of the driver's, or in one that it caused. */
export function serverErrorIn(error: unknown): ServerError | undefined {
  if (!(error instanceof Error)) return undefined
  // The field that PgBouncer sends as well.
  if ('severity_local' in error && 'code' in error && typeof error.code === 'string') {
    return { code: error.code, message: error.message }
  }
  return serverErrorIn(error.cause)
}

/** The oldest PostgreSQL that the migrations and functions run on. */
export const OLDEST_SERVER = 14

/**
 * Explains an error's code, a SQLSTATE or the system's.
 * @param variable of what the operator may correct the value
 * @returns undefined for codes that say nothing about the database as a whole
 */
export function explainFailure(
  code: string,
  target: Target,
  variable = 'DATABASE_URL',
): Failure | undefined {
  const { path, host, port } = target
  const place = path || `${host[0]}:${port[0]}`
  const server = `the server at ${place}`
  const user = JSON.stringify(target.user)
  const database = JSON.stringify(target.database)
  const lasting = (reason: string): Failure => ({ reason, mayPass: false })
  const passing = (reason: string): Failure => ({ reason, mayPass: true })
  switch (code) {
    case '28P01':
      return lasting(
        `${server} refuses the password of the user ${user} (28P01): correct user and password in ${variable}`,
      )
    case '28000':
      return lasting(
        `${server} doesn't let the user ${user} in this way (28000): create the user, allow the connection in pg_hba.conf, or set another sslmode in ${variable}`,
      )
    case '3D000':
      return lasting(
        `${server} has no database ${database} (3D000): create it with createdb, or correct its name in ${variable}`,
      )
    case '42501':
    case '3F000':
      return lasting(
        `the user ${user} lacks rights on the database ${database} (${code}): make the user its owner, or run "chainkin migrate" as the owner and then what "chainkin grants" prints`,
      )
    case 'ECONNREFUSED':
    case 'ENOENT':
      return passing(
        `no server answers at ${place} (${code}): start it, or correct host and port in ${variable}`,
      )
    case 'ENOTFOUND':
      return lasting(
        `there is no host ${JSON.stringify(host[0])} (ENOTFOUND): correct its name in ${variable}`,
      )
    case 'EAI_AGAIN':
      return passing(
        `the host ${JSON.stringify(host[0])} can't be looked up now (EAI_AGAIN): check the network and its name servers`,
      )
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return passing(
        `${server} doesn't answer (${code}): check the address in ${variable}, the network and firewalls`,
      )
    case '57P03':
      return passing(`${server} is starting or stopping (57P03): wait, or look into its log`)
    case '53300':
      return passing(
        `${server} has no connection left (53300): raise its max_connections, or the limit of the user or the database, or close others`,
      )
    case '53100':
      return passing(`the disk of ${server} is full (53100): free space there`)
    case '53200':
      return passing(`${server} is out of memory (53200): give it more, or close connections`)
    case '25006':
      return passing(
        `the database ${database} at ${place} takes no changes (25006): name the primary in ${variable} if this is a standby, else set default_transaction_read_only = off for the user or the database`,
      )
    case '57P01':
    case '57P02':
      return passing(
        `${server} is being stopped or has crashed (${code}): wait, or look into its log`,
      )
    case 'CONNECTION_CLOSED':
    case 'ECONNRESET':
    case 'EPIPE':
      return passing(`${server} closed the connection (${code}): wait, or look into its log`)
    case 'NO_TLS':
      return lasting(
        `${server} speaks no TLS, which the sslmode in ${variable} demands: switch ssl on there, or set sslmode=prefer`,
      )
  }
  const cure = certificateCure(code, variable)
  return cure === undefined
    ? undefined
    : lasting(`the certificate of ${server} is not accepted (${code}): ${cure}`)
}

/** A server that the driver left because it is no primary. */
export const explainStandby = (
  { path, host, port }: Target,
  variable = 'DATABASE_URL',
): Failure => ({
  reason: `the server at ${path || `${host[0]}:${port[0]}`} is a standby: promote it, or name the primary in ${variable}`,
  mayPass: true,
})

/** Explains any other error with which a server, or a pooler before it, refuses to begin a session. */
export function explainRefusal(
  { code, message }: ServerError,
  { path, host, port }: Target,
  variable = 'DATABASE_URL',
): Failure {
  const cures: Record<string, string> = {
    '08': 'look into its log, and into that of the server behind a pooler',
    '22': `correct options in ${variable}`,
    '42': `correct options in ${variable}`,
    '55': 'allow connections to the database, or wait until they are',
  }
  const cure = cures[code.slice(0, 2)] ?? `look into its log, or correct ${variable}`
  const place = path || `${host[0]}:${port[0]}`
  return {
    reason: `the server at ${place} refuses the connection: ${inOneLine(message)} (${code}): ${cure}`,
    mayPass: /^(08|53|55|57|58|XX)/.test(code),
  }
}

/** Cures of a start's failed statement, by the longest beginning of its SQLSTATE. */
const START_CURES: readonly (readonly [RegExp, string])[] = [
  [
    /^(42P07|42710|42723|42701)/,
    'the database holds tables that are not this program’s: name an empty one',
  ],
  [
    /^(42|3F)/,
    'the database lacks what this program made in it: restore a backup, or name another one',
  ],
  [/^(53|54)/, 'free what the server lacks'],
  [/^(58|XX)/, 'look into the server’s log: its disk or its files may be damaged'],
]
/** Errors whose message may repeat a value: of data, of constraints, and those that functions raise. */
const NAMES_VALUES = /^(22|23|P0)/

/**
 * Explains any other error of a statement with which a program starts.
 * @param variable names the database
 */
export function explainStart({ code, message }: ServerError, variable: string): Failure {
  const [, cure = 'look into the server’s log, and report this line'] =
    START_CURES.find(([codes]) => codes.test(code)) ?? []
  const words = NAMES_VALUES.test(code) ? '' : `: ${inOneLine(message)}`
  const reason = `a statement of the start failed in the database of ${variable}${words} (${code}): ${cure}`
  return { reason, mayPass: false }
}

const inOneLine = (message: string) => message.replaceAll(/\s+/g, ' ').slice(0, 300)

/** The same for the embedded database, to which no `DATABASE_URL` leads. */
export function explainEmbeddedFailure(code: string): Failure | undefined {
  const passing = (reason: string): Failure => ({ reason, mayPass: true })
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return passing(
        `the embedded database does not run (${code}): the server starts it again by itself and logs why; where no server runs, start one`,
      )
    case '53100':
      return passing('the disk is full (53100): free some space on it')
  }
}

/** The cure of a certificate's error, as OpenSSL and Node name them; undefined for other errors. */
function certificateCure(code: string, variable: string): string | undefined {
  if (/ALTNAME|HOSTNAME_MISMATCH/.test(code)) {
    return `set the host in ${variable} to a name that the certificate has, or sslmode=verify-ca`
  }
  if (/EXPIRED|NOT_YET_VALID/.test(code)) return 'renew it there, or correct the clock here'
  return /CERT|SELF_SIGNED|UNABLE_TO_/.test(code)
    ? `name who signed it with sslrootcert in ${variable}`
    : undefined
}

/** Resources (53), lock not available, cancelled, deadlock or serialization (40), read-only after a fail-over. */
const TURNED_AWAY = /^(53|55P03|57014|40|25006)/
const CHECK_VIOLATION = '23514'

/** Words for statements that were turned away, where the code says nothing about the database as a whole. */
const WORDS: Readonly<Record<string, string>> = {
  '40001': 'another transaction changed the same rows',
  '40P01': 'two transactions waited for each other',
  '55P03': 'a lock was held for too long',
  '57014': 'the statement was cancelled',
}

/** A code in words, where there are any. */
export const wordsOf = (code: string): string => (WORDS[code] ? `${WORDS[code]} (${code})` : code)

/**
 * True if the server turned a statement away for a reason that passes. One is a row on its way to the ledger's table for all other
 * times when its month got a table of its own: the bound of a partition is the only check without a name.
 */
export function isTurnedAway(code: string, error: unknown): boolean {
  const named = error instanceof Error && 'constraint_name' in error && error.constraint_name
  return TURNED_AWAY.test(code) || (code === CHECK_VIOLATION && !named)
}

/** Refuses a server that is too old. @param version as its setting `server_version` says it, like `16.4 (Debian)` */
export function explainVersion(version: string): Failure | undefined {
  const [number = ''] = version.split(' ')
  if (Number.parseInt(number, 10) >= OLDEST_SERVER) return undefined
  const reason = `the server is PostgreSQL ${number}, and ${OLDEST_SERVER} is the oldest that will do: upgrade it, or set DATABASE_URL to another`
  return { reason, mayPass: false }
}
