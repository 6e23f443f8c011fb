/** Acts on what people ask about their own data. */
import { closeCall } from '../privacy/register.ts'
import type { Act } from './perform.ts'

/**
 * Closes an open request and forgets whose it was (D136). Nothing is done where it is not open.
 * @param reason why it is refused; null where it is done
 */
export const closeRequest = (id: string, reason: string | null): Act<boolean> => ({
  name: 'privacy.close',
  to: { kind: 'request', id },
  call: (sql) => closeCall(sql, id, reason),
  result: () => true,
})
