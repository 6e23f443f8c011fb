/** `usage` */
import type { Command } from 'commander'
import { USAGE_GROUPS, type UsageGroup, usage } from '../../money/accounts/ledger.ts'
import { accountCommand, accountOf, listing, withDatabase } from './command.ts'
import { parseChoice, parseDuration } from './parsers.ts'

const WEEK_SECONDS = 7 * 86_400

interface Options {
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
      withDatabase(async ({ database }, id: string, { since, by }: Options) => {
        await accountOf(database, id)
        const rows = await usage(database, id, since, by)
        const { json, text } = listing('usage', rows, 'nothing was spent', (row) => {
          return `${row.group}  ${row.calls} calls, ${row.credits} credits`
        })
        return { json: { sinceSeconds: since, by, ...json }, text }
      }),
    )
}
