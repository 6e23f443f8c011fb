/** What the schemas are made of: records, nullable fields and the few formats of the contract. */
import {
  type SchemaOptions,
  type TLiteral,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox'
import { registerFormats } from './formats.ts'

registerFormats()

/**
 * An object with these fields and no others. It has a name, under which the OpenAPI document keeps
 * it once, wherever it is used.
 */
export function record<T extends TProperties>(
  name: string,
  description: string,
  properties: T,
): TObject<T> {
  return Type.Object(properties, {
    $id: name,
    title: name,
    description,
    additionalProperties: false,
  })
}

/** The value or null; the field itself is always there. */
export function nullable<T extends TSchema>(schema: T, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** One of a closed set of strings. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  options: SchemaOptions = {},
): TUnion<TLiteral<Value>[]> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  )
}

export function text(description: string) {
  return Type.String({ description })
}

export function nullableText(description: string) {
  return nullable(Type.String(), { description })
}

export function nullableUrl(description: string) {
  return nullable(Type.String({ format: 'uri' }), { description })
}

export function flag(description: string) {
  return Type.Boolean({ description })
}

/** A whole number from 0. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

export function nullableCount(description: string) {
  return nullable(Type.Integer({ minimum: 0 }), { description })
}

export function uuid(description: string) {
  return Type.String({ format: 'uuid', description })
}

/** What a slug is made of (D24). */
const SLUG = '^[a-z0-9-]{1,80}$'

export function slug(description: string) {
  return Type.String({ pattern: SLUG, description })
}

export function nullableSlug(description: string) {
  return nullable(Type.String({ pattern: SLUG }), { description })
}

/** ISO 8601 in UTC with milliseconds (D32). */
const TIME = {
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
}

export function time(description: string) {
  return Type.String({ ...TIME, description })
}

export function nullableTime(description: string) {
  return nullable(Type.String(TIME), { description })
}
