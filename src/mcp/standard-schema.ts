/** A JSON Schema as the protocol's library takes it. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { JsonObject } from './schemas.ts'

/**
 * A schema that is shown and takes every value: tools check what they are given in the API's own words, and what the API
 * answers has been charged, so that refusing it here would lose it.
 */
export function shown(schema: JsonObject): StandardSchemaWithJSON {
  return {
    '~standard': {
      version: 1,
      vendor: 'chainkin',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}
