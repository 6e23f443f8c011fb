/** What the statements of all kinds share. */

/**
 * The rows of $1. The lock comes first: it is the change log's (`drizzle/functions/changes.sql`), which
 * the triggers take at the statement's end. Taken up front, concurrent imports queue instead of
 * deadlocking.
 */
export const INPUT = `
locked as materialized (select lock_change_log()),
input as materialized (
  select (e.value->>'id')::uuid as id, (e.value->>'new')::boolean as new,
         e.value->'row' as row, e.value->'channels' as channels,
         nullif(e.value->'investors', 'null') as investors
    from locked cross join jsonb_array_elements($1::text::jsonb) e
)`

/** Records by id, external id or slug; $1 is `{"ids", "externalIds", "slugs"}`, `columns` in SQL names. */
export function findStatement(table: string, columns: readonly string[]): string {
  const select = `select ${columns.map((name) => `${name} as "${camelCase(name)}"`).join(', ')} from ${table}`
  const among = (key: string, type: string) =>
    `(select v::${type} from jsonb_array_elements_text($1::text::jsonb->'${key}') v)`
  return [
    `${select} where id in ${among('ids', 'uuid')}`,
    `${select} where external_id in ${among('externalIds', 'text')}`,
    ...(columns.includes('slug') ? [`${select} where slug in ${among('slugs', 'text')}`] : []),
  ].join(' union ')
}

function camelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
