/** Reads the body of a form, within limits. */
import { bytesOf, tooLarge } from './body.ts'
import { PageError, shownName } from './page-error.ts'

/** Names and values in the order they came, unchecked. */
export type Form = URLSearchParams

/** The limit of every form but those that take lists. */
export const MAX_FORM_BYTES = 16 * 1024
/** A form that may have more bytes may have more fields in proportion. */
const MAX_FIELDS = 200

const mostFields = (maxBytes: number) =>
  Math.floor(Math.max(1, maxBytes / MAX_FORM_BYTES) * MAX_FIELDS)

interface FormLimits {
  maxBytes?: number | undefined
  /** Allows multipart forms. */
  takesFiles?: boolean | undefined
  /** True before the sender is known. */
  isStranger?: boolean
}

/**
 * Reads the body of a form; a file's field has the file's text.
 * @throws PageError 415 for another type, 413 for more bytes or fields than allowed, 408 for a stranger's that arrives too slowly,
 *   400 for bytes that are not UTF-8
 */
export async function readForm(
  request: Request,
  { maxBytes = MAX_FORM_BYTES, takesFiles = false, isStranger = true }: FormLimits = {},
): Promise<Form> {
  const type = request.headers.get('content-type') ?? ''
  const name = type.split(';')[0]?.trim().toLowerCase()
  const isMultipart = takesFiles && name === 'multipart/form-data'
  if (name !== 'application/x-www-form-urlencoded' && !isMultipart) {
    const expected = 'A form is sent as application/x-www-form-urlencoded.'
    throw new PageError(415, 'This is not a form of this site', expected)
  }
  const bytes = await bytesOf(request, maxBytes, isStranger)
  const most = mostFields(maxBytes)
  if (isMultipart) return partsOf(bytes, type, most)
  const text = decoded(bytes)
  if (text.split('&').length > most) throw tooLarge(`It may have ${most} fields.`)
  const form = new URLSearchParams(text)
  for (const [name, value] of form) expectText(name, value)
  return form
}

/** @throws PageError as `nulIn` returns it */
function expectText(name: string, value: string): void {
  const problem = nulIn(name, value)
  if (problem) throw problem
}

/** The error of a field with a NUL, which is no text: PostgreSQL stores none. */
export function nulIn(name: string, value: string): PageError | undefined {
  if (!`${name}${value}`.includes('\0')) return undefined
  const line = value.split('\0', 1)[0]?.split(/\r\n|\r|\n/).length ?? 1
  const place = line > 1 ? `line ${line} of ${shownName(name)}` : shownName(name)
  const message = `There is a NUL character in ${place}. Remove it and send the form again.`
  return new PageError(400, 'The form could not be read', message)
}

async function partsOf(bytes: Uint8Array<ArrayBuffer>, type: string, most: number): Promise<Form> {
  const body = new Response(bytes, { headers: { 'content-type': type } })
  const parts = await body.formData().catch(() => {
    throw new PageError(400, 'The form could not be read', 'Send it again from its page.')
  })
  const form = new URLSearchParams()
  for (const [name, value] of parts) {
    if (form.size >= most) throw tooLarge(`It may have ${most} fields.`)
    const text = typeof value === 'string' ? value : decoded(await value.bytes())
    expectText(name, text)
    form.append(name, text)
  }
  return form
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new PageError(400, 'The form could not be read', 'Its text must be UTF-8.')
  }
}
