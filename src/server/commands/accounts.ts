/** Commands that read accounts, credits, plans, usage and keys; `acts.ts` adds those that change them. */
import type { Command } from 'commander'
import { notesOf, PLAN_NAMES } from '../../console/acts/accounts.ts'
import { PLANS, TIER_RULES } from '../../contract/tiers.ts'
import { listAccounts } from '../../money/accounts/accounts.ts'
import { listGrants } from '../../money/accounts/credits.ts'
import { listKeys } from '../../money/accounts/keys.ts'
import { USAGE_GROUPS, type UsageGroup, usage } from '../../money/accounts/ledger.ts'
import { shownAccount } from './acts.ts'
import {
  accountCommand,
  accountOf,
  existing,
  listing,
  reporting,
  subcommand,
  withDatabase,
} from './command.ts'
import { parseChoice, parseDuration } from './parsers.ts'

export function registerAccount(program: Command) {
  const account = program.command('account').description('accounts: who calls and pays')

  accountCommand(account, 'show', 'one account with its balance').action(
    withDatabase(async ({ database }, id: string) => shownAccount(await accountOf(database, id))),
  )

  accountCommand(account, 'notes', 'the notes about an account, newest first').action(
    withDatabase(async ({ database }, id: string) => {
      const notes = await notesOf(database, (await accountOf(database, id)).id)
      return listing('notes', notes, 'no notes', ({ at, who, text }) => `${at}  ${who}\n${text}`)
    }),
  )

  subcommand(account, 'list', 'every account').action(
    withDatabase(async ({ database }) =>
      listing('accounts', await listAccounts(database), '', (account) => {
        const balance = String(account.creditsBalance).padStart(8)
        return `${account.id}  ${account.tier.padEnd(10)} ${balance}  ${account.name}`
      }),
    ),
  )
}

export function registerCredits(program: Command) {
  const credits = program.command('credits').description('credits given to accounts')

  accountCommand(credits, 'list', 'each grant with what is left of it').action(
    withDatabase(async ({ database }, id: string) => {
      const grants = existing(await listGrants(database, id), 'account', id)
      return listing('grants', grants, 'no credits were granted', (grant) => {
        const { source, remaining, amount, expiresAt } = grant
        return `${source.padEnd(9)} ${remaining} of ${amount}, expires ${expiresAt ?? 'never'}`
      })
    }),
  )
}

export function registerPlan(program: Command) {
  const plan = program.command('plan').description('plans: a tier and credits by the month')

  subcommand(plan, 'list', 'the plans there are').action(
    reporting(async () => {
      const plans = PLAN_NAMES.map((name) => {
        const { rateLimit, rateSeconds } = TIER_RULES[PLANS[name].tier]
        return { name, ...PLANS[name], rate: { limit: rateLimit, seconds: rateSeconds } }
      })
      return listing('plans', plans, '', ({ name, usdPerMonth, credits, tier, rate, extras }) => {
        const price = usdPerMonth === null ? 'custom' : `$${usdPerMonth}`
        return `${name.padEnd(11)} ${price} a month, ${credits ?? 'unlimited'} credits, tier ${tier}, ${rate.limit} calls in ${rate.seconds} s, ${extras}`
      })
    }),
  )
}

const WEEK_SECONDS = 7 * 86_400

interface UsageOptions {
  since: number
  by: UsageGroup
}

export function registerUsage(program: Command) {
  accountCommand(program, 'usage', 'what an account spent, from the ledger')
    .option(
      '--since <duration>',
      'how far back, like 7d (the default) or 12h',
      parseDuration,
      WEEK_SECONDS,
    )
    .option('--by <group>', USAGE_GROUPS.join(', '), parseChoice(USAGE_GROUPS), 'day')
    .action(
      withDatabase(async ({ database }, id: string, { since, by }: UsageOptions) => {
        await accountOf(database, id)
        const rows = await usage(database, id, since, by)
        const { json, text } = listing('usage', rows, 'nothing was spent', (row) => {
          return `${row.group}  ${row.calls} calls, ${row.credits} credits`
        })
        return { json: { sinceSeconds: since, by, ...json }, text }
      }),
    )
}

export function registerKey(program: Command) {
  const keys = program.command('key').description('API keys')

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
}
