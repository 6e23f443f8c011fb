/** Shapes that the schemas of the control are made of. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'

export const named = (name: string, properties: TProperties, description: string) =>
  Type.Object(properties, { $id: name, description })
export const text = (description: string, more = {}) => Type.String({ description, ...more })
export const count = (description: string, minimum = 0) => Type.Integer({ description, minimum })
export const flag = (description: string) => Type.Boolean({ description })
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
export const list = (items: TSchema, description: string) => Type.Array(items, { description })
export const oneOf = (values: readonly string[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  )
/** All of them may be left out. */
export const optional = (properties: TProperties): TProperties =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  )

export const id = (what: string) => text(`The id of ${what}.`, { format: 'uuid' })
export const time = (description: string) => text(description, { format: 'date-time' })
export const row = Type.Object({}, { description: 'Fields by their names.' })
