/** What a tool takes: parameters as the contract has them, checked by the API's own parser before anything is called. */
import { ApiError } from '../contract/errors.ts'
import {
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

/** What the model sent, once it is checked: text, whole numbers, and lists as arrays. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** An endpoint's parameters as a tool offers them: without those that are always refused, and with shorter pages. */
export function offered(parameters: Parameters): Parameters {
  const entries = Object.entries(parameters)
    .filter(([, parameter]) => !(parameter.kind === 'choice' && parameter.rejected !== undefined))
    .map(([name, parameter]) => [name, name === 'limit' ? shorter(parameter) : parameter] as const)
  return Object.fromEntries(entries)
}

function shorter(parameter: Parameter): Parameter {
  if (parameter.kind !== 'integer') return parameter
  const { min, max } = parameter
  const description = `Records of the answer, ${min} to ${max}. The price is the same for all of these.`
  return { ...parameter, default: Math.min(DEFAULT_LIMIT, max), description }
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
      return { type: 'integer', minimum, maximum, default: fallback, description }
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
    // Models write null, or a list of nothing, for what they leave out.
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${encoded(name, name)}=${encoded(name, textOf(name, value))}`)
  const values = Object.entries(parseQuery(parameters, pairs.join('&')))
  // A list without values is not sent: the API would take it for a value that is empty.
  return Object.fromEntries(values.filter(([, value]) => !Array.isArray(value) || value.length > 0))
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
