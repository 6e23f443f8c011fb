/** Validation of form fields. Each function returns the value as it is stored. */

/** A value that is refused. Its form shows the message beside the field. */
export class FieldError extends Error {
  override name = 'FieldError'
  readonly field: string
  /** Further errors of the same form. */
  readonly others: readonly FieldError[]

  constructor(field: string, message: string, others: readonly FieldError[] = []) {
    super(message)
    this.field = field
    this.others = others
  }
}

/**
 * Checks every field of a form, so that it shows at once all that is wrong with it.
 * @param checks by the names of their results, in the order of the fields
 * @throws FieldError the first one, with the others
 */
export async function validFields<T extends object>(
  checks: {
    [Name in keyof T]: () => T[Name] | Promise<T[Name]>
  },
): Promise<T> {
  const values: Partial<T> = {}
  const errors: FieldError[] = []
  for (const name of Object.keys(checks) as (keyof T)[]) {
    try {
      values[name] = await checks[name]()
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      errors.push(error)
    }
  }
  refuseAll(errors)
  return values as T
}

/** Refuses a form that has errors. @throws FieldError the first one, with the others */
export function refuseAll([first, ...others]: readonly FieldError[]): void {
  if (first) throw new FieldError(first.field, first.message, others)
}

/** Characters of a name or a label. */
export const MAX_NAME = 100
const MAX_CREDITS = 1_000_000_000
/** RFC 5321. */
const MAX_EMAIL = 254

// biome-ignore lint/suspicious/noControlCharactersInRegex: validation refuses these
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
/** Invisible characters, and characters that change the direction of text: an operator's list must read as it is. */
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

const visible = (value: string) => value.replaceAll(INVISIBLE, '')

/** A name or a label: text on one line. @throws FieldError */
export function validLine(field: string, value: string, maxLength = MAX_NAME): string {
  const line = visible(value).trim().normalize('NFC')
  if (line === '') throw new FieldError(field, 'Please fill this in.')
  if (line.length > maxLength) throw new FieldError(field, `At most ${maxLength} characters.`)
  if (CONTROL.test(line)) throw new FieldError(field, 'Only one line of text.')
  return line
}

/** A text of any number of lines, '' where it is blank. @throws FieldError */
export function validText(field: string, value: string, maxLength: number): string {
  const lines = visible(value).replace(/\r\n?/g, '\n')
  const text = lines.replaceAll('\t', ' ').trim().normalize('NFC')
  if (text.length > maxLength) throw new FieldError(field, `At most ${maxLength} characters.`)
  if (CONTROL.test(text.replaceAll('\n', ''))) throw new FieldError(field, 'Only text.')
  return text
}

/** A number of credits. @throws FieldError */
export function validCredits(field: string, value: string): number {
  // A comma parts thousands and nothing else: "1,5" is no amount.
  const isWhole = /^(\d{1,10}|\d{1,3}(,\d{3}){1,3})$/.test(value.trim())
  const amount = isWhole ? Number(value.replaceAll(',', '')) : 0
  if (amount >= 1 && amount <= MAX_CREDITS) return amount
  const most = MAX_CREDITS.toLocaleString('en-US')
  throw new FieldError(field, `Write a whole number of credits from 1 to ${most}.`)
}

/** An e-mail address as it is stored, if it is one. */
export const storedEmail = (value: string) => visible(value).trim().toLowerCase()

/** An e-mail address, in lower case. @throws FieldError */
export function validEmail(field: string, value: string): string {
  const email = storedEmail(value)
  if (!isEmail(email)) throw new FieldError(field, 'An address like ada@example.com.')
  return email
}

const EMAIL = /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+\.[^\s@.,;:<>()[\]"\\]+$/

/** True if a text has the form of an e-mail address. */
export function isEmail(text: string): boolean {
  return (
    text.length <= MAX_EMAIL && EMAIL.test(text) && !CONTROL.test(text) && visible(text) === text
  )
}
