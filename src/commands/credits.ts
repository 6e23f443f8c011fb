/** `credits grant|list` */
import { type Command, InvalidArgumentError } from 'commander'
import { type Expiry, grantCredits, listGrants } from '../accounts/credits.ts'
import { GRANT_SOURCES, type GrantSource } from '../contract/tiers.ts'
import { errorCode } from '../database/client.ts'
import { noAccount } from './account.ts'
import {
  parseChoice,
  parseCredits,
  parseDuration,
  parseId,
  Refusal,
  subcommand,
  withDatabase,
} from './command.ts'

const INVALID_PARAMETER_VALUE = '22023'
const OUT_OF_RANGE = '22003'

export function registerCredits(program: Command) {
  const credits = program.command('credits').description('credits given to accounts')

  subcommand(credits, 'grant', 'give credits')
    .argument('<id>', 'the account', parseId)
    .argument('<amount>', 'how many', parseCredits)
    .requiredOption('--source <source>', GRANT_SOURCES.join(', '), parseChoice(GRANT_SOURCES))
    .option(
      '--expires <when>',
      'after a duration like 7d, or at an ISO 8601 time (default: 7d for trial, 30d for plan, else never)',
      parseExpiry,
    )
    .action(
      withDatabase(
        async (
          { database },
          id: string,
          amount: number,
          options: { source: GrantSource; expires?: Expiry },
        ) => {
          const balance = await grantCredits(
            database,
            id,
            amount,
            options.source,
            options.expires,
          ).catch((error: unknown) => {
            const code = errorCode(error)
            if (code === INVALID_PARAMETER_VALUE) throw new Refusal('--expires lies in the past')
            if (code === OUT_OF_RANGE)
              throw new Refusal('the balance would be larger than can be kept')
            throw error
          })
          if (balance === undefined) throw noAccount(id)
          return {
            json: { id, granted: amount, source: options.source, balance },
            text: `balance ${balance}`,
          }
        },
      ),
    )

  subcommand(credits, 'list', 'each grant with what is left of it')
    .argument('<id>', 'the account', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        const grants = await listGrants(database, id)
        if (!grants) throw noAccount(id)
        const text = grants.map(
          (grant) =>
            `${grant.source.padEnd(9)} ${grant.remaining} of ${grant.amount}, expires ${grant.expiresAt ?? 'never'}`,
        )
        return { json: { grants }, text: text.join('\n') || 'no credits were granted' }
      }),
    )
}

function parseExpiry(value: string): Expiry {
  if (/^\d+[smhd]$/.test(value)) return { lastsSeconds: parseDuration(value) }
  const isDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(value)
  const at = new Date(value)
  if (!isDate || Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError(
      'Expected a duration like 7d or a time like 2030-01-31T00:00:00Z.',
    )
  }
  return { at }
}
