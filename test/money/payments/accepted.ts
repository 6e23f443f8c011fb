/** An order as tests have it accepted: by the act of an operator's command. */

import { acceptPayment } from '../../../src/console/acts/payments.ts'
import { perform } from '../../../src/console/acts/perform.ts'
import type { Database } from '../../../src/database/client.ts'
import { type Acceptance, findPayment } from '../../../src/money/payments/payments.ts'

const COMMAND = { via: 'command', userId: null, who: 'root', address: null } as const

/** @returns the payment as it is after; undefined where none was open */
export async function accepted(database: Database, payment: string, acceptance: Acceptance) {
  const id = await perform(database, COMMAND, acceptPayment, payment, {
    renews: false,
    ...acceptance,
  })
  return id === undefined ? undefined : findPayment(database, id)
}
