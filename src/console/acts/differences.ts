/** Where Stripe's state differs from ours, as commands and pages take it over. */
import { DatabaseUnavailable } from '../../database/client.ts'
import type { PaymentGateway } from '../../money/payments/gateway.ts'
import type { EventCall } from '../../money/payments/stripe-events.ts'
import type { Act, Perform } from './perform.ts'

/** Applies an event to a payment as if Stripe had sent it. @returns its outcome in words; undefined where the event changed nothing */
export const takeOverPayment = (id: string, event: EventCall): Act<string> => ({
  name: 'payment.take-over',
  to: { kind: 'payment', id },
  call: (sql) =>
    sql`(select e.outcome || ': ' || e.reason from ${event(sql)} e where e.outcome <> 'ignored')`,
  result: String,
})

export interface TakenOver {
  /** Descriptions of applied events. */
  taken: string[]
  /** Why it ended early; null where it didn't. */
  failure: string | null
}

/**
 * Takes over how Stripe says that a payment stands, by the functions that apply its events. Stripe is asked anew.
 * @returns undefined where there is no such payment
 */
export async function takeOver(
  gateway: PaymentGateway,
  perform: Perform,
  id: string,
): Promise<TakenOver | undefined> {
  const check = await gateway.check(id)
  if (!check) return undefined
  const taken: string[] = []
  try {
    for (const { event } of check.differences) {
      if (!event) continue
      const { call, follow } = await gateway.applying(event)
      const said = await perform(takeOverPayment(id, call))
      if (said !== undefined) taken.push(said)
      // Even where the event was applied before: its follow-up at Stripe may have failed then.
      try {
        for (const older of await follow()) taken.push(`${older} was ended at Stripe`)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const failure = `an older subscription may go on at Stripe, ask again: ${error.message}`
        return { taken, failure }
      }
    }
  } catch (error) {
    if (error instanceof DatabaseUnavailable || !(error instanceof Error)) throw error
    return { taken, failure: error.message }
  }
  return { taken, failure: check.failure }
}
