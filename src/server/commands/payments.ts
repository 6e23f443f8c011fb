/** `payments list|check`: orders of plans and top-ups; `acts.ts` adds the commands that decide them. */
import type { Command } from 'commander'
import { paymentText } from '../../console/acts/payments.ts'
import {
  listPayments,
  type PaymentEvent,
  type PaymentState,
  waitingEvents,
} from '../../money/payments/payments.ts'
import { gatewayOf } from './acts.ts'
import { existing, listing, Refusal, subcommand, withDatabase } from './command.ts'
import { parseChoice, parseId } from './parsers.ts'

const STATES = ['open', 'accepted', 'refused'] as const satisfies readonly PaymentState[]

export function registerPayments(program: Command) {
  const payments = program.command('payments').description('plans and top-ups that people chose')
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
            return `${id}  ${createdAt}  ${paymentText(payment)}  ${account.name} <${account.email}> (account ${accountId})`
          },
        )
        const waiting = listing('waiting', await waitingEvents(database), '', describeEvent)
        return {
          json: { ...chosen.json, ...waiting.json },
          text: [chosen.text, waiting.text].filter(Boolean).join('\n'),
        }
      }),
    )

  registerProvider(payments)
}

function describeEvent({ id, at, kind, reason }: PaymentEvent): string {
  return `${id}  ${at}  waits for you: ${kind}: ${reason}`
}

/** Adds the subcommand that asks the payment provider. */
function registerProvider(payments: Command) {
  subcommand(
    payments,
    'check',
    'asks Stripe what differs there: of one payment, or of those that wait',
  )
    .argument('[id]', 'the payment', parseId)
    .action(
      withDatabase(async (context, id?: string) => {
        const gateway = await gatewayOf(context)
        const check = existing(await gateway.check(id), 'payment', id ?? '')
        const { asked, hasMore, failure } = check
        if (failure !== null && asked === 0) throw new Refusal(failure)
        const differences = check.differences.map(({ event, ...difference }) => {
          return { ...difference, canTakeOver: event !== undefined }
        })
        const { json, text } = listing(
          'differences',
          differences,
          'nothing differs',
          ({ payment, here, there, todo }) =>
            `${payment}  here: ${here}  at Stripe: ${there}  to do: ${todo}`,
        )
        const exitCode = failure === null ? 0 : 1
        const more = [failure, hasMore && 'there are more that wait'].filter(Boolean)
        return {
          json: { ...json, asked, hasMore, failure },
          text: [text, ...more].join('\n'),
          exitCode,
        }
      }),
    )
}
