/** Parts of schemas: records, nullable fields and the formats of the contract. */
import {
  FormatRegistry,
  type TLiteral,
  type TLiteralValue,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox'

/** Formats of the schemas. TypeBox refuses to check a value of a format that isn't registered. */
const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  uuid: (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  'date-time': (value) => !Number.isNaN(Date.parse(value)),
  uri: (value) => URL.canParse(value),
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
}
for (const [name, isValid] of Object.entries(FORMATS)) {
  if (!FormatRegistry.Has(name)) FormatRegistry.Set(name, isValid)
}

/** An object with these fields and no others. The OpenAPI document keeps it once, under its name. */
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

/** The value or null; the field itself is always there. @param description else the value's own. */
export function orNull<T extends TSchema>(schema: T, description = schema.description ?? '') {
  return Type.Union([schema, Type.Null()], { description })
}

/** A closed set of strings. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  description?: string,
): TUnion<TLiteral<Value>[]> {
  const literals = values.map((value) => Type.Literal(value))
  return Type.Union(literals, description ? { description } : {})
}

/**
 * A closed set that several records use. The OpenAPI document keeps it once, under its name, because generators
 * name the type of each field after the field otherwise.
 */
export function enumeration<const Value extends string>(
  name: string,
  values: readonly Value[],
  description: string,
): TUnion<TLiteral<Value>[]> {
  const literals = values.map((value) => Type.Literal(value))
  return Type.Union(literals, { $id: name, title: name, description })
}

export const constant = <const T extends TLiteralValue>(value: T, description: string) =>
  Type.Literal(value, { description })

export const list = <T extends TSchema>(items: T, description: string) =>
  Type.Array(items, { description })

export const text = (description: string) => Type.String({ description })
export const url = (description: string) => Type.String({ format: 'uri', description })
export const uuid = (description: string) => Type.String({ format: 'uuid', description })
export const flag = (description: string) => Type.Boolean({ description })
export const integer = (description: string) => Type.Integer({ description })

/** A whole number from 0. */
export const count = (description: string) => Type.Integer({ minimum: 0, description })

export const slug = (description: string) =>
  Type.String({ pattern: '^[a-z0-9-]{1,80}$', description })

/** ISO 8601 in UTC with milliseconds. */
export const time = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description,
  })
