/** `credits grant|take-back|list` */
import { type Command, InvalidArgumentError } from 'commander'
import { grantCredits, takeBackCredits } from '../../console/acts/accounts.ts'
import { GRANT_SOURCES, type GrantSource } from '../../contract/tiers.ts'
import { errorCode } from '../../database/client.ts'
import { type Expiry, listGrants } from '../../money/accounts/credits.ts'
import {
  accountCommand,
  accountOf,
  listing,
  orNoAccount,
  Refusal,
  withDatabase,
} from './command.ts'
import { parseChoice, parseCredits, parseDuration, parseId } from './parsers.ts'
import { performed } from './performed.ts'

interface GrantOptions {
  source: GrantSource
  expires?: Expiry
}

/** SQLSTATE of what `grantCredits` refuses → the reason. */
const REASONS: Readonly<Record<string, string>> = {
  '22023': '--expires lies in the past',
  '22003': 'the balance would be larger than can be kept',
}

export function registerCredits(program: Command) {
  const credits = program.command('credits').description('credits given to accounts')

  accountCommand(credits, 'grant', 'give credits')
    .argument('<amount>', 'how many', parseCredits)
    .requiredOption('--source <source>', GRANT_SOURCES.join(', '), parseChoice(GRANT_SOURCES))
    .option(
      '--expires <when>',
      'after a duration like 7d, or at an ISO 8601 time (default: 7d for trial, 30d for plan, else never)',
      parseExpiry,
    )
    .action(
      withDatabase(
        async ({ database }, id: string, granted: number, { source, expires }: GrantOptions) => {
          const granting = performed(database, grantCredits(id, granted, source, expires))
          const balance = orNoAccount(await granting.catch(refuse), id)
          return { json: { id, granted, source, balance }, text: `balance ${balance}` }
        },
      ),
    )

  accountCommand(credits, 'take-back', 'take what is left of a grant')
    .argument('<grant>', 'the grant’s id, as `credits list --json` shows it', parseId)
    .option('--most <credits>', 'no more than so many', parseCredits)
    .action(
      withDatabase(async ({ database }, id: string, grant: string, { most }: { most?: number }) => {
        await accountOf(database, id)
        const taken = await performed(database, takeBackCredits(id, grant, most))
        if (taken === undefined) {
          throw new Refusal(`account ${id} has no grant ${grant} of which anything is left`)
        }
        const { creditsBalance: balance } = await accountOf(database, id)
        return { json: { id, grant, taken, balance }, text: `${taken} taken, balance ${balance}` }
      }),
    )

  accountCommand(credits, 'list', 'each grant with what is left of it').action(
    withDatabase(async ({ database }, id: string) => {
      const grants = orNoAccount(await listGrants(database, id), id)
      return listing('grants', grants, 'no credits were granted', (grant) => {
        const { source, remaining, amount, expiresAt } = grant
        return `${source.padEnd(9)} ${remaining} of ${amount}, expires ${expiresAt ?? 'never'}`
      })
    }),
  )
}

function refuse(error: unknown): never {
  const reason = REASONS[errorCode(error) ?? '']
  throw reason === undefined ? error : new Refusal(reason)
}

function parseExpiry(value: string): Expiry {
  if (/^\d+[smhd]$/.test(value)) return { lastsSeconds: parseDuration(value) }
  const isDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(value)
  const at = new Date(value)
  if (isDate && !Number.isNaN(at.getTime())) return { at }
  throw new InvalidArgumentError('Expected a duration like 7d or a time like 2030-01-31T00:00:00Z.')
}
