/** `payments list|accept|refuse` */
import type { Command } from 'commander'
import {
  acceptPayment,
  listPayments,
  type Payment,
  type PaymentState,
  refusePayment,
} from '../payments/payments.ts'
import { parseChoice, parseId, Refusal, subcommand, withDatabase } from './command.ts'

const STATES = ['open', 'accepted', 'refused'] as const satisfies readonly PaymentState[]

export function registerPayments(program: Command) {
  const payments = program.command('payments').description('plans and top-ups that people chose')

  subcommand(payments, 'list', 'what was chosen, the oldest first')
    .option('--state <state>', STATES.join(', '), parseChoice(STATES))
    .action(
      withDatabase(async ({ database }, { state }: { state?: PaymentState }) => {
        const list = await listPayments(database, state)
        const text = list.map((payment) => {
          const { account, accountId, createdAt } = payment
          return `${payment.id}  ${createdAt}  ${describe(payment)}  ${account.name} <${account.email}> (account ${accountId})`
        })
        return { json: { payments: list }, text: text.join('\n') || 'none' }
      }),
    )

  subcommand(payments, 'accept', 'it is paid: give what it was for')
    .argument('<id>', 'the payment', parseId)
    .option(
      '--renews',
      'a plan goes on when its period ends (default: the tier falls back to free)',
      false,
    )
    .action(
      withDatabase(async ({ database, config }, id: string, { renews }: { renews: boolean }) => {
        const { referralCredits } = config
        const payment = await acceptPayment(database, id, { renews, referralCredits })
        if (!payment) throw noPayment(id)
        return { json: { ...payment }, text: describe(payment) }
      }),
    )

  subcommand(payments, 'refuse', 'it will not be paid')
    .argument('<id>', 'the payment', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        const payment = await refusePayment(database, id)
        if (!payment) throw noPayment(id)
        return { json: { ...payment }, text: describe(payment) }
      }),
    )
}

function describe({ state, kind, item, credits, usd }: Payment): string {
  const price = usd === null ? 'price to be agreed' : `$${usd}`
  return `${state}: ${kind === 'plan' ? 'plan' : 'top-up'} ${item}, ${credits ?? 'unlimited'} credits, ${price}`
}

function noPayment(id: string): Refusal {
  return new Refusal(`there is no open payment ${id}`)
}
