/** `key create|list|revoke` */
import { type Command, InvalidArgumentError } from 'commander'
import { showAccount } from '../accounts/accounts.ts'
import { createKey, listKeys, revokeKey } from '../accounts/keys.ts'
import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { noAccount } from './account.ts'
import { parseId, parseText, Refusal, subcommand, withDatabase } from './command.ts'

export function registerKey(program: Command) {
  const key = program.command('key').description('API keys')

  subcommand(key, 'create', 'make a key; it is shown this once')
    .argument('<id>', 'the account', parseId)
    .requiredOption('--label <label>', 'what the key is for', parseText)
    .option(
      '--scopes <scopes>',
      `comma-separated: ${SCOPES.join(', ')} (default: both)`,
      parseScopes,
      [...SCOPES],
    )
    .action(
      withDatabase(
        async ({ database }, id: string, options: { label: string; scopes: Scope[] }) => {
          if (!(await showAccount(database, id))) throw noAccount(id)
          const { label, scopes } = options
          const created = await createKey(database, id, label, scopes)
          return {
            json: { ...created, label, scopes },
            text: `${created.key}\n(key ${created.id}; shown this once)`,
          }
        },
      ),
    )

  subcommand(key, 'list', 'the keys of an account')
    .argument('<id>', 'the account', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        if (!(await showAccount(database, id))) throw noAccount(id)
        const keys = await listKeys(database, id)
        const text = keys.map(
          (k) =>
            `${k.id}  ${k.prefix}…  ${k.label}  [${k.scopes.join(', ')}]${k.revokedAt ? `  revoked ${k.revokedAt}` : ''}`,
        )
        return { json: { keys }, text: text.join('\n') || 'no keys' }
      }),
    )

  subcommand(key, 'revoke', 'end a key; its next request is refused')
    .argument('<keyid>', 'the key’s id (not the key)', parseId)
    .action(
      withDatabase(async ({ database }, keyId: string) => {
        if (!(await revokeKey(database, keyId)))
          throw new Refusal(`there is no key ${keyId} in force`)
        return { json: { id: keyId, revoked: true }, text: `key ${keyId} is revoked` }
      }),
    )
}

function parseScopes(value: string): Scope[] {
  const scopes = value.split(',').map((scope) => scope.trim())
  const known = SCOPES.filter((scope) => scopes.includes(scope))
  if (known.length === 0 || scopes.some((scope) => !SCOPES.some((each) => each === scope))) {
    throw new InvalidArgumentError(`Expected some of ${SCOPES.join(',')}.`)
  }
  return known
}
