/** Likely mistakes in settings whose values are all allowed: `serve` logs them when it starts, and `config` prints them. */
import { isIP } from 'node:net'
import { type Config, type Environment, mayBeFile } from '../../config.ts'
import { droppedParameters } from '../../database-url.ts'
import { Columns } from '../../intake/import/column-meanings.ts'
import { SETTINGS } from './settings.ts'

export interface SettingWarning {
  message: string
  fields: Record<string, unknown>
}

const NAMES = Object.values(SETTINGS).flatMap((group) => group.map(([name]) => name))

/** Names with other names that nobody else's variables have. */
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

/** Variables that are nearly named as a setting that is not set, each with that. Those of other programs are not. */
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
