/** Columns that tables of several rooms share. */
import { sql } from 'drizzle-orm'
import { type AnyPgColumn, customType, text, uuid } from 'drizzle-orm/pg-core'

/** A moment, which the connection gives as ISO 8601 text in UTC (`isoTime`). */
export const time = customType<{ data: string }>({ dataType: () => 'timestamp with time zone' })

export const created = () => time('created_at').notNull().default(sql`now()`)

/** An id that the database makes. */
export const newId = () => uuid('id').primaryKey().default(sql`gen_random_uuid()`)

/** A reference without which the row doesn't exist: both are deleted together. */
export const owner = (name: string, column: () => AnyPgColumn) =>
  uuid(name).notNull().references(column, { onDelete: 'cascade' })

/** A list of words, empty by default. */
export const words = (name: string) => text(name).array().notNull().default(sql`'{}'`)
