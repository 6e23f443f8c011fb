/** The contract's schemas as JSON Schema 2020-12, in which MCP describes what a tool answers. */
import type { TSchema } from '@sinclair/typebox'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/**
 * A schema of an object. Records that have a name stand once, under `$defs`, and their fields are not described there: every
 * client is sent all of it before it asks for anything, and `chainkin://docs/records` describes them. Unknown fields are
 * allowed, because a minor version of the API may add some.
 */
export function jsonSchemaOf(schema: TSchema): JsonObject {
  const definitions: JsonObject = {}
  // Through JSON, because TypeBox marks its schemas by symbols.
  const body = plain(JSON.parse(JSON.stringify(schema)), definitions, true)
  if (!isObject(body)) throw new TypeError('a schema is an object')
  return Object.keys(definitions).length > 0 ? { ...body, $defs: definitions } : body
}

/** @param definitions collects the named schemas. @param isRoot whether a name is the schema's own, which stands here. */
function plain(schema: Json, definitions: JsonObject, isRoot = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => plain(item, definitions))
  if (!isObject(schema)) return schema
  const { $id, anyOf, additionalProperties: _, title: _name, properties, ...rest } = schema
  if (typeof $id === 'string' && !isRoot) {
    if (!($id in definitions)) {
      // Noted before its members are, so that each is written once.
      definitions[$id] = {}
      definitions[$id] = undescribed(plain(schema, definitions, true))
    }
    return { $ref: `#/$defs/${$id}` }
  }
  const others = Object.entries(rest).map(([key, value]) => [key, plain(value, definitions)])
  return {
    ...Object.fromEntries(others),
    ...(isObject(properties) && { properties: each(properties, definitions) }),
    ...(Array.isArray(anyOf) && union(anyOf, definitions)),
  }
}

/** A field may be named `description`: then it has a schema, and no text. */
function undescribed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(undescribed)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema)
    .filter(([key, value]) => key !== 'description' || typeof value !== 'string')
    .map(([key, value]) => [key, undescribed(value)])
  return Object.fromEntries(entries)
}

/** Names of fields are no keywords, so a field `title` stays. */
function each(properties: JsonObject, definitions: JsonObject): JsonObject {
  const entries = Object.entries(properties)
  return Object.fromEntries(entries.map(([name, field]) => [name, plain(field, definitions)]))
}

/** Constants are an enumeration, and a plain type with null a list of both types. */
function union(members: Json[], definitions: JsonObject): JsonObject {
  const constants = members.map((member) => (isObject(member) ? member.const : undefined))
  if (constants.every((value) => value !== undefined)) return { enum: constants }
  const [first, second] = members
  if (members.length === 2 && isObject(first) && isObject(second) && second.type === 'null') {
    const { $id, type, description: _, const: constant } = first
    if ($id === undefined && constant === undefined && typeof type === 'string') {
      const { description: _own, ...only } = plain(first, definitions) as JsonObject
      return { ...only, type: [type, 'null'] }
    }
  }
  return { anyOf: members.map((member) => plain(member, definitions)) }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
