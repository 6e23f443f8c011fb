/** The charge behind a profile's button. */
import { type WebOutcome, webCall } from '../../accounts/web-calls.ts'
import type { Endpoint } from '../../contract/endpoints.ts'
import { idempotencyKeyOf } from '../components/form.tsx'
import type { Form } from '../http/form.ts'
import type { SignedInContext } from '../http/page.ts'

/**
 * Charges the call that the form asks for, once for its idempotency key.
 * @param about names what the form was made for: its key works for nothing else
 * @returns the channels of the contacts that are unlocked, where it was charged
 * @throws DatabaseUnavailable, as `Meter.charge` does
 */
export function purchase(
  { application, session }: SignedInContext,
  form: Form,
  endpoint: Endpoint,
  about: string,
  reading: { person: string | null; reveal: boolean; contacts: readonly string[] },
): Promise<WebOutcome> {
  return webCall(
    application.meter,
    session.account.id,
    endpoint,
    { found: true, channels: true, ...reading },
    { requestId: crypto.randomUUID(), once: { key: idempotencyKeyOf(form), fingerprint: about } },
  )
}
