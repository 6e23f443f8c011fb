/** `key create|list|revoke` */
import { type Command, InvalidArgumentError } from 'commander'
import { createKey, revokeKey } from '../../console/acts/accounts.ts'
import { SCOPES, type Scope } from '../../contract/endpoints.ts'
import { CAP_PERIODS, type CapPeriod } from '../../contract/keys.ts'
import { NETWORKS_EXPECTED, networksOf } from '../../money/accounts/key-limits.ts'
import { listKeys } from '../../money/accounts/keys.ts'
import { accountCommand, accountOf, listing, Refusal, subcommand, withDatabase } from './command.ts'
import { parseChoice, parseCredits, parseDuration, parseId, parseText } from './parsers.ts'
import { performed } from './performed.ts'

interface CreateOptions {
  label: string
  scopes: Scope[]
  /** Seconds. */
  expires?: number
  cap?: number
  capPeriod?: CapPeriod
  networks?: string[]
}

export function registerKey(program: Command) {
  const keys = program.command('key').description('API keys')

  accountCommand(keys, 'create', 'make a key; it is shown this once')
    .requiredOption('--label <label>', 'what the key is for', parseText)
    .option(
      '--scopes <scopes>',
      `comma-separated: ${SCOPES.join(', ')} (default: both)`,
      parseScopes,
      [...SCOPES],
    )
    .option('--expires <time>', 'stop after a time like 90d', parseDuration)
    .option('--cap <credits>', 'the most that it spends in each period', parseCredits)
    .option(
      '--cap-period <period>',
      `the period of the cap, in UTC: ${CAP_PERIODS.join(' or ')}`,
      parseChoice(CAP_PERIODS),
    )
    .option('--networks <networks>', 'use it from these only: 203.0.113.0/24,…', parseNetworkList)
    .action(
      withDatabase(async ({ database }, id: string, options: CreateOptions) => {
        const { label, scopes, expires, networks } = options
        const cap = capOf(options)
        await accountOf(database, id)
        const limits = { expiresSeconds: expires, cap, networks }
        const made = await performed(database, createKey(id, label, scopes, limits))
        if (!made) throw new Error('the database made no key')
        const { expiresAt, ...created } = made
        const said = { label, scopes, ...(expiresAt && { expiresAt }), cap, networks }
        const text = `${created.key}\n(key ${created.id}; shown this once)`
        return { json: { ...created, ...said }, text }
      }),
    )

  accountCommand(keys, 'list', 'the keys of an account').action(
    withDatabase(async ({ database }, id: string) => {
      await accountOf(database, id)
      return listing('keys', await listKeys(database, id), 'no keys', (key) => {
        const { cap } = key
        const limits = [
          cap && `spent ${cap.spent} of ${cap.credits} credits this ${cap.period}`,
          key.networks && `from ${key.networks.join(', ')}`,
          key.expiresAt && `ends ${key.expiresAt}`,
          key.revokedAt && `revoked ${key.revokedAt}`,
        ].filter(Boolean)
        const head = `${key.id}  ${key.prefix}…  ${key.label}  [${key.scopes.join(', ')}]`
        return [head, ...limits].join('  ')
      })
    }),
  )

  subcommand(keys, 'revoke', 'end a key; its next request is refused')
    .argument('<keyid>', 'the key’s id (not the key)', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        if (!(await performed(database, revokeKey(id))))
          throw new Refusal(`there is no key ${id} in force`)
        return { json: { id, revoked: true }, text: `key ${id} is revoked` }
      }),
    )
}

/** @throws Refusal where only one of the two options is there */
function capOf({ cap, capPeriod }: CreateOptions) {
  if (cap !== undefined && capPeriod !== undefined) return { credits: cap, period: capPeriod }
  if (cap === undefined && capPeriod === undefined) return undefined
  throw new Refusal('--cap and --cap-period go together: --cap 1000 --cap-period day')
}

function parseNetworkList(value: string): string[] {
  const networks = networksOf(value)
  if (!networks) throw new InvalidArgumentError(`Expected ${NETWORKS_EXPECTED}.`)
  return networks
}

function parseScopes(value: string): Scope[] {
  const scopes = value.split(',').map((scope) => scope.trim())
  const known = SCOPES.filter((scope) => scopes.includes(scope))
  if (known.length !== new Set(scopes).size) {
    throw new InvalidArgumentError(`Expected some of ${SCOPES.join(',')}.`)
  }
  return known
}
