/** Where a form of an account's page leads when its act is done. */
import { notFound } from '../../../site/http/form-errors.ts'
import { type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { accountPath } from '../../ui/paths.ts'

/** @param said which message the page shows @param result of the act; undefined where there was nothing to do it to @throws PageError 404 */
export function done({ id, href }: SignedInContext, said: string, result: unknown): Reply {
  if (result === undefined) throw notFound('account')
  return redirect(href(`${accountPath(id)}?said=${said}`))
}

/** The same for an act that counts once for each form. */
export const doneOnce = (
  context: SignedInContext,
  said: string,
  { isRepeated, result }: { isRepeated: boolean; result: unknown },
): Reply => (isRepeated ? done(context, 'before', true) : done(context, said, result))
