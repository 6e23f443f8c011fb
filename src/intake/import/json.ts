/** JSON whose long numbers keep their digits: ids of many systems have more of them than a number of JavaScript holds. */

/** A run of digits that a number may lose. Few texts have one, and only those are looked at number by number. */
const MANY_DIGITS = /\d[\d.]{15}/
const LONG_NUMBER = /^-?(?:\d{16,}|(?=[\d.]{17})\d+\.\d+)$/

/**
 * `JSON.parse`, but numbers with more digits than a number of JavaScript holds are texts of their digits. A reviver takes seven times
 * as long, so it is left out where no number is that long.
 */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, MANY_DIGITS.test(text) ? withDigits : undefined)

function withDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const digits = context?.source ?? ''
  return LONG_NUMBER.test(digits) && digits !== String(value) ? digits : value
}
