/** `key create|list|revoke` */
import { type Command, InvalidArgumentError } from 'commander'
import { createKey, listKeys, revokeKey } from '../accounts/keys.ts'
import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { accountCommand, accountOf, listing, Refusal, subcommand, withDatabase } from './command.ts'
import { parseId, parseText } from './parsers.ts'

interface CreateOptions {
  label: string
  scopes: Scope[]
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
    .action(
      withDatabase(async ({ database }, id: string, { label, scopes }: CreateOptions) => {
        await accountOf(database, id)
        const created = await createKey(database, id, label, scopes)
        const text = `${created.key}\n(key ${created.id}; shown this once)`
        return { json: { ...created, label, scopes }, text }
      }),
    )

  accountCommand(keys, 'list', 'the keys of an account').action(
    withDatabase(async ({ database }, id: string) => {
      await accountOf(database, id)
      return listing('keys', await listKeys(database, id), 'no keys', (key) => {
        const revoked = key.revokedAt ? `  revoked ${key.revokedAt}` : ''
        return `${key.id}  ${key.prefix}…  ${key.label}  [${key.scopes.join(', ')}]${revoked}`
      })
    }),
  )

  subcommand(keys, 'revoke', 'end a key; its next request is refused')
    .argument('<keyid>', 'the key’s id (not the key)', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        if (!(await revokeKey(database, id))) throw new Refusal(`there is no key ${id} in force`)
        return { json: { id, revoked: true }, text: `key ${id} is revoked` }
      }),
    )
}

function parseScopes(value: string): Scope[] {
  const scopes = value.split(',').map((scope) => scope.trim())
  const known = SCOPES.filter((scope) => scopes.includes(scope))
  if (known.length !== new Set(scopes).size) {
    throw new InvalidArgumentError(`Expected some of ${SCOPES.join(',')}.`)
  }
  return known
}
