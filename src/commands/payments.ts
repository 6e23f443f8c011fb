/** `payments list|accept|refuse` */
import type { Command } from 'commander'
import {
  acceptPayment,
  listPayments,
  type Payment,
  type PaymentState,
  refusePayment,
} from '../payments/payments.ts'
import { listing, Refusal, subcommand, withDatabase } from './command.ts'
import { parseChoice, parseId } from './parsers.ts'

const STATES = ['open', 'accepted', 'refused'] as const satisfies readonly PaymentState[]

export function registerPayments(program: Command) {
  const payments = program.command('payments').description('plans and top-ups that people chose')
  const paymentCommand = (name: string, description: string) =>
    subcommand(payments, name, description).argument('<id>', 'the payment', parseId)

  subcommand(payments, 'list', 'what was chosen, the oldest first')
    .option('--state <state>', STATES.join(', '), parseChoice(STATES))
    .action(
      withDatabase(async ({ database }, { state }: { state?: PaymentState }) => {
        return listing('payments', await listPayments(database, state), 'none', (payment) => {
          const { id, account, accountId, createdAt } = payment
          return `${id}  ${createdAt}  ${describe(payment)}  ${account.name} <${account.email}> (account ${accountId})`
        })
      }),
    )

  paymentCommand('accept', 'it is paid: give what it was for')
    .option(
      '--renews',
      'a plan goes on when its period ends (default: the tier falls back to free)',
      false,
    )
    .action(
      withDatabase(async ({ database, config }, id: string, { renews }: { renews: boolean }) => {
        const { referralCredits } = config
        return shown(await acceptPayment(database, id, { renews, referralCredits }), id)
      }),
    )

  paymentCommand('refuse', 'it will not be paid').action(
    withDatabase(async ({ database }, id: string) => shown(await refusePayment(database, id), id)),
  )
}

/** @throws Refusal where no payment of this id was open. */
function shown(payment: Payment | undefined, id: string) {
  if (!payment) throw new Refusal(`there is no open payment ${id}`)
  return { json: { ...payment }, text: describe(payment) }
}

function describe({ state, kind, item, credits, usd }: Payment): string {
  const price = usd === null ? 'price to be agreed' : `$${usd}`
  return `${state}: ${kind === 'plan' ? 'plan' : 'top-up'} ${item}, ${credits ?? 'unlimited'} credits, ${price}`
}
