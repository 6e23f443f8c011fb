/** `payments list|accept|refuse|dismiss`; `payments-provider.ts` has those that ask Stripe. */
import type { Command } from 'commander'
import { acceptPayment, dismissEvent, refusePayment } from '../../console/acts/payments.ts'
import type { Database } from '../../database/client.ts'
import {
  findPayment,
  listPayments,
  type Payment,
  type PaymentEvent,
  type PaymentState,
  waitingEvents,
} from '../../money/payments/payments.ts'
import { listing, Refusal, subcommand, withDatabase } from './command.ts'
import { parseChoice, parseId } from './parsers.ts'
import { registerProvider } from './payments-provider.ts'
import { performed } from './performed.ts'

const STATES = ['open', 'accepted', 'refused'] as const satisfies readonly PaymentState[]

export function registerPayments(program: Command) {
  const payments = program.command('payments').description('plans and top-ups that people chose')
  const paymentCommand = (name: string, description: string) =>
    subcommand(payments, name, description).argument('<id>', 'the payment', parseId)

  subcommand(
    payments,
    'list',
    'what was chosen, the oldest first, and payment events that wait for you',
  )
    .option('--state <state>', STATES.join(', '), parseChoice(STATES))
    .action(
      withDatabase(async ({ database }, { state }: { state?: PaymentState }) => {
        const chosen = listing(
          'payments',
          await listPayments(database, state),
          'none',
          (payment) => {
            const { id, account, accountId, createdAt } = payment
            return `${id}  ${createdAt}  ${describe(payment)}  ${account.name} <${account.email}> (account ${accountId})`
          },
        )
        const waiting = listing('waiting', await waitingEvents(database), '', describeEvent)
        return {
          json: { ...chosen.json, ...waiting.json },
          text: [chosen.text, waiting.text].filter(Boolean).join('\n'),
        }
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
        const act = acceptPayment(id, { renews, referralCredits })
        return shown(database, await performed(database, act), id)
      }),
    )

  paymentCommand('refuse', 'it will not be paid').action(
    withDatabase(async ({ database }, id: string) =>
      shown(database, await performed(database, refusePayment(id)), id),
    ),
  )

  registerProvider(payments)

  subcommand(payments, 'dismiss', 'you have dealt with a payment event that waited')
    .argument('<event>', 'the payment provider’s id of the event')
    .action(
      withDatabase(async ({ database }, id: string) => {
        const waiting = (await waitingEvents(database)).find((event) => event.id === id)
        if (!waiting || !(await performed(database, dismissEvent(id))))
          throw new Refusal(`no payment event ${id} waits`)
        return { json: { ...waiting }, text: `dismissed: ${waiting.kind}: ${waiting.reason}` }
      }),
    )
}

/** An event's line for the operator. */
function describeEvent({ id, at, kind, reason }: PaymentEvent): string {
  return `${id}  ${at}  waits for you: ${kind}: ${reason}`
}

/** @throws Refusal where no payment of this id was open. */
async function shown(database: Database, decided: string | undefined, id: string) {
  const payment = decided && (await findPayment(database, decided))
  if (!payment) throw new Refusal(`there is no open payment ${id}`)
  return { json: { ...payment }, text: describe(payment) }
}

function describe({ state, reversed, kind, item, credits, usd }: Payment): string {
  const paidBack = { none: '', part: ', paid back in part', all: ', paid back' }[reversed]
  const price = usd === null ? 'price to be agreed' : `$${usd}`
  return `${state}${paidBack}: ${kind === 'plan' ? 'plan' : 'top-up'} ${item}, ${credits ?? 'unlimited'} credits, ${price}`
}
