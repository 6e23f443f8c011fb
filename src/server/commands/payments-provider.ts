/** `payments refund|check|take-over`: the commands that call the payment provider. */
import type { Command } from 'commander'
import { takeOver } from '../../console/acts/differences.ts'
import { type RefundEnd, refund } from '../../console/acts/refunds.ts'
import { createLog } from '../../log.ts'
import { openPaymentGateway, type PaymentGateway } from '../../money/payments/gateway.ts'
import { findPayment } from '../../money/payments/payments.ts'
import type { Check } from '../../money/payments/stripe-checks.ts'
import { type Context, listing, Refusal, subcommand, withDatabase } from './command.ts'
import { confirm } from './confirmation.ts'
import { parseId } from './parsers.ts'
import { performed } from './performed.ts'

/** Adds to the command `payments`. */
export function registerProvider(payments: Command) {
  subcommand(payments, 'refund', 'pay back what is left of a payment; it can’t be undone')
    .argument('<id>', 'the payment', parseId)
    .option('--yes', 'without asking')
    .action(
      withDatabase(async (context, id: string, options: { yes?: boolean; json?: boolean }) => {
        const [what, undone] = ['a refund', 'nothing was refunded']
        await confirm(options, { what, undone, question: 'Refund this payment?' })
        const { database } = context
        const end = await refund(await gatewayOf(context), (act) => performed(database, act), id)
        if (!end) throw new Refusal(`nothing is to be refunded of the payment ${id} now`)
        const payment = await findPayment(database, id)
        return { json: { ...payment, ...end }, text: said(end) }
      }),
    )

  subcommand(
    payments,
    'check',
    'asks Stripe what differs there: of one payment, or of those that wait',
  )
    .argument('[id]', 'the payment', parseId)
    .action(
      withDatabase(async (context, id?: string) => {
        const check = orRefused(await (await gatewayOf(context)).check(id), id)
        const { asked, hasMore, failure } = check
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

  subcommand(
    payments,
    'take-over',
    'applies what Stripe says of a payment, as its events would have',
  )
    .argument('<id>', 'the payment', parseId)
    .action(
      withDatabase(async (context, id: string) => {
        const { database } = context
        const end = await takeOver(await gatewayOf(context), (act) => performed(database, act), id)
        if (!end) throw new Refusal(`there is no payment ${id}`)
        const { taken, failure } = end
        const text = [...taken, failure].filter(Boolean).join('\n')
        return {
          json: { taken, failure },
          text: text || 'nothing differs',
          exitCode: failure === null ? 0 : 1,
        }
      }),
    )
}

/** @throws Refusal where there is no such payment, or Stripe was asked for none */
function orRefused(check: Check | undefined, id: string | undefined): Check {
  if (!check) throw new Refusal(`there is no payment ${id}`)
  if (check.failure !== null && check.asked === 0) throw new Refusal(check.failure)
  return check
}

/** Its log goes to stderr, beside the command's own messages. */
export function gatewayOf({ config, database }: Context): Promise<PaymentGateway> {
  const log = createLog('error', (line) => console.error(line))
  // Commands begin no Checkout, so Stripe never needs an address to return to.
  return openPaymentGateway(config, { database, appUrl: config.appUrl ?? '', log })
}

/** @throws Refusal where the refund did not begin, or its outcome is unknown */
function said(end: RefundEnd): string {
  switch (end.refund) {
    case 'done':
      return 'refunded: what was left of its credits is taken back'
    case 'begun':
      return `Stripe has begun the refund ${end.note}; its event takes the credits back`
    case 'held':
    case 'refused':
      throw new Refusal(`nothing was refunded: ${end.note}`)
    case 'unknown':
      throw new Refusal(
        `it is not known whether Stripe has begun the refund: ${end.note}. Repeat the command: both together are one refund`,
      )
  }
}
