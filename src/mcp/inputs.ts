/** Arguments of tools: the contract's parameters, checked by the API's own parser before a call. */
import { ApiError } from '../contract/errors.ts'
import { PEOPLE_PARAMETERS } from '../contract/parameters.ts'
import {
  type IntegerParameter,
  type Parameter,
  type Parameters,
  parseQuery,
  type TextParameter,
} from '../contract/query.ts'
import type { JsonObject } from './schemas.ts'

/** Records of a page where the model names no other number: a page of 30 fills its context, and costs the same. */
export const DEFAULT_LIMIT = 10

/** The record that a tool is about. */
export const ID = {
  kind: 'text',
  maxLength: 200,
  required: true,
  description: 'The id or the slug, as lists and search answer them.',
} as const satisfies TextParameter

/** Checked arguments: text, whole numbers, and lists as arrays. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Descriptions in place of the contract's, which speak of addresses. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  roles: 'Any of these roles.',
  channels: 'Any of these channels on file.',
  sector: "Any of these sectors, of people their company's; case is ignored.",
}

/** An endpoint's parameters as a tool offers them: without those that are always refused, and with shorter pages. */
export function offered(parameters: Parameters): Parameters {
  const entries = Object.entries(parameters)
    .filter(([, parameter]) => !(parameter.kind === 'choice' && parameter.rejected !== undefined))
    .map(([name, parameter]) => [name, forModel(name, parameter)] as const)
  return Object.fromEntries(entries)
}

function forModel(name: string, parameter: Parameter): Parameter {
  const description = DESCRIPTIONS[name] ?? parameter.description
  if (name === 'limit' && parameter.kind === 'integer') return limitOf(DEFAULT_LIMIT, parameter.max)
  if (parameter.kind !== 'list') return { ...parameter, description }
  // A value that matches nothing is refused, so that it costs nothing.
  const choices = parameter.choices ?? parameter.known
  return { ...parameter, description, ...(choices && { choices }) }
}

function limitOf(rows: number, max: number): IntegerParameter {
  const description = `Records of the answer, 1 to ${max}. The price is the same for all of these.`
  return { kind: 'integer', default: Math.min(rows, max), min: 1, max, description }
}

/** The parameters of a list that the API answers whole and a tool in pages. */
export function pagesOf(rows: number): Parameters {
  const { page } = PEOPLE_PARAMETERS
  return { page, limit: limitOf(rows, rows) }
}

/** One page of the rows. @param given the call's arguments, by `pagesOf` */
export function pageOf<Row>(rows: readonly Row[], given: Readonly<Record<string, unknown>>) {
  const [page, limit] = [Number(given.page), Number(given.limit)]
  const { length: total } = rows
  const slice = rows.slice((page - 1) * limit, page * limit)
  return { rows: slice, total, page, limit, totalPages: Math.ceil(total / limit) }
}

/** The parameters as JSON Schema, for `tools/list`. */
export function inputSchemaOf(parameters: Parameters): JsonObject {
  const entries = Object.entries(parameters)
  const required = entries.filter(([, it]) => it.kind === 'text' && it.required)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, it]) => [name, propertyOf(it)])),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    additionalProperties: false,
  }
}

function propertyOf(parameter: Parameter): JsonObject {
  const { description } = parameter
  switch (parameter.kind) {
    case 'text':
      return { type: 'string', maxLength: parameter.maxLength, description }
    case 'integer': {
      const { min: minimum, max: maximum, default: fallback } = parameter
      const isBounded = maximum < Number.MAX_SAFE_INTEGER
      const range = { minimum, ...(isBounded && { maximum }) }
      return { type: 'integer', ...range, default: fallback, description }
    }
    case 'choice':
      return { type: 'string', enum: [...parameter.choices], description }
    case 'list': {
      const { choices } = parameter
      const items = choices ? { type: 'string', enum: [...choices] } : { type: 'string' }
      return { type: 'array', items, description }
    }
  }
}

/** @param given as the model sent it. @throws ApiError that names the argument and what is allowed, in the API's words */
export function parseArguments(parameters: Parameters, given: unknown): Arguments {
  const pairs = Object.entries(given ?? {})
    .map(([name, value]) => [name, argumentOf(name, parameters[name], value)] as const)
    // Models write null, an empty text or a list of nothing for what they leave out.
    .filter(([, value]) => !(value === null || value === '' || isEmptyList(value)))
    .map(([name, value]) => `${encoded(name, name)}=${encoded(name, textOf(name, value))}`)
  const values = Object.entries(parseQuery(parameters, pairs.join('&')))
  // A list without values is not sent: the API would take it for a value that is empty.
  return Object.fromEntries(values.filter(([, value]) => !isEmptyList(value)))
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/** The value that the argument stands for. */
function argumentOf(name: string, parameter: Parameter | undefined, value: unknown): unknown {
  if (parameter?.kind === 'integer') return checkRange(name, parameter, value)
  if (parameter?.kind === 'list' && typeof value === 'string') return listIn(name, value)
  return value
}

/** Models write a list as the text of one, too. As a value it would match nothing, and be charged. */
function listIn(name: string, text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {
    // Refused as any other value that is no list.
  }
  throw wrong(name, 'a list of texts, as in ["one", "two"]')
}

/** The API clamps; a model was told the range, and would take the page for what it asked for. */
function checkRange(name: string, { min, max }: IntegerParameter, value: unknown): unknown {
  const number = value === null || value === '' ? min : Number(value)
  if (!(number < min || number > max)) return value
  const end = max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ' on'
  throw wrong(name, `a whole number from ${min}${end}`)
}

function textOf(name: string, value: unknown): string {
  const values = Array.isArray(value) ? value : [value]
  if (values.every((it) => ['string', 'number', 'boolean'].includes(typeof it))) {
    return values.join(',')
  }
  throw wrong(name, 'text, a number or a list of texts')
}

/** A lone half of a surrogate pair can't be encoded. */
function encoded(name: string, text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text)
  throw wrong(name, 'well-formed Unicode text')
}

function wrong(name: string, allowed: string): ApiError {
  const parameter = name.slice(0, 40).toWellFormed()
  return new ApiError('invalid_parameter', `${parameter} must be ${allowed}.`, {
    parameter,
    allowed,
  })
}
