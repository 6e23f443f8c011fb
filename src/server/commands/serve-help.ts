/** The settings, as `serve --help` names them. */
import { Help } from 'commander'
import { SETTINGS, type Setting } from '../../console/acts/settings.ts'

const WIDTH = 100
const NAME_WIDTH = 24

/** A paragraph for each group, a line or two for each setting. */
export function settingsText(): string {
  const groups = Object.entries(SETTINGS).map(
    ([group, settings]) => `${group}:\n${settings.map(lineOf).join('\n')}`,
  )
  return `
Settings are variables of the environment; a wrong value is named at the start.
DATABASE_URL, DATABASE_READ_URL, SMTP_URL and the keys of Stripe may stand in files:
STRIPE_SECRET_KEY_FILE=/run/secrets/stripe names one.

${groups.join('\n\n')}

src/server/commands/README.md says more of each. chainkin print writes files to deploy with.`
}

function lineOf([name, byDefault, description]: Setting): string {
  const text = byDefault === '' ? description : `${description} (${byDefault})`
  const wrapped = new Help().boxWrap(text, WIDTH - NAME_WIDTH - 2)
  return `  ${name.padEnd(NAME_WIDTH)}${wrapped.replaceAll('\n', `\n${' '.repeat(NAME_WIDTH + 2)}`)}`
}
