/** `usage` */
import type { Command } from 'commander'
import { showAccount } from '../accounts/accounts.ts'
import { USAGE_GROUPS, type UsageGroup, usage } from '../accounts/usage.ts'
import { noAccount } from './account.ts'
import { parseChoice, parseDuration, parseId, subcommand, withDatabase } from './command.ts'

const WEEK_SECONDS = 7 * 86_400

export function registerUsage(program: Command) {
  subcommand(program, 'usage', 'what an account spent, from the ledger')
    .argument('<id>', 'the account', parseId)
    .option(
      '--since <duration>',
      'how far back, like 7d (the default) or 12h',
      parseDuration,
      WEEK_SECONDS,
    )
    .option('--by <group>', USAGE_GROUPS.join(', '), parseChoice(USAGE_GROUPS), 'day')
    .action(
      withDatabase(
        async ({ database }, id: string, { since, by }: { since: number; by: UsageGroup }) => {
          if (!(await showAccount(database, id))) throw noAccount(id)
          const rows = await usage(database, id, since, by)
          const text = rows.map((row) => `${row.group}  ${row.calls} calls, ${row.credits} credits`)
          return {
            json: { sinceSeconds: since, by, usage: rows },
            text: text.join('\n') || 'nothing was spent',
          }
        },
      ),
    )
}
