/** Calls as the service sends them, for tests and benches. */
import { randomUUID } from 'node:crypto'
import { ENDPOINTS } from '../../../src/contract/endpoints.ts'
import type { Call } from '../../../src/money/charge/call.ts'

export interface TestAccount {
  id: string
  key: string
}

/** A plain read of a record that exists. */
export function plainRead(account: TestAccount, changes: Partial<Call> = {}): Call {
  return {
    account: account.id,
    key: account.key,
    price: ENDPOINTS.person.credits,
    reveal_price: ENDPOINTS.person.credits,
    refusal: null,
    record_exists: true,
    person: null,
    reveal: false,
    contacts: [],
    channels: false,
    identity: false,
    idempotency_key: null,
    fingerprint: null,
    request_id: randomUUID(),
    endpoint: ENDPOINTS.person.path,
    ...changes,
  }
}

/** A single read of one contact, without and with `include=private`. */
export function readOf(account: TestAccount, person: string, changes: Partial<Call> = {}): Call {
  return plainRead(account, { person, contacts: [person], channels: true, ...changes })
}

export function revealOf(account: TestAccount, person: string, changes: Partial<Call> = {}): Call {
  const reveal_price = ENDPOINTS.person.revealCredits
  return readOf(account, person, { reveal: true, reveal_price, ...changes })
}

export function me(account: TestAccount, changes: Partial<Call> = {}): Call {
  return plainRead(account, {
    price: ENDPOINTS.me.credits,
    reveal_price: ENDPOINTS.me.revealCredits,
    identity: true,
    endpoint: ENDPOINTS.me.path,
    ...changes,
  })
}
