/** Acts on payments that wait for the operator. */
import { type Acceptance, acceptCall, refuseCall } from '../payments/payments.ts'
import type { Act } from './perform.ts'

/** Gives what an open payment is for. @returns its id */
export const acceptPayment = (id: string, acceptance: Acceptance): Act<string> => ({
  name: 'payment.accept',
  to: { kind: 'payment', id },
  call: (sql) => acceptCall(sql, id, acceptance),
  result: String,
})

/** Refuses an open payment. @returns its id */
export const refusePayment = (id: string): Act<string> => ({
  name: 'payment.refuse',
  to: { kind: 'payment', id },
  call: (sql) => refuseCall(sql, id),
  result: String,
})
