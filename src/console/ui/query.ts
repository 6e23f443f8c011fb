/**
 * Query parameters of the console's pages, read and checked. A parameter that is missing or blank sets nothing; an unsupported
 * value is answered 400 by a page that names the parameter and its values.
 */
import { uuidOf } from '../../database/uuid.ts'
import { addressMistake } from '../../site/http/page-error.ts'

/** Last page of a list: further ones take longer to read, and a search finds sooner. */
export const MAX_PAGE = 200
/** Characters of a search; what is behind them is cut off. */
export const MAX_TEXT = 254

const parameter = (params: URLSearchParams, name: string) => params.get(name)?.trim() || undefined

/** The number of a list's page, from 1. @throws PageError 400 */
export function pageIn(params: URLSearchParams): number {
  const page = numberIn(params, 'page', `a whole number from 1 to ${MAX_PAGE}`) ?? 1
  if (page <= MAX_PAGE) return page
  throw addressMistake('page', `a whole number from 1 to ${MAX_PAGE}`)
}

/** Search text; empty if there is none. */
export const textIn = (params: URLSearchParams) => (parameter(params, 'q') ?? '').slice(0, MAX_TEXT)

/** An id, in small letters. @throws PageError 400 */
export function idIn(params: URLSearchParams, name: string): string | undefined {
  const text = parameter(params, name)
  const id = uuidOf(text)
  if (text === undefined || id !== undefined) return id
  throw addressMistake(name, 'an id (a UUID)')
}

/** The person who did something: an e-mail address, or the name that a command was given. */
export const whoIn = (params: URLSearchParams): string | undefined => parameter(params, 'who')

/**
 * A number from 1, as the log and the journal count their lines.
 * @param expected what the parameter takes, in words
 * @throws PageError 400
 */
export function numberIn(
  params: URLSearchParams,
  name: string,
  expected: string,
): number | undefined {
  const text = parameter(params, name)
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw addressMistake(name, expected)
}

/**
 * One of several values.
 * @param otherwise default; without it the parameter is required
 * @throws PageError 400
 */
export function choiceIn<T extends string>(
  params: URLSearchParams,
  name: string,
  choices: readonly T[],
  otherwise?: T,
): T {
  const value = parameter(params, name) ?? otherwise
  const choice = choices.find((each) => each === value)
  if (choice === undefined) throw addressMistake(name, `one of ${choices.join(', ')}`)
  return choice
}
