/**
 * The settings and what they are set to, as `serve --help`, `config` and the operator's page name them: all that `src/config.ts` reads
 * (`test/documents.test.ts` compares the two).
 */

import { isIP } from 'node:net'
import { COMMIT } from '../../commit.ts'
import { type Config, type Environment, isSecret, mayBeFile } from '../../config.ts'
import { API_VERSION } from '../../contract/version.ts'
import type { Database } from '../../database/client.ts'
import { droppedParameters } from '../../database-url.ts'
import { Columns } from '../../intake/import/column-meanings.ts'

/** Name, default ('' where there is none) and description. */
export type Setting = readonly [name: string, byDefault: string, description: string]

export const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  'The database': [
    [
      'DATABASE_URL',
      '',
      'a PostgreSQL, 14 or newer, of one host or several; without it the embedded database',
    ],
    ['DATABASE_READ_URL', '', 'a standby of that PostgreSQL, from which the directory is loaded'],
    ['DATABASE_WAIT_SECONDS', '30', 'how long a start waits for that PostgreSQL'],
    ['DATA_DIR', './data', 'where the embedded database keeps its files'],
    [
      'LEDGER_MONTHS',
      '',
      'how many months of the ledger stay in the database when ledger archive is run; nothing runs it by itself',
    ],
  ],
  'Where it answers': [
    ['HOST', '127.0.0.1', 'the address of all listeners'],
    ['PORT', '3000', 'the port of the API; 0 takes a free port'],
    ['APP_PORT', '3001', 'the port of the pages and of /health/ready; 0 takes a free port'],
    ['BASE_URL', "the listener's", 'the public address of the API'],
    ['APP_URL', "the listener's", 'the public address of the application'],
    ['TRUSTED_PROXIES', '', 'addresses or networks whose X-Forwarded-For counts'],
    ['CORS_ORIGINS', '', 'origins that browsers may call from, or *'],
    ['WORKERS', '1', 'processes that share the ports, or auto; --workers goes first'],
    ['SERVICE_NAME', 'Chainkin', "the service's name"],
  ],
  'How it is watched and stopped': [
    ['LOG_LEVEL', 'info', 'what is logged: debug, info, warn, error or silent'],
    [
      'ACCESS_LOG',
      '',
      'a file for a JSON line of each request, without keys, ids and values; - is stderr',
    ],
    [
      'REQUEST_LOG',
      'on',
      'REQUEST_LOG=off keeps none of the latest 1,000 calls of an account for its page Requests',
    ],
    ['METRICS_PORT', '', 'the port of a metrics page, for Prometheus'],
    ['MAX_LAG', '10', 'seconds behind the database from which /health/ready says 503'],
    [
      'DRAIN_SECONDS',
      '5',
      'how long SIGTERM lets it answer on while /health/ready says 503; a second one, over a second later, ends it at once',
    ],
  ],
  Backups: [
    [
      'BACKUP_DIR',
      '',
      'the directory for backups, which the service makes by itself; without it none is made',
    ],
    ['BACKUP_EVERY', '24h', 'how often a backup is made: 90m, 6h, 7d'],
    ['BACKUP_KEEP', '14', 'how many backups stay, the newest'],
  ],
  'People and mail': [
    ['SMTP_URL', '', 'where mails are handed over; without it none is sent'],
    ['MAIL_FROM', '', 'who mails are from; goes with SMTP_URL'],
    [
      'MAIL_NOTICES_TO',
      'all operators',
      'addresses that are told of orders and privacy requests that wait, or none',
    ],
    ['PRIVACY_CONTACT', '', 'who answers for the directory, as /privacy names them'],
    ['PRIVACY_SOURCES', '', 'where the records of the directory are from, as /privacy says it'],
    [
      'PICTURE_NETWORKS',
      '',
      'networks beside the public internet from which image refresh may fetch',
    ],
    ['PAGES_PER_MINUTE', '60', 'pages of the directory that an account may read in a minute'],
    ['PAGES_PER_DAY', '1000', 'pages of the directory that an account may read in a day'],
  ],
  'Credits and payments': [
    ['TRIAL_CREDITS', '250', 'credits that a new person gets, for 7 days'],
    ['REFERRAL_CREDITS', '250', 'credits that each side of a referral gets'],
    ['REFERRAL_HOLD_DAYS', '120', 'days from a payment until it rewards its referral'],
    ['REFERRALS_PER_MONTH', '20', 'referrals that reward one account in a month'],
    [
      'PAYMENTS',
      'manual',
      'how payments are collected: manual, or stripe, which needs the two keys below',
    ],
    ['STRIPE_SECRET_KEY', '', 'the secret or restricted key of Stripe: sk_… or rk_…'],
    ['STRIPE_WEBHOOK_SECRET', '', 'the secret that signs events of Stripe: whsec_…'],
    ['STRIPE_URL', "Stripe's", 'another address of the API of Stripe, for tests'],
  ],
}

/** A setting as it is now. */
export interface SettingNow {
  group: string
  name: string
  /** Configured value; null for a secret or if it isn't set. URLs come without user, password and parameters. */
  value: string | null
  isSet: boolean
  isSecret: boolean
  /** Default value; '' if there is none. */
  default: string
  description: string
}

/** Every setting, in the order of `serve --help`. No secret is in it. */
export function settingsNow({ given }: Pick<Config, 'given'>): SettingNow[] {
  return Object.entries(SETTINGS).flatMap(([group, settings]) =>
    settings.map(([name, byDefault, description]) => {
      const setting = given[name]
      const [value, hidden] = [setting ?? null, isSecret(name)]
      const fields = { group, name, value, isSet: name in given, isSecret: hidden }
      return { ...fields, default: byDefault, description }
    }),
  )
}

/** Facts that the program knows by itself. */
interface ProgramFacts {
  /** Version of the program. */
  version: string
  /** Git commit, if known. */
  commit: string
  /** `Bun 1.4.5`, `Deno 2.5.0` */
  runtime: string
  /** `linux x64` */
  platform: string
  /** Processes of this service; instances elsewhere that use the same database are not known. */
  workers: number
  /** `embedded in ./data`, or the host and the database's name. */
  database: string
}

/** The same with facts of the database. */
export interface SystemFacts extends ProgramFacts {
  /** `PostgreSQL 17.5` */
  postgres: string
  /** The last migration that was applied. */
  schema: string
}

type Described = Pick<Config, 'given' | 'dataDir' | 'workers'>

export function programFacts({ given, dataDir, workers }: Described): ProgramFacts {
  return {
    version: API_VERSION,
    commit: COMMIT ?? 'unknown',
    runtime: runtimeName(),
    platform: `${process.platform} ${process.arch}`,
    workers,
    database: given.DATABASE_URL ?? `embedded in ${dataDir}`,
  }
}

/** @throws DatabaseUnavailable */
export async function systemFacts(database: Database, config: Described): Promise<SystemFacts> {
  const [row] = await database.use(
    ({ sql }) => sql<{ postgres: string; schema: string }[]>`
      select split_part(version(), ' (', 1) as postgres,
             (select max(name) from chainkin_migrations) as schema`,
  )
  return {
    ...programFacts(config),
    postgres: row?.postgres.split(' on ')[0] ?? '',
    schema: row?.schema ?? '',
  }
}

function runtimeName(): string {
  const { deno, bun, node } = process.versions
  if (bun) return `Bun ${bun}`
  return deno ? `Deno ${deno}` : `Node ${node}`
}

interface SettingWarning {
  message: string
  fields: Record<string, unknown>
}

const NAMES = Object.values(SETTINGS).flatMap((group) => group.map(([name]) => name))

/** Wrong names of settings that no other program's variables have. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  BACKUP_DIR: ['BACKUP_DIRECTORY'],
  STRIPE_SECRET_KEY: ['STRIPE_KEY', 'STRIPE_API_KEY'],
}

export function settingWarnings(environment: Environment, config: Config): SettingWarning[] {
  const parameters = droppedParameters(config)
  return [
    ...misspeltSettings(environment).map((fields) => ({
      message: `${fields.variable} is not a setting. Did you mean ${fields.setting}?`,
      fields,
    })),
    ...plainListeners(config),
    ...(parameters.length > 0
      ? [{ message: 'parameters of DATABASE_URL change nothing here', fields: { parameters } }]
      : []),
  ]
}

/** Variables whose name is nearly that of a setting, where that one is not set. */
function misspeltSettings(environment: Environment): { variable: string; setting: string }[] {
  const files = NAMES.filter(mayBeFile).map((name) => `${name}_FILE`)
  const names = [...NAMES, ...files]
  const columns = new Columns(new Map(names.map((name) => [name, ALIASES[name] ?? []])))
  return Object.keys(environment).flatMap((variable) => {
    const setting = names.includes(variable) ? undefined : columns.likely(variable)
    return setting === undefined || environment[setting] ? [] : [{ variable, setting }]
  })
}

/** Listeners that other machines reach, though nothing says that a proxy with https is in front of them. */
function plainListeners({ host, baseUrl, appUrl, trustedProxies }: Config): SettingWarning[] {
  const isLocal =
    host === 'localhost' || host === '::1' || (isIP(host) === 4 && /^127\./.test(host))
  if (isLocal) return []
  const expected = [
    ...(baseUrl?.startsWith('https:') ? [] : ['BASE_URL: the https address of the API']),
    ...(appUrl?.startsWith('https:') ? [] : ['APP_URL: the https address of the application']),
    ...(trustedProxies.rules.length > 0 ? [] : ['TRUSTED_PROXIES: the address of the proxy']),
  ]
  if (expected.length === 0) return []
  const message =
    'Other machines reach HOST, and no proxy with https is set in front of it: keys and passwords can be read on the way.'
  return [{ message, fields: { host, expected, example: 'chainkin print caddy' } }]
}
