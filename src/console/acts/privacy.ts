/** Acts on what people ask about their own data. */
import { closeCall } from '../../people/privacy/register.ts'
import type { Act } from './perform.ts'

/**
 * Closes an open request and forgets whose it was. Nothing is done where it is not open.
 * @param reason why it is refused; null where it is done
 */
export const closeRequest = (id: string, reason: string | null): Act<boolean> => ({
  name: 'privacy.close',
  to: { kind: 'request', id },
  call: (sql) => closeCall(sql, id, reason),
  result: () => true,
})

/** Notes that an operator had all that is held of the person of an open request to be shown it. Nothing is done where there is no such request. */
export const answerRequest = (id: string): Act<boolean> => ({
  name: 'privacy.answer',
  to: { kind: 'request', id },
  call: (sql) =>
    sql`exists (select from privacy_requests where id = ${id} and state = 'open' and kind = 'show')`,
  result: () => true,
})
