/** SQL statements that the kinds of records share, and the search for stored records by their keys. */

import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import postgres from 'postgres'
import type { Connection } from '../../database/client.ts'
import type { Fields, Values } from './fields/types.ts'
import type { Stored } from './fields/values.ts'
import type { Matching, RecordSchema, StoredRecord } from './schema.ts'

/** Columns that every new record gets a value for. */
const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

/** Time of the statement by the clock that tests can move: one for all rows. */
const NOW = '(select meter_now())'

/** Planned statements that each connection has run. */
const runs = new WeakMap<Connection['sql'], number>()

/**
 * Runs a statement that takes as long to plan as to run for a few rows: a connection plans it once, not for each batch,
 * and anew whenever the number of runs has doubled. The plan of a small table scans it all, and PostgreSQL keeps such a
 * plan until the next ANALYZE while an import fills the table.
 */
export function runPlanned<Row extends object>(
  { sql }: Connection,
  statement: string,
  values: (string | number | null)[],
): Promise<Row[]> {
  const run = (runs.get(sql) ?? 0) + 1
  runs.set(sql, run)
  // A new text makes the driver prepare the statement anew.
  const text = `${statement}\n-- plan ${Math.floor(Math.log2(run))}`
  return sql.unsafe<Row[]>(text, values, { prepare: true })
}

/** Columns of a table that an import writes, without `created_at` and `updated_at`. */
export function columnsOf(table: Table, fields: Fields) {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([field]) => field === 'companyId' || (field !== 'id' && Object.hasOwn(fields, field)),
  )
  const names = columns.map(([, { name }]) => name).filter((name) => !TIMES.has(name))
  return {
    /** `a, b` */
    names: names.join(', '),
    /** Columns of the record `r`: `r.a, r.b`. */
    values: names.map((name) => `r.${name}`).join(', '),
    /** Values by column; the times are among them. */
    rowOf: (values: Values): Record<string, Stored | undefined> =>
      Object.fromEntries(columns.map(([field, { name }]) => [name, values[field]])),
  }
}

/**
 * Reads the rows of $1 under the change log's lock (`drizzle/functions/directory/changes.sql`), which triggers take at the
 * statement's end: taken up front, concurrent imports queue instead of deadlocking. Where the state by which rows were
 * identified ($2, `Seen` as JSON, null for rows with keys) has changed, it reads none and the statement writes nothing.
 * $3 is the journal's change, $4 the run of a source as JSON or null: the source then has the records of these rows, and
 * one that existed before any source had it is nobody's as well. $5 is the last pin that was read, or null; $6 the last
 * erasure; $7 the fields that the statement pins, or null.
 */
export const INPUT = `
locked as materialized (select lock_change_log(), set_config('chainkin.change', coalesce($3, ''), true)),
checked as materialized (
  select coalesce(import_outdated($2::text::jsonb), false) or pinned_since($5::text::bigint)
         or erased_since($6::text::bigint) as outdated from locked
),
input as materialized (
  select (e.value->>'id')::uuid as id, (e.value->>'new')::boolean as new,
         e.value->'row' as row, e.value->'channels' as channels, e.value->'investors' as investors
    from checked cross join jsonb_array_elements($1::text::jsonb) e
   where not checked.outdated
), run as materialized (
  select (r->>'run')::bigint as run, r->>'source' as source, r->>'kind' as kind from (select $4::text::jsonb as r) given
   where r is not null
), sourced as (
  insert into record_sources (record_id, source, kind, first_run, run)
  select i.id, claim.source, r.kind, r.run, r.run
    from run r cross join input i cross join lateral (values (r.source), ('')) claim (source)
   -- Nothing is written of what the source has already, not even by a conflict, which locks the row.
   where not exists (select from record_sources s where s.record_id = i.id and s.source = r.source and s.run >= 0)
     and (claim.source <> '' or (not i.new and not exists (select from record_sources s where s.record_id = i.id)))
  on conflict (record_id, source) do update set run = excluded.run where record_sources.run < 0
), pinned as (
  insert into record_pins (record_id, field, change)
  select i.id, field, ($3::text::jsonb->>'change')::bigint from input i cross join unnest($7::text::text[]) field
)`

/**
 * Record `t` with the fields of the input `i` laid over it. Rows have times to the millisecond, as the API and an export
 * show them; a stored time equal to that stays as fine as it is.
 */
const LAID_OVER = `jsonb_populate_record(t, case
    when date_trunc('milliseconds', t.created_at) = (i.row->>'created_at')::timestamptz
    then i.row - 'created_at' else i.row end)`

/** Counts the CTEs `created` and `updated`. */
export const COUNTS = `
select (select count(*)::int from created) as created,
       (select count(*)::int from updated) as updated,
       (select outdated from checked) as outdated`

/** Builds the statements on a table of records from its fields. */
export function recordTable(kind: Matching['kind'], table: Table, fields: Fields) {
  const { names, values, rowOf } = columnsOf(table, fields)
  const name = getTableName(table)
  const columns = getTableColumns(table)
  const hasUpdatedAt = 'updatedAt' in columns
  const updatedAt = hasUpdatedAt ? `, updated_at = ${NOW}` : ''
  return {
    rowOf,
    /** SQL of the values that rows of $1 would change, at most $2. @param more further SELECTs of the same columns. */
    differences: (more: readonly string[] = []) => `
with input as materialized (
  select e.index::int as index, (e.value->>'id')::uuid as id, e.value->'row' as row,
         e.value->'channels' as channels, e.value->'investors' as investors
    from jsonb_array_elements($1::text::jsonb) with ordinality e(value, index)
   where not (e.value->>'new')::boolean
)
${[differencesIn(name), ...more].join('\nunion all\n')}
order by index, field limit $2`,
    ...findStatements(kind, name, Object.keys(columns)),
    /**
     * CTEs `created` and `updated` with the ids of inserted and changed records. A record changes where the row's fields
     * laid over it make another one.
     * @param isTouched SQL that is true where the stored record `t` changes in any case
     * @param ofNew further columns of a new record, with SQL on the row `i` of the input
     */
    write: (isTouched = 'false', ofNew: Readonly<Record<string, string>> = {}) => `
created as (
  insert into ${name} (${['id', names, 'created_at', ...(hasUpdatedAt ? ['updated_at'] : []), ...Object.keys(ofNew)].join(', ')})
  select i.id, ${values}, coalesce(r.created_at, ${NOW})${[
    ...(hasUpdatedAt ? [`coalesce(r.updated_at, ${NOW})`] : []),
    ...Object.values(ofNew),
  ]
    .map((value) => `, ${value}`)
    .join('')}
    from input i cross join lateral jsonb_populate_record(null::${name}, i.row) r
   where i.new
  returning id
), updated as (
  update ${name} t
     set (${names}, created_at) =
         (select ${values}, r.created_at from ${LAID_OVER} r)${updatedAt}
    from input i
   where not i.new and t.id = i.id
     and (t is distinct from ${LAID_OVER} or ${isTouched})
  returning t.id
)`,
  }
}

/** Selects columns that rows of `input` change. Companies are shown by their slugs. */
function differencesIn(table: string): string {
  const shown = (value: string) => `case when b.key <> 'company_id' then ${value}
         else (select to_jsonb(c.slug) from companies c where c.id = (${value} #>> '{}')::uuid) end`
  return `
  select i.index, b.key as field, ${shown('b.value')} as before, ${shown('a.value')} as after,
         false as private
    from input i join ${table} t on t.id = i.id
   cross join lateral jsonb_each(to_jsonb(t)) b
    join lateral jsonb_each(to_jsonb(${LAID_OVER})) a on a.key = b.key
   where a.value <> b.value`
}

/** Fields of StoredRecord; a table may lack some. */
const FOUND = ['id', 'externalId', 'slug', 'name', 'firstName', 'lastName', 'jobTitle'] as const

/** Keys of a record: their list in $1, the column and its type. */
const KEYS = [
  ['ids', 'id', 'uuid'],
  ['externalIds', 'external_id', 'text'],
  ['slugs', 'slug', 'text'],
] as const

/**
 * SQL that selects StoredRecords by keys, $1 as JSON `{"ids", "externalIds", "slugs"}`: `find` those that have one, `findMerged`
 * those into which a record was merged that had one, with its keys as `alias`.
 */
function findStatements(kind: string, table: string, fields: readonly string[]) {
  const found = FOUND.filter((field: keyof StoredRecord) => fields.includes(field))
  const columns = found.map((field) => `t.${postgres.fromCamel(field)} as "${field}"`).join(', ')
  const among = (select: string, keys: readonly (typeof KEYS)[number][]) =>
    keys
      .map(
        ([key, column, type]) =>
          `${select} where ${column} in (select v::${type} from jsonb_array_elements_text($1::text::jsonb->'${key}') v)`,
      )
      .join(' union ')
  const own = KEYS.filter(([, column]) => column !== 'slug' || fields.includes('slug'))
  return {
    find: among(`select ${columns} from ${table} t`, own),
    findMerged: `
select ${columns}, json_build_object('id', m.id, 'externalId', m.external_id, 'slug', m.slug) as alias
  from (${among('select * from redirects', KEYS)}) m join ${table} t on t.id = m.to_id and m.kind = '${kind}'`,
  }
}

export class Records {
  readonly byId = new Map<string, StoredRecord>()
  readonly byExternalId = new Map<string, StoredRecord>()
  readonly bySlug = new Map<string, StoredRecord>()

  constructor(records: Iterable<StoredRecord>) {
    for (const record of records) {
      this.byId.set(record.id, record)
      if (record.externalId) this.byExternalId.set(record.externalId, record)
      if (record.slug) this.bySlug.set(record.slug, record)
    }
  }

  find(name: string): StoredRecord | undefined {
    return this.byId.get(name.toLowerCase()) ?? this.byExternalId.get(name) ?? this.bySlug.get(name)
  }

  /** Adds the keys of a record that was merged into this one. A record that has the key itself comes first. */
  addMerged({ alias, ...record }: MergedRecord) {
    const { id, externalId, slug } = alias
    if (!this.byId.has(record.id)) this.byId.set(record.id, record)
    const survivor = this.byId.get(record.id) ?? record
    if (!this.byId.has(id)) this.byId.set(id, survivor)
    if (externalId && !this.byExternalId.has(externalId))
      this.byExternalId.set(externalId, survivor)
    if (slug && !this.bySlug.has(slug)) this.bySlug.set(slug, survivor)
  }
}

/** A record with the keys of one that was merged into it. */
type MergedRecord = StoredRecord & { alias: Pick<StoredRecord, 'id' | 'externalId' | 'slug'> }

/** Finds the records that values name by a key, and those that have a slug which they bring. */
export const findNamed = (connection: Connection, schema: RecordSchema, named: readonly Values[]) =>
  findRecords(connection, schema, {
    ids: named.flatMap(({ id }) => id ?? []),
    externalIds: named.flatMap(({ externalId }) => externalId ?? []),
    slugs: named.flatMap(({ slug }) => slug ?? []),
  })

/** Finds records by any of these keys. */
export async function findRecords(
  connection: Connection,
  { table }: RecordSchema,
  names: { ids?: string[]; externalIds?: string[]; slugs: string[] },
): Promise<Records> {
  const asked = JSON.stringify({ ids: [], externalIds: [], ...names })
  const found = new Records(await runPlanned<StoredRecord>(connection, table.find, [asked]))
  const merged = await runPlanned<MergedRecord>(connection, table.findMerged, [asked])
  for (const record of merged) found.addMerged(record)
  return found
}
