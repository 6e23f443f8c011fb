/** What the statements of all kinds of records share. */
import { getTableColumns, type Table } from 'drizzle-orm'
import postgres from 'postgres'
import type { Fields } from './fields.ts'
import type { Values } from './schema.ts'

/** The columns of a table that an import writes. */
export type Columns = ReturnType<typeof columnsOf>

/** @param fields the fields of a row. @param more fields that the import derives. */
export function columnsOf(table: Table, fields: Fields, ...more: string[]) {
  const written = new Set([...Object.keys(fields), ...more])
  written.delete('id')
  const columns = Object.entries(getTableColumns(table)).filter(([field]) => written.has(field))
  const names = columns.map(([, { name }]) => name).filter((name) => name !== 'created_at')
  return {
    /** `a, b`, without `id` and `created_at`. */
    names: names.join(', '),
    /** The same columns of the record `r`: `r.a, r.b`. */
    values: names.map((name) => `r.${name}`).join(', '),
    /** The values that have a column, by column; `created_at` is one of them. */
    rowOf(values: Values): Values {
      const row: Values = {}
      for (const [field, { name }] of columns) {
        const value = values[field]
        if (value !== undefined) row[name] = value
      }
      return row
    },
  }
}

/**
 * Reads the rows of $1 under the change log's lock (`drizzle/functions/changes.sql`), which the triggers take
 * at the statement's end: taken up front, concurrent imports queue instead of deadlocking.
 */
export const INPUT = `
locked as materialized (select lock_change_log()),
input as materialized (
  select (e.value->>'id')::uuid as id, (e.value->>'new')::boolean as new,
         e.value->'row' as row, e.value->'channels' as channels,
         nullif(e.value->'investors', 'null') as investors
    from locked cross join jsonb_array_elements($1::text::jsonb) e
)`

/** Inserts the new records of a table that has `created_at`: the CTE `created`, their ids. */
export const insertNew = (table: string, { names, values }: Columns) => `
created as (
  insert into ${table} (id, ${names}, created_at)
  select i.id, ${values}, coalesce(r.created_at, now())
    from input i cross join lateral jsonb_populate_record(null::${table}, i.row) r
   where i.new
  returning id
)`

/** Counts the CTEs `created` and `updated`. */
export const COUNTS = `
select (select count(*)::int from created) as created,
       (select count(*)::int from updated) as updated`

/** Records by id, external id or slug; $1 is `{"ids", "externalIds", "slugs"}`, `columns` in SQL names. */
export function findStatement(table: string, columns: readonly string[]): string {
  const select = `select ${columns.map((name) => `${name} as "${postgres.toCamel(name)}"`).join(', ')} from ${table}`
  const among = (key: string, type: string) =>
    `(select v::${type} from jsonb_array_elements_text($1::text::jsonb->'${key}') v)`
  return [
    `${select} where id in ${among('ids', 'uuid')}`,
    `${select} where external_id in ${among('externalIds', 'text')}`,
    ...(columns.includes('slug') ? [`${select} where slug in ${among('slugs', 'text')}`] : []),
  ].join(' union ')
}
