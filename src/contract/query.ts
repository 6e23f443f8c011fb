/**
 * Query parameters: what an endpoint accepts, in one table that the parser and the documentation
 * read. Strict on purpose: on a paid API a misspelt filter must not cost credits (D10, D11).
 */
import { closest } from 'fastest-levenshtein'
import { ApiError } from './errors.ts'

interface Described {
  description: string
  example?: string
}

/** `q`: trimmed, at most `maxLength` characters; empty is as if absent. */
export interface TextParameter extends Described {
  kind: 'text'
  maxLength: number
  required?: boolean
}

/** A whole number, clamped to `min..max` (D45). */
export interface IntegerParameter extends Described {
  kind: 'integer'
  default: number
  min: number
  max: number
}

/** One of a closed set. */
export interface ChoiceParameter extends Described {
  kind: 'choice'
  choices: readonly string[]
  /** Said instead of the usual message when the parameter is sent at all. */
  rejected?: string
}

/** Comma-separated values, OR-ed; with `choices` a closed set, else anything may be asked for. */
export interface ListParameter extends Described {
  kind: 'list'
  choices?: readonly string[]
  /** May be sent several times, also as `name[]`. */
  repeatable?: boolean
}

export type Parameter = TextParameter | IntegerParameter | ChoiceParameter | ListParameter
export type Parameters = Readonly<Record<string, Parameter>>

type Value<P extends Parameter> = P extends IntegerParameter
  ? number
  : P extends ListParameter
    ? P extends { choices: readonly (infer C)[] }
      ? C[]
      : string[]
    : P extends ChoiceParameter
      ? P['choices'][number] | undefined
      : P extends { required: true }
        ? string
        : string | undefined

/** What a handler gets: lists are arrays, integers have their default, the rest may be undefined. */
export type Values<P extends Parameters> = { -readonly [Name in keyof P]: Value<P[Name]> }

/** No parameter's value may be longer: a bound on work before anything is understood. */
const MAX_LIST_VALUES = 100

/**
 * Reads the query string of a URL (without its `?`).
 * @throws ApiError invalid_parameter, unknown_parameter or missing_parameter (gate 5)
 */
export function parseQuery<P extends Parameters>(parameters: P, query: string): Values<P> {
  const sent = new Map<string, string[]>()
  for (const [name, value] of decodePairs(query)) {
    const known = knownName(parameters, name)
    const values = sent.get(known)
    if (values) values.push(value)
    else sent.set(known, [value])
  }
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    values[name] = parseValue(name, parameter, sent.get(name) ?? [])
  }
  return values as Values<P>
}

function* decodePairs(query: string): Generator<[string, string]> {
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), 'the query string')
    yield [name, decode(equals < 0 ? '' : pair.slice(equals + 1), name)]
  }
}

/**
 * Decodes percent-encoding strictly: bad sequences, bad UTF-8 and NUL are refused (D11).
 * @param where names the place in the error.
 */
export function decode(text: string, where: string): string {
  let decoded: string | undefined
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // Falls through to the one error below.
  }
  if (decoded === undefined || decoded.includes('\0')) {
    throw new ApiError('invalid_parameter', `${where} is not valid percent-encoded UTF-8 text.`, {
      parameter: where,
      allowed: 'percent-encoded UTF-8 without NUL',
    })
  }
  return decoded
}

function knownName(parameters: Parameters, name: string): string {
  if (Object.hasOwn(parameters, name)) return name
  const plain = name.endsWith('[]') ? name.slice(0, -2) : undefined
  if (plain !== undefined && Object.hasOwn(parameters, plain)) {
    const parameter = parameters[plain]
    if (parameter?.kind === 'list' && parameter.repeatable) return plain
  }
  const allowed = Object.keys(parameters)
  const shown = JSON.stringify(name.slice(0, 40))
  const hint =
    allowed.length > 0
      ? `Did you mean ${closest(name.slice(0, 40), allowed)}?`
      : 'This endpoint takes none.'
  throw new ApiError('unknown_parameter', `There is no parameter ${shown} here. ${hint}`, {
    parameter: name.slice(0, 40),
    allowed,
  })
}

function parseValue(name: string, parameter: Parameter, sent: string[]): unknown {
  const repeatable = parameter.kind === 'list' && parameter.repeatable
  if (sent.length > 1 && !repeatable) {
    throw invalid(
      name,
      `${name} was given ${sent.length} times; it may be given once.`,
      'one value',
    )
  }
  switch (parameter.kind) {
    case 'text':
      return parseText(name, parameter, sent[0])
    case 'integer':
      return parseInteger(name, parameter, sent[0])
    case 'choice':
      return parseChoice(name, parameter, sent[0])
    case 'list':
      return parseList(name, parameter, sent)
  }
}

function parseText(name: string, parameter: TextParameter, sent = ''): string | undefined {
  const text = sent.trim()
  if ([...text].length > parameter.maxLength) {
    const allowed = `at most ${parameter.maxLength} characters`
    throw invalid(
      name,
      `${name} has ${[...text].length} characters; ${allowed} are allowed.`,
      allowed,
    )
  }
  if (text !== '') return text
  if (!parameter.required) return undefined
  throw new ApiError('missing_parameter', `${name} is required.`, { parameter: name })
}

function parseInteger(name: string, parameter: IntegerParameter, sent: string | undefined): number {
  if (sent === undefined) return parameter.default
  if (!/^[+-]?\d+$/.test(sent.trim())) {
    throw invalid(name, `${name} must be a whole number.`, 'a whole number')
  }
  // However many digits there are (D45): beyond a double's range it is infinite, and clamped too.
  return Math.min(Math.max(Number(sent), parameter.min), parameter.max)
}

function parseChoice(
  name: string,
  parameter: ChoiceParameter,
  sent: string | undefined,
): string | undefined {
  if (sent === undefined) return undefined
  if (parameter.rejected) throw invalid(name, parameter.rejected, [])
  if (parameter.choices.includes(sent)) return sent
  throw invalid(name, `${name} must be one of ${parameter.choices.join(', ')}.`, parameter.choices)
}

function parseList(name: string, { choices }: ListParameter, sent: string[]): string[] {
  const values = sent
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
  if (values.length > MAX_LIST_VALUES) {
    const allowed = `at most ${MAX_LIST_VALUES} values`
    throw invalid(name, `${name} has ${values.length} values; ${allowed} are allowed.`, allowed)
  }
  if (!choices) return values
  for (const value of values) {
    if (!choices.includes(value)) {
      throw invalid(name, `${name} may hold ${choices.join(', ')}.`, choices)
    }
  }
  return values
}

function invalid(
  parameter: string,
  message: string,
  allowed: readonly string[] | string,
): ApiError {
  return new ApiError('invalid_parameter', message, { parameter, allowed })
}
