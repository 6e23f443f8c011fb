/** `plan start|stop|list` */
import type { Command } from 'commander'
import { startPlan } from '../../console/acts/accounts.ts'
import { endPlan, leftText } from '../../console/acts/plans.ts'
import { PLANS, type PlanName, TIER_RULES } from '../../contract/tiers.ts'
import {
  accountCommand,
  accountOf,
  listing,
  Refusal,
  reporting,
  subcommand,
  withDatabase,
} from './command.ts'
import { parseChoice } from './parsers.ts'
import { gatewayOf } from './payments-provider.ts'
import { performed } from './performed.ts'

const NAMES = Object.keys(PLANS) as PlanName[]

export function registerPlan(program: Command) {
  const plan = program.command('plan').description('plans: a tier and credits by the month')

  accountCommand(plan, 'start', 'begin a plan now')
    .argument('<plan>', NAMES.join(', '), parseChoice(NAMES))
    .option(
      '--renews',
      'grant anew when a period ends (default: the tier falls back to free)',
      false,
    )
    .action(
      withDatabase(
        async ({ database }, id: string, name: PlanName, { renews }: { renews: boolean }) => {
          await performed(database, startPlan(id, name, renews))
          const account = await accountOf(database, id)
          const text = `${name} until ${account.planEndsAt}, balance ${account.creditsBalance}`
          return { json: { ...account }, text }
        },
      ),
    )

  accountCommand(
    plan,
    'stop',
    'end a plan now, at Stripe too; what is left of its credits ends with it',
  )
    .option('--at-end', 'let the period run out, but do not renew', false)
    .action(
      withDatabase(async (context, id: string, { atEnd }: { atEnd: boolean }) => {
        const { database } = context
        const gateway = await gatewayOf(context)
        const end = await endPlan(gateway, (act) => performed(database, act), id, atEnd)
        const account = await accountOf(database, id)
        if (!end) throw new Refusal(`account ${id} has no plan`)
        const left = leftText(end)
        if (left && !end.isStopped) throw new Refusal(left)
        const text = [
          account.plan
            ? `${account.plan} ends ${account.planEndsAt}`
            : `tier ${account.tier}, balance ${account.creditsBalance}`,
          end.ended.length > 0 && `Stripe collects no more: ${end.ended.join(', ')}`,
          left,
        ]
        return {
          json: { ...account, subscriptionsEnded: end.ended, warning: left },
          text: text.filter(Boolean).join('\n'),
          exitCode: left ? 1 : 0,
        }
      }),
    )

  subcommand(plan, 'list', 'the plans there are').action(
    reporting(async () => {
      const plans = NAMES.map((name) => {
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
