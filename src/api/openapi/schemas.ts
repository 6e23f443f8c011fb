/** TypeBox schemas in OpenAPI 3.0, which knows no `const`, no type `null` and no `$id`. */
import type { TSchema } from '@sinclair/typebox'
import { BODIES } from '../../contract/schemas/bodies.ts'
import { error } from '../../contract/schemas/error.ts'

/** A part of an OpenAPI document. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Schemas with a name (`$id`), at any depth, by that name. */
export function namedSchemas(): Record<string, TSchema> {
  const named: Record<string, TSchema> = {}
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    if (isNamed(value)) named[value.$id] = value
    Object.values(value).forEach(visit)
  }
  visit([BODIES, error])
  return named
}

/** The named enumerations, by their values. */
const ENUMERATIONS = new Map(
  Object.entries(namedSchemas()).map(([name, { anyOf }]) => [valuesOf(anyOf).join(), name]),
)

/** A closed set of strings, as a reference where a component has the same values. */
export function closedSet(values: readonly string[]): JsonObject {
  const name = ENUMERATIONS.get(values.join())
  return name === undefined ? { type: 'string', enum: [...values] } : reference(name)
}

function valuesOf(members: readonly TSchema[] = []): string[] {
  return members.map((member) => member.const)
}

function isNamed(value: object): value is TSchema & { $id: string } {
  return '$id' in value
}

type Component = 'schemas' | 'parameters' | 'headers' | 'responses' | 'examples'

/** A reference to a component of the document. */
export function reference(name: string, component: Component = 'schemas'): JsonObject {
  return { $ref: `#/components/${component}/${name}` }
}

/** References by the components' own names. */
export function references(names: readonly string[], component: Component): JsonObject {
  return Object.fromEntries(names.map((name) => [name, reference(name, component)]))
}

/** One schema in OpenAPI 3.0. Named schemas in it become references; `isRoot` is the definition of its own name. */
export function openApi30(schema: Json, isRoot = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => openApi30(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, const: constant, anyOf, additionalProperties: _, ...rest } = schema
  if (typeof $id === 'string' && !isRoot) return reference($id)
  // Clients must accept unknown fields, because a minor version may add some (contract, Versioning).
  const plain = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, openApi30(value)]),
  )
  // Bounds, because generators make a type of its own of each enumeration of numbers.
  if (typeof constant === 'number') {
    return { ...plain, type: 'integer', minimum: constant, maximum: constant }
  }
  if (constant !== undefined) return { ...plain, enum: [constant] }
  if (plain.type === 'null') {
    const { type: _, ...untyped } = plain
    return { ...untyped, ...NULL }
  }
  return Array.isArray(anyOf) ? { ...plain, ...union(anyOf) } : plain
}

/** 3.0 has no type for null, and a schema without a type allows it. */
const NULL = { enum: [null] }

/** `anyOf` of constants is an enumeration; a plain type with null is nullable, and others stand beside null. */
function union(members: Json[]): JsonObject {
  const types = members.filter((member) => !isNull(member)).map((member) => openApi30(member))
  const hasNull = types.length < members.length
  const constants = enumeration(types)
  if (constants && !hasNull) return constants
  const [only] = types
  if (hasNull && types.length === 1 && isObject(only) && 'type' in only && !('enum' in only)) {
    return { ...only, nullable: true }
  }
  return { anyOf: hasNull ? [...types, NULL] : types }
}

function enumeration(types: Json[]): JsonObject | undefined {
  const values = types.map((type) => (isObject(type) && Array.isArray(type.enum) ? type.enum : []))
  return values.every((value) => value.length > 0)
    ? { type: 'string', enum: values.flat() }
    : undefined
}

function isNull(schema: Json): boolean {
  return isObject(schema) && schema.type === 'null'
}

/** The document in OpenAPI 3.1, whose schemas have a type for null. */
export function openApi31(document: JsonObject): JsonObject {
  return { ...typedNull(document), openapi: '3.1.1' }
}

/** Null as a type, wherever a schema allows it. */
function typedNull({ nullable, ...part }: JsonObject): JsonObject {
  const { enum: values, ...described } = part
  if (Array.isArray(values) && values.every((value) => value === null)) {
    return { ...described, type: 'null' }
  }
  const inner = Object.entries(part).map(([key, value]) => {
    if (key === 'example' || key === 'examples') return [key, value]
    if (Array.isArray(value)) return [key, value.map((it) => (isObject(it) ? typedNull(it) : it))]
    return [key, isObject(value) ? typedNull(value) : value]
  })
  return Object.fromEntries(nullable ? [...inner, ['type', [part.type, 'null']]] : inner)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
