/** `config`: what is set and what runs, without secrets; also where there is no database, or none that answers. */
import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { settingWarnings } from '../../console/acts/setting-warnings.ts'
import {
  programFacts,
  type SettingNow,
  settingsNow,
  systemFacts,
} from '../../console/acts/settings.ts'
import { errorCode } from '../../database/client.ts'
import { expectDatabase } from '../../database/data-dir.ts'
import { openDatabase } from '../../database/open.ts'
import { Refusal, type Result, reasonOf, reporting, subcommand } from './command.ts'

const NO_SUCH_TABLE = '42P01'

export function registerConfig(program: Command) {
  subcommand(
    program,
    'config',
    'each setting with its value and where it is from, without secrets',
  ).action(reporting(showConfig))
}

async function showConfig(): Promise<Result> {
  const config = readConfig(process.env)
  const settings = settingsNow(config)
  const warnings = settingWarnings(process.env, config)
  const system = await factsOf(config).catch((error: unknown) => ({
    ...programFacts(config),
    unavailable: reasonOf(error),
  }))
  const facts = Object.entries(system).map(([name, value]) => `${name.padEnd(24)}${value}`)
  const warned = warnings.map(
    ({ message, fields }) => `warning: ${message} ${JSON.stringify(fields)}`,
  )
  const text = [...facts, '', ...settings.map(lineOf), ...warned].join('\n')
  return { json: { system, settings, warnings }, text }
}

/** Changes nothing: makes no database, and no tables. */
async function factsOf(config: Config) {
  if (!config.databaseUrl) expectDatabase(config.dataDir)
  const { database, close } = await openDatabase(config, { skipMigrations: true })
  try {
    return await systemFacts(database, config)
  } catch (error) {
    if (errorCode(error) !== NO_SUCH_TABLE) throw error
    throw new Refusal('the database is empty: the first start makes its tables')
  } finally {
    await close()
  }
}

function lineOf({ name, value, isSet, default: byDefault }: SettingNow): string {
  const said = isSet ? (value ?? 'set') : byDefault === '' ? 'not set' : `${byDefault} (default)`
  return `${name.padEnd(24)}${said}`
}
