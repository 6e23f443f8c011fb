/** `payments`: orders of plans and top-ups, decided here or asked of the payment provider. */
import type { Command } from 'commander'
import {
  acceptPayment,
  dismissEvent,
  type RefundEnd,
  refund,
  refusePayment,
  takeOver,
} from '../../console/acts/payments.ts'
import type { Database } from '../../database/client.ts'
import { createLog } from '../../log.ts'
import { openPaymentGateway, type PaymentGateway } from '../../money/payments/gateway.ts'
import {
  findPayment,
  listPayments,
  type Payment,
  type PaymentEvent,
  type PaymentState,
  waitingEvents,
} from '../../money/payments/payments.ts'
import type { Check } from '../../money/payments/stripe-checks.ts'
import {
  type Context,
  confirm,
  listing,
  performed,
  Refusal,
  subcommand,
  withDatabase,
} from './command.ts'
import { parseChoice, parseId } from './parsers.ts'

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

/** Adds the subcommands that call the payment provider. */
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
        return { json: { ...payment, ...end }, text: refundText(end) }
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

/** @throws Refusal where the payment doesn't exist or Stripe could not be asked */
function orRefused(check: Check | undefined, id: string | undefined): Check {
  if (!check) throw new Refusal(`there is no payment ${id}`)
  if (check.failure !== null && check.asked === 0) throw new Refusal(check.failure)
  return check
}

/** The payment provider, whose log goes to stderr beside the command's messages. */
export function gatewayOf({ config, database }: Context): Promise<PaymentGateway> {
  const log = createLog('error', (line) => console.error(line))
  // Commands begin no Checkout, so Stripe never needs an address to return to.
  return openPaymentGateway(config, { database, appUrl: config.appUrl ?? '', log })
}

/** @throws Refusal where the refund did not begin, or its outcome is unknown */
function refundText(end: RefundEnd): string {
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
