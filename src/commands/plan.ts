/** `plan start|stop|list` */
import type { Command } from 'commander'
import { showAccount } from '../accounts/accounts.ts'
import { startPlan, stopPlan } from '../accounts/credits.ts'
import { PLANS, type PlanName, TIER_RULES } from '../contract/tiers.ts'
import { noAccount } from './account.ts'
import { parseChoice, parseId, Refusal, report, subcommand, withDatabase } from './command.ts'

const NAMES = Object.keys(PLANS) as PlanName[]

export function registerPlan(program: Command) {
  const plan = program.command('plan').description('plans: a tier and credits by the month')

  subcommand(plan, 'start', 'begin a plan now')
    .argument('<id>', 'the account', parseId)
    .argument('<plan>', NAMES.join(', '), parseChoice(NAMES))
    .option(
      '--renews',
      'grant anew when a period ends (default: the tier falls back to free)',
      false,
    )
    .action(
      withDatabase(
        async ({ database }, id: string, name: PlanName, { renews }: { renews: boolean }) => {
          if (!(await startPlan(database, id, name, renews))) throw noAccount(id)
          const account = await showAccount(database, id)
          if (!account) throw noAccount(id)
          return {
            json: { ...account },
            text: `${name} until ${account.planEndsAt}, balance ${account.creditsBalance}`,
          }
        },
      ),
    )

  subcommand(plan, 'stop', 'end a plan now; what is left of its credits ends with it')
    .argument('<id>', 'the account', parseId)
    .option('--at-end', 'let the period run out, but do not renew', false)
    .action(
      withDatabase(async ({ database }, id: string, { atEnd }: { atEnd: boolean }) => {
        const stopped = await stopPlan(database, id, atEnd)
        const account = await showAccount(database, id)
        if (!account) throw noAccount(id)
        if (!stopped) throw new Refusal(`account ${id} has no plan`)
        const text = account.plan
          ? `${account.plan} ends ${account.planEndsAt}`
          : `tier ${account.tier}, balance ${account.creditsBalance}`
        return { json: { ...account }, text }
      }),
    )

  subcommand(plan, 'list', 'the plans there are').action(function (this: Command) {
    return report(this, async () => {
      const plans = NAMES.map((name) => {
        const { tier, usdPerMonth, credits } = PLANS[name]
        const { rateLimit, rateSeconds } = TIER_RULES[tier]
        return {
          name,
          ...PLANS[name],
          usdPerMonth,
          credits,
          rate: { limit: rateLimit, seconds: rateSeconds },
        }
      })
      const text = plans.map(
        (p) =>
          `${p.name.padEnd(11)} ${p.usdPerMonth === null ? 'custom' : `$${p.usdPerMonth}`} a month, ${p.credits ?? 'unlimited'} credits, tier ${p.tier}, ${p.rate.limit} calls in ${p.rate.seconds} s, ${p.extras}`,
      )
      return { json: { plans }, text: text.join('\n') }
    })
  })
}
