/** Query parameters and their strict parser: a misspelt filter must cost nothing. */
import { closest, distance } from 'fastest-levenshtein'
import { ApiError } from './errors.ts'

interface Described {
  description: string
  example?: string
}

/** Text, trimmed; an empty one counts as absent. */
export interface TextParameter extends Described {
  kind: 'text'
  maxLength: number
  required?: boolean
}

/** A whole number, clamped to `min..max`. */
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
  /** Message of a parameter that is always refused. */
  rejected?: string
}

/** Values, OR-ed: comma-separated, sent several times, or as `name[]`. Without `choices`, any value is allowed. */
export interface ListParameter extends Described {
  kind: 'list'
  choices?: readonly string[]
  /** Values of the contract. Others are allowed, unless they are near one (`near-values.ts`). */
  known?: readonly string[]
  /** OpenAPI's `explode`: the document shows the parameter repeated, else comma-separated. */
  explode?: boolean
}

/**
 * Text of spaces and control characters alone, which counts as absent where a parameter is required. The OpenAPI document has
 * the pattern too.
 */
export const BLANK = '^[\\s\\x00-\\x1f\\x85]*$'
const blank = new RegExp(BLANK)

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

/** Parsed values: lists are arrays, integers have their default, the rest may be undefined. */
export type Values<P extends Parameters> = { -readonly [Name in keyof P]: Value<P[Name]> }

/** Maximum of values of a list, which bounds the work of a call. */
const MAX_LIST_VALUES = 100

/** Reads a query string without its `?`. @throws ApiError invalid_, unknown_ or missing_parameter (gate 5) */
export function parseQuery<P extends Parameters>(parameters: P, query: string): Values<P> {
  const sent = new Map<string, string[]>()
  for (const [name, value] of decodePairs(query)) {
    const known = knownName(parameters, name)
    sent.set(known, [...(sent.get(known) ?? []), value])
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

/** Decodes percent-encoding; bad sequences, bad UTF-8 and NUL are refused. @param where for the message. */
export function decode(text: string, where: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    if (!decoded.includes('\0')) return decoded
  } catch {
    // Refused like a NUL, below.
  }
  const message = `${where} is not valid percent-encoded UTF-8 text.`
  throw invalid(where, message, 'percent-encoded UTF-8 without NUL')
}

function knownName(parameters: Parameters, name: string): string {
  const plain = name.endsWith('[]') ? name.slice(0, -2) : name
  const known = Object.hasOwn(parameters, plain) ? parameters[plain] : undefined
  if (known && (plain === name || known.kind === 'list')) return plain
  const allowed = Object.keys(parameters)
  const parameter = name.slice(0, 40)
  const nearest = allowed.length > 0 && (sameMeaning(plain, allowed) ?? closest(parameter, allowed))
  const hint = nearest ? `Did you mean ${nearest}?` : 'This endpoint takes none.'
  const message = `There is no parameter ${JSON.stringify(parameter)} here. ${hint}`
  throw new ApiError('unknown_parameter', message, { parameter, allowed })
}

/** Names of a parameter in other APIs, in lower-case letters. */
const MEANINGS: Readonly<Record<string, string>> = {
  limit:
    'count first max maxresults num pagesize per perpage records results resultsperpage rows size take top',
  page: 'after cursor from index offset pageindex pageno pagenum pagenumber pagetoken skip start startindex',
  q: 'filter find keyword keywords name query search searchterm term text',
  sort: 'by direction order orderby ordering sortby sortorder',
  sector: 'categories category industries industry tag tags topic vertical',
  roles: 'function job jobtitle position title',
  channels: 'contact contacts has',
  token: 'haslaunched haslaunchedtoken istokenlaunched launched tge tokenlaunched tokenstatus',
  fundType: 'category investortype kind type',
  trustTier: 'rank rating score tier trust',
  contactType: 'kind type',
  include: 'contacts expand fields private reveal with',
}

/** The endpoint's parameter of this meaning. */
function sameMeaning(name: string, parameters: readonly string[]): string | undefined {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '')
  return parameters.find((one) => MEANINGS[one]?.split(' ').includes(letters))
}

function parseValue(name: string, parameter: Parameter, sent: string[]): unknown {
  if (sent.length > 1 && parameter.kind !== 'list') {
    const message = `${name} was given ${sent.length} times; it may be given once.`
    throw invalid(name, message, 'one value')
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
  const { length } = [...text]
  if (length > parameter.maxLength) {
    const allowed = `at most ${parameter.maxLength} characters`
    throw invalid(name, `${name} has ${length} characters; ${allowed} are allowed.`, allowed)
  }
  if (parameter.required ? !blank.test(text) : text !== '') return text
  if (!parameter.required) return undefined
  throw new ApiError('missing_parameter', `${name} is required.`, { parameter: name })
}

function parseInteger(name: string, parameter: IntegerParameter, sent: string | undefined): number {
  if (sent === undefined) return parameter.default
  if (!/^[+-]?\d+$/.test(sent.trim())) {
    throw invalid(name, `${name} must be a whole number.`, 'a whole number')
  }
  // A number beyond a double's range is infinite, and clamped too.
  return Math.min(Math.max(Number(sent), parameter.min), parameter.max)
}

function parseChoice(name: string, parameter: ChoiceParameter, sent?: string): string | undefined {
  if (sent === undefined) return undefined
  if (parameter.rejected) throw invalid(name, parameter.rejected, [])
  if (parameter.choices.includes(sent)) return sent
  throw notAmong(parameter.choices, sent, name, `${name} must be one of`)
}

/** Typos that a value of a closed set may have and still be named. */
const MOST_TYPOS = 2

/** The error of a value outside a closed set, with the choice that it nearly is. */
function notAmong(choices: readonly string[], value: string, name: string, message: string) {
  const nearest = closest(value.toLowerCase(), choices)
  const typos = distance(value.toLowerCase(), nearest)
  const isNear = typos <= MOST_TYPOS && typos * 2 <= nearest.length
  const hint = isNear ? ` Did you mean ${nearest}?` : ''
  return invalid(name, `${message} ${choices.join(', ')}.${hint}`, choices)
}

function parseList(name: string, { choices }: ListParameter, sent: string[]): string[] {
  // An empty value of a closed set is refused: a script's empty variable must not buy the whole list.
  const values = sent
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '' || choices)
  if (values.length > MAX_LIST_VALUES) {
    const allowed = `at most ${MAX_LIST_VALUES} values`
    throw invalid(name, `${name} has ${values.length} values; ${allowed} are allowed.`, allowed)
  }
  if (!choices) return values
  return values.map((value) => {
    const choice = choices.find((one) => one.toLowerCase() === value.toLowerCase())
    if (choice !== undefined) return choice
    throw notAmong(choices, value, name, `${name} may hold`)
  })
}

function invalid(parameter: string, message: string, allowed: readonly string[] | string) {
  return new ApiError('invalid_parameter', message, { parameter, allowed })
}
