/** The routes of the documentation's pages: texts that are the same for everybody, and endpoints with their console. */

import type { Form } from '../http/form.ts'
import { withFormErrors } from '../http/form-errors.ts'
import { isSignedIn, type PageContext, type Reply, type Route } from '../http/page.ts'
import { redirectToSignIn } from '../http/return-url.ts'
import { consoleKeys } from './console.tsx'
import type { Document } from './document.tsx'
import { documentPage } from './document-page.tsx'
import { DOCUMENTS } from './documents.ts'
import { sendCall } from './send-call.ts'

export const DOCUMENT_ROUTES: readonly Route[] = DOCUMENTS.map((document): Route => {
  const { path, endpoint } = document
  const get = (context: PageContext) => documentPage(document, context)
  if (!endpoint) return { path, get }
  return {
    path,
    get,
    post: (context, form) => answerConsole({ ...document, endpoint }, context, form),
  }
})

/** Shows the page again, with what the API answered. */
async function answerConsole(
  document: Document & Required<Pick<Document, 'endpoint'>>,
  context: PageContext,
  form: Form,
): Promise<Reply> {
  if (!isSignedIn(context)) return redirectToSignIn(context)
  // Nothing asks the database after the call: a page that failed then would not know of the charge.
  const keys = await consoleKeys(context)
  const again: Parameters<typeof withFormErrors>[1] = (errors) =>
    documentPage(document, context, { keys, errors })
  return withFormErrors(form, again, async () => {
    const call = await sendCall(context, document.endpoint, keys, form)
    const { balance } = call.charge
    const page = await documentPage(document, context, { keys, call })
    return balance === undefined ? page : { ...page, balance }
  })
}
