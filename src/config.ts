/** The environment, read once into frozen, checked values. Nothing starts on a wrong value. */
import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { availableParallelism } from 'node:os'
import {
  type Parse,
  parseAddress,
  parseHost,
  parseMailAddresses,
  parseNetworks,
  parseOrigins,
  urlOf,
  wholeFrom,
  wholeUpTo,
  withoutCredentials,
} from './config-parsers.ts'
import { problemsOfDatabaseUrls, urlOfEachHost } from './database-url.ts'
import { DURATION_EXPECTED, secondsOf } from './duration.ts'
import { CAN_SHARE_PORTS } from './runtime.ts'
import { ConfigError } from './start-errors.ts'

export { ConfigError }

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const PAYMENT_MODES = ['manual', 'stripe'] as const
export type PaymentMode = (typeof PAYMENT_MODES)[number]

/** Most processes of one `serve`. */
const MAX_WORKERS = 64
export const WORKERS_EXPECTED = `a whole number from 1 to ${MAX_WORKERS}, or auto`

/** Variables that may hold a secret: a wrong value is never repeated in a message, and it may stand in a file. */
const SECRET = /^(DATABASE_(READ_)?URL|SMTP_URL|STRIPE_\w*(KEY|SECRET))$/
export const mayBeFile = (name: string): boolean => SECRET.test(name)

/** True for a variable that is a secret as a whole, of which only "set" or "not set" is shown. */
export const isSecret = (name: string): boolean => SECRET.test(name) && !name.endsWith('_URL')

export type Environment = Readonly<Record<string, string | undefined>>

export type Config = ReturnType<typeof readConfig>

/**
 * A variable that may hold a secret, or the content of the file that `NAME_FILE` names, as with Docker's secrets and systemd's
 * credentials. Errors never contain the content.
 * @throws ConfigError
 */
export function readSecret(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim()
  const file = environment[`${name}_FILE`]?.trim()
  if (!file) return value
  if (value) throw new ConfigError([`${name}, ${name}_FILE: expected one of them, got both`])
  const got = (what: string) =>
    new ConfigError([`${name}_FILE: expected a file that holds ${name}, ${file} ${what}`])
  let content: string
  try {
    content = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const isCoded = error instanceof Error && 'code' in error
    throw got(`can't be read (${isCoded ? error.code : 'unknown error'})`)
  }
  if (content === '') throw got('is empty')
  return content
}

/** Reads the environment. @throws ConfigError naming each wrong value and what was expected. */
export function readConfig(environment: Environment) {
  const reader = readerOf(environment)
  const config = Object.freeze({
    /** Variables that are set, as they may be shown: no secrets, and addresses without user and password. */
    given: reader.given,
    ...databaseSettings(reader),
    ...listenerSettings(reader),
    ...limitSettings(reader),
    ...mailSettings(reader),
    ...paymentSettings(reader),
    ...fileSettings(reader),
  })
  const problems = [...reader.problems, ...contradictions(config, environment)]
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

type Reader = ReturnType<typeof readerOf>

/** Functions that read a variable each. Wrong values are collected as `problems`, and the fallback stands in for them. */
function readerOf(environment: Environment) {
  const problems: string[] = []
  const given: Record<string, string | undefined> = {}

  function textOf(name: string): string | undefined {
    if (!mayBeFile(name)) return environment[name]?.trim()
    try {
      return readSecret(environment, name)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(error.message)
    }
  }

  /** An empty variable counts as unset. */
  function read<T>(name: string, fallback: T, expected: string, parse: Parse<T>): T {
    const value = textOf(name)
    if (!value) return fallback
    const parsed = parse(value)
    if (parsed !== undefined) {
      given[name] = isSecret(name) ? undefined : withoutCredentials(value)
      return parsed
    }
    const shown = SECRET.test(name) ? 'the value given' : JSON.stringify(value)
    problems.push(`${name}: expected ${expected}, got ${shown}`)
    return fallback
  }

  const networks = (name: string) =>
    read(
      name,
      new BlockList(),
      'IP addresses or networks like 10.0.0.0/8, separated by commas',
      parseNetworks,
    )
  const optional = (name: string, expected: string, parse: Parse<string>) =>
    read<string | undefined>(name, undefined, expected, parse)

  const text = (name: string, expected: string, pattern: RegExp) =>
    optional(name, expected, (value) => (pattern.test(value) ? value : undefined))

  const url = (name: string) => optional(name, 'an http or https URL', parseAddress)

  const choice = <T extends string>(name: string, fallback: T, choices: readonly T[]) => {
    const find = (value: string) => choices.find((each) => each === value)
    return read(name, fallback, `one of ${choices.join(', ')}`, find)
  }

  const port = (name: string, fallback: number) =>
    read(name, fallback, 'a port from 0 to 65535', wholeUpTo(65_535))

  const count = (name: string, fallback: number, max = 1_000_000) =>
    read(name, fallback, `a whole number from 0 to ${max}`, wholeUpTo(max))

  return { given, problems, read, networks, optional, text, url, choice, port, count }
}

const databaseSettings = ({ read, optional }: Reader) => ({
  /** A PostgreSQL to use; absent means the embedded database in `dataDir`. */
  databaseUrl: optional(
    'DATABASE_URL',
    'a URL like postgres://user:password@host:5432/database, with %25 for a % and %2F for a / of a password',
    (value) => (urlOfEachHost(value) ? value : undefined),
  ),
  /** A standby from which the directory is loaded; absent means the primary. */
  databaseReadUrl: optional(
    'DATABASE_READ_URL',
    'a URL like postgres://user:password@host:5432/database, of one host',
    (value) => (urlOfEachHost(value)?.length === 1 ? value : undefined),
  ),
  /** Seconds that a start waits for PostgreSQL. */
  databaseWaitSeconds: read(
    'DATABASE_WAIT_SECONDS',
    30,
    'a whole number from 0 to 3600',
    wholeUpTo(3_600),
  ),
  dataDir: read('DATA_DIR', './data', 'a directory', String),
})

const listenerSettings = ({ read, text, url, networks, port, choice }: Reader) => ({
  /** Seconds that the directory may be behind the database before the server is unready. */
  maxLagSeconds: read('MAX_LAG', 10, 'a whole number from 1 to 86400', wholeFrom(1, 86_400)),
  /** Seconds for which a server answers on after SIGTERM. */
  drainSeconds: read('DRAIN_SECONDS', 5, 'a whole number from 0 to 300', wholeUpTo(300)),
  host: read('HOST', '127.0.0.1', 'an IP address or host name', parseHost),
  /** TCP ports, 0 to 65535; 0 takes a free one. */
  port: port('PORT', 3000),
  appPort: port('APP_PORT', 3001),
  /** Port of the metrics page; absent means no page. */
  metricsPort: read<number | undefined>(
    'METRICS_PORT',
    undefined,
    'a port from 0 to 65535',
    wholeUpTo(65_535),
  ),
  /** Processes of one `serve` that share these ports. */
  workers: read('WORKERS', 1, WORKERS_EXPECTED, parseWorkers),
  /** Public addresses without a trailing slash; absent means the listener's own. */
  baseUrl: url('BASE_URL'),
  appUrl: url('APP_URL'),
  serviceName: text('SERVICE_NAME', 'a name of 1 to 80 characters', /^.{1,80}$/s) ?? 'Chainkin',
  /** Proxies whose `X-Forwarded-For` counts. */
  trustedProxies: networks('TRUSTED_PROXIES'),
  /** Networks of picture hosts beside the public internet. */
  pictureNetworks: networks('PICTURE_NETWORKS'),
  /** Origins that get CORS headers; `*` means any. */
  corsOrigins: read<readonly string[]>(
    'CORS_ORIGINS',
    [],
    'origins like https://example.com, separated by commas, or *',
    parseOrigins,
  ),
  logLevel: choice('LOG_LEVEL', 'info', LOG_LEVELS),
})

const limitSettings = ({ count }: Reader) => ({
  /** Credits of a new account's trial, and of a referral to each side; 0 gives none. */
  trialCredits: count('TRIAL_CREDITS', 250),
  referralCredits: count('REFERRAL_CREDITS', 250),
  /** Pages of the directory that an account may read. */
  pages: Object.freeze({
    perMinute: count('PAGES_PER_MINUTE', 60),
    perDay: count('PAGES_PER_DAY', 1_000),
  }),
  /** Days after which a payment can't be taken back (120 for cards), and an account's most rewards in a month. */
  referrals: Object.freeze({
    holdDays: count('REFERRAL_HOLD_DAYS', 120, 3_650),
    perMonth: count('REFERRALS_PER_MONTH', 20),
  }),
})

const mailSettings = ({ read, text, optional }: Reader) => ({
  /** The mail server and the sender. Both or neither. */
  smtpUrl: optional(
    'SMTP_URL',
    'a URL like smtps://user:password@host:465',
    urlOf(/^smtps?:\/\/./),
  ),
  mailFrom: text(
    'MAIL_FROM',
    'an address, like mail@example.com or Name <mail@example.com>',
    /^([^<>@]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
  ),
  /** Addresses that are mailed when something waits for an operator; absent means all operators with a confirmed address. */
  mailNoticesTo: read<readonly string[] | undefined>(
    'MAIL_NOTICES_TO',
    undefined,
    'addresses like mail@example.com, separated by commas, or none',
    parseMailAddresses,
  ),
  /** The controller and the sources of records, for `/privacy`. */
  privacy: Object.freeze({
    contact: text('PRIVACY_CONTACT', 'a text of 1 to 500 characters', /^.{1,500}$/s),
    sources: text('PRIVACY_SOURCES', 'a text of 1 to 2000 characters', /^.{1,2000}$/s),
  }),
})

const paymentSettings = ({ choice, text, url }: Reader) => ({
  payments: choice('PAYMENTS', 'manual', PAYMENT_MODES),
  /** Required where `payments` is `stripe`. */
  stripeSecretKey: text('STRIPE_SECRET_KEY', 'a key that begins with sk_ or rk_', /^[sr]k_\w+$/),
  stripeWebhookSecret: text(
    'STRIPE_WEBHOOK_SECRET',
    'a secret that begins with whsec_',
    /^whsec_\S+$/,
  ),
  /** Address of Stripe's API, for tests. */
  stripeUrl: url('STRIPE_URL'),
})

const fileSettings = ({ read, choice, optional }: Reader) => ({
  /** True keeps the latest calls of each account for its Requests page. */
  requestLog: choice('REQUEST_LOG', 'on', ['on', 'off']) === 'on',
  /** A file with a line for each request; `-` is standard error, absent: none. */
  accessLog: optional('ACCESS_LOG', 'a file, or -', String),
  /** Backups that a server makes by itself, into a directory, of which so many stay; without one it makes none. */
  backups: Object.freeze({
    dir: optional('BACKUP_DIR', 'a directory', String),
    everySeconds: read('BACKUP_EVERY', 86_400, DURATION_EXPECTED, secondsOf),
    keep: read('BACKUP_KEEP', 14, 'a whole number from 1 to 10000', wholeFrom(1, 10_000)),
  }),
  /** Whole months of the ledger that `ledger archive` leaves in the database; absent means that `--before` is required. */
  ledgerMonths: read<number | undefined>(
    'LEDGER_MONTHS',
    undefined,
    'a whole number from 1 to 1200',
    wholeFrom(1, 1_200),
  ),
})

type Settings = ReturnType<typeof databaseSettings> &
  ReturnType<typeof listenerSettings> &
  ReturnType<typeof mailSettings> &
  ReturnType<typeof paymentSettings> &
  ReturnType<typeof fileSettings>

/** Values that are right by themselves and wrong together. */
function contradictions(config: Settings, environment: Environment): string[] {
  const problems = problemsOfDatabaseUrls(config)
  if (config.port === config.appPort && config.port !== 0) {
    problems.push(`APP_PORT: expected a port other than PORT, got ${config.appPort} for both`)
  }
  if (config.metricsPort && [config.port, config.appPort].includes(config.metricsPort)) {
    problems.push(`METRICS_PORT: expected a port of its own, got ${config.metricsPort}`)
  }
  if (!config.backups.dir && (environment.BACKUP_EVERY || environment.BACKUP_KEEP)) {
    problems.push('BACKUP_DIR: expected with BACKUP_EVERY and BACKUP_KEEP')
  }
  if ((config.smtpUrl === undefined) !== (config.mailFrom === undefined)) {
    problems.push('SMTP_URL, MAIL_FROM: expected both or neither')
  }
  if (config.payments === 'stripe' && !(config.stripeSecretKey && config.stripeWebhookSecret)) {
    problems.push('PAYMENTS: stripe expects STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET')
  }
  return problems
}

/** `auto` is one for each core, where processes can share a port. */
export function parseWorkers(value: string): number | undefined {
  const cores = CAN_SHARE_PORTS ? Math.min(availableParallelism(), MAX_WORKERS) : 1
  return value === 'auto' ? cores : wholeUpTo(MAX_WORKERS)(value) || undefined
}

/** A URL of a listener. One on every address is reached at localhost. */
export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`
}
