/** The contract's schemas as JSON Schema 2020-12, in which MCP describes what a tool answers. */
import type { TSchema } from '@sinclair/typebox'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/**
 * A schema of an object. Records that have a name are objects with any fields: which ones a call is answered depends on its `fields`, and
 * every client is sent all of this before it asks for anything. `chainkin://docs/records` describes them.
 */
export function jsonSchemaOf(schema: TSchema): JsonObject {
  // Through JSON, because TypeBox marks its schemas by symbols.
  const body = plain(JSON.parse(JSON.stringify(schema)), true)
  if (!isObject(body)) throw new TypeError('a schema is an object')
  return body
}

/** @param isRoot whether a name is the schema's own */
function plain(schema: Json, isRoot = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => plain(item))
  if (!isObject(schema)) return schema
  const { $id, anyOf, additionalProperties: _, title: _name, properties, ...more } = schema
  if ($id !== undefined && !isRoot && isObject(properties)) return { type: 'object' }
  const { required: _all, ...rest } = more
  const others = Object.entries(rest).map(([key, value]) => [key, plain(value)])
  return {
    ...Object.fromEntries(others),
    ...(isObject(properties) && { properties: each(properties) }),
    ...(Array.isArray(anyOf) && union(anyOf)),
  }
}

/** Names of fields are no keywords, so a field `title` stays. */
function each(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties)
  return Object.fromEntries(entries.map(([name, field]) => [name, plain(field)]))
}

/** Constants are an enumeration, and a plain type with null a list of both types. */
function union(members: Json[]): JsonObject {
  const constants = members.map((member) => (isObject(member) ? member.const : undefined))
  if (constants.every((value) => value !== undefined)) return { enum: constants }
  const [first, second] = members
  if (members.length === 2 && isObject(first) && isObject(second) && second.type === 'null') {
    const { $id, type, description: _, const: constant } = first
    if ($id === undefined && constant === undefined && typeof type === 'string') {
      const { description: _own, ...only } = plain(first) as JsonObject
      return { ...only, type: [type, 'null'] }
    }
  }
  return { anyOf: members.map((member) => plain(member)) }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
