/**
 * Rules for new passwords, after NIST SP 800-63B: any characters, long enough, and none that attackers try first. There are no
 * rules about capitals, digits or signs. Older passwords keep working.
 */

import { once } from '../../once.ts'
import { FieldError, storedEmail } from './validation.ts'

/** Characters, which are code points. */
export const MIN_PASSWORD = 10
const MAX_PASSWORD = 200

/** The product's own name. The operator's is `serviceName`. */
const PRODUCT = 'chainkin'

/** Owner of the password. */
interface Owner {
  /** E-mail address, as typed or as stored. */
  email: string
  serviceName: string
}

/** @returns the password as it was given; hashing normalises it. @throws FieldError which says why it is refused */
export async function validNewPassword(
  field: string,
  value: string,
  { email, serviceName }: Owner,
): Promise<string> {
  const text = value.normalize('NFKC')
  const { length } = [...text]
  if (length < MIN_PASSWORD) throw new FieldError(field, `At least ${MIN_PASSWORD} characters.`)
  if (length > MAX_PASSWORD) throw new FieldError(field, `At most ${MAX_PASSWORD} characters.`)
  const forms = formsOf(text.toLowerCase())
  const address = storedEmail(email)
  const [localPart = ''] = address.split('@')
  const names = [address, localPart, serviceName.toLowerCase(), PRODUCT]
  if (forms.some((form) => names.includes(form))) {
    throw new FieldError(
      field,
      'This is your address or the name of this service. Choose another password.',
    )
  }
  const common = await commonPasswords()
  if (isPattern(forms[0] ?? '') || forms.some((form) => common.has(form))) {
    throw new FieldError(
      field,
      'Many people use this password, so it is tried first by whoever guesses. Choose another.',
    )
  }
  return value
}

/** Common endings behind a word: a year, a few digits, a sign. */
const ENDING = /^(.+?)[\p{N}\p{P}\p{S}\s]{1,5}$/u
const REPEATED = /^(.+?)\1+$/u

/** A password and what it is made of: without a short ending, and what it repeats. */
function formsOf(text: string): string[] {
  return [text, ENDING.exec(text)?.[1] ?? text, REPEATED.exec(text)?.[1] ?? text]
}

/** True if it repeats up to four characters, or counts up or down: `abababababab`, `9876543210`. */
function isPattern(text: string): boolean {
  if (/^(.{1,4})\1+$/u.test(text)) return true
  const points = [...text].map((character) => character.codePointAt(0) ?? 0)
  return [1, -1].some((step) =>
    points.every((point, index) => index === 0 || point - (points[index - 1] ?? 0) === step),
  )
}

/** The 50,000 most common ones, in lower case. Loaded when first asked for: a start doesn't need them. */
const commonPasswords = once(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
})
