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
import text from './settings.md' with { type: 'text' }

/** Name, default ('' where there is none) and description. */
export type Setting = readonly [name: string, byDefault: string, description: string]

/** Settings by group, in the order of `settings.md`. */
export const SETTINGS: Readonly<Record<string, readonly Setting[]>> = Object.fromEntries(
  text
    .split(/^## /m)
    .slice(1)
    .map((group) => {
      const [title = '', ...lines] = group.split('\n')
      const cells = lines
        .filter((line) => /^\| [A-Z]/.test(line))
        .slice(1)
        .map((line) => line.slice(1, -1).split('|'))
      return [
        title,
        cells.map(
          ([name = '', byDefault = '', description = '']): Setting => [
            name.trim(),
            byDefault.trim(),
            description.trim(),
          ],
        ),
      ]
    }),
)

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

type Described = Pick<Config, 'given' | 'dataDir' | 'workers'>

/** Facts that the program knows by itself. */
export function programFacts({ given, dataDir, workers }: Described) {
  return {
    version: API_VERSION,
    commit: COMMIT ?? 'unknown',
    runtime: runtimeName(),
    platform: `${process.platform} ${process.arch}`,
    /** Processes of this service; instances elsewhere that use the same database are not known. */
    workers,
    /** `embedded in ./data`, or the host and the database's name. */
    database: given.DATABASE_URL ?? `embedded in ${dataDir}`,
  }
}

/** The same, with PostgreSQL's version and the last migration that was applied. @throws DatabaseUnavailable */
export async function systemFacts(database: Database, config: Described) {
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
    // The prefix is another program's: OTEL_SERVICE_NAME.
    const isForeign = variable.endsWith(`_${setting}`)
    return setting === undefined || isForeign || environment[setting] ? [] : [{ variable, setting }]
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
