/**
 * Forms that arrive without a session, because it ended while they were filled in. What was written goes along through signing
 * in, in the return URL, which the browser's cookie alone opens; the page there sends it. Nothing of it is kept here.
 */
import { isUuid } from '../../database/uuid.ts'
import { type Form, MAX_FORM_BYTES, readForm } from './form.ts'
import type { PageContext, Route } from './page.ts'
import { PageError } from './page-error.ts'
import { formPageOf } from './return-url.ts'

export interface UnsentForm {
  /** The path that it was sent to, with its query. */
  action: string
  /** The address of the page that it was sent from. */
  page: string
  fields: readonly (readonly [name: string, value: string])[]
}

export const UNSENT_PATH = '/unsent'

/** Never carried on: with one of them, nothing of the form is. */
const SECRETS = ['password', 'confirmation', 'current', 'code', 'token']
/** Fields of forms that charge: their price stands on their own page alone. */
const CHARGES = ['idempotencyKey', 'units']
/** Longest sealed form, in characters: an address has room for 8,000, beside which a browser sends it as the referrer. */
const MAX_SEALED = 4_000

/** The way back to the form, which is sealed in it, and the cookie that opens it where the browser has none yet. @returns undefined where the form is too long */
export function wayBack(
  { request, application }: PageContext,
  unsent: UnsentForm,
): { returnUrl: string; cookies: string[] } | undefined {
  const { sealed, cookie } = application.sealing.seal(request, JSON.stringify(unsent))
  if (sealed.length > MAX_SEALED) return undefined
  return { returnUrl: `${UNSENT_PATH}?form=${sealed}`, cookies: cookie ? [cookie] : [] }
}

/** The form of a page of this application, as far as something was written in it. */
export async function unsentIn(
  { largeFile, takesFiles }: Pick<Route, 'largeFile' | 'takesFiles'>,
  { request, application, site }: PageContext,
): Promise<UnsentForm | undefined> {
  if (request.method !== 'POST' || largeFile || !application.csrf.isOwnPage(request))
    return undefined
  const form = await readForm(request, { maxBytes: 4 * MAX_FORM_BYTES, takesFiles }).catch(
    (error: unknown) => {
      if (error instanceof PageError) return undefined
      throw error
    },
  )
  return form && unsentOf(form, request, formPageOf(site, request))
}

/** @param page the address of the form's page. @returns undefined for a form with a secret, or that charges, or without a text */
export function unsentOf(form: Form, request: Request, page: string): UnsentForm | undefined {
  if ([...SECRETS, ...CHARGES].some((name) => form.has(name))) return undefined
  const fields = [...form].filter(([name]) => name !== 'csrf')
  const isWritten = ([name, value]: [string, string]) =>
    name !== 'action' && value.trim() !== '' && !isUuid(value)
  const { pathname, search } = new URL(request.url)
  return fields.some(isWritten) ? { action: pathname + search, page, fields } : undefined
}

/** @returns undefined where the address has no form that was sealed for this browser. */
export function unsentFrom({ query, request, application }: PageContext): UnsentForm | undefined {
  const text = application.sealing.open(request, new URLSearchParams(query).get('form') ?? '')
  return text === undefined ? undefined : JSON.parse(text)
}
