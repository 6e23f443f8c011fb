/** Forms that would do twice what is sent twice: a double click, or a page that is loaded again. */
import { countWindows, refundWindows } from '../../users/rate-limiter.ts'
import { idempotencyKeyOf } from '../components/form.tsx'
import type { Form } from '../http/form.ts'
import type { SignedInContext } from '../http/page.ts'

const DAY_SECONDS = 86_400

/**
 * Does what a form asks for, unless the same form did so before.
 * @param isRefused whether an error says that nothing was done: then the form may be sent again
 * @returns undefined where it was sent before; what became of it then is on the account's page
 */
export async function onlyOnce<T>(
  { application: { database } }: SignedInContext,
  form: Form,
  act: () => Promise<T>,
  isRefused: (error: unknown) => boolean = () => false,
): Promise<T | undefined> {
  const subject = `operator form ${idempotencyKeyOf(form)}`
  const [counted] = await countWindows(database, [{ subject, limit: 1, seconds: DAY_SECONDS }])
  if (counted?.count !== 1) return undefined
  try {
    return await act()
  } catch (error) {
    if (isRefused(error)) await refundWindows(database, [subject])
    throw error
  }
}
