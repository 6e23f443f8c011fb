/** `config`: what is set and what runs, without secrets. */
import type { Command } from 'commander'
import { type SettingNow, settingsNow, systemFacts } from '../operator/settings.ts'
import { subcommand, withDatabase } from './command.ts'

export function registerConfig(program: Command) {
  subcommand(
    program,
    'config',
    'each setting with its value and where it is from, without secrets',
  ).action(
    withDatabase(async ({ config, database }) => {
      const settings = settingsNow(config)
      const system = await systemFacts(database, config)
      const facts = Object.entries(system).map(([name, value]) => `${name.padEnd(24)}${value}`)
      return {
        json: { system, settings },
        text: [...facts, '', ...settings.map(lineOf)].join('\n'),
      }
    }),
  )
}

function lineOf({ name, value, isSet, default: byDefault }: SettingNow): string {
  const said = isSet ? (value ?? 'set') : byDefault === '' ? 'not set' : `${byDefault} (default)`
  return `${name.padEnd(24)}${said}`
}
