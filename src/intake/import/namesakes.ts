/**
 * What the database knows of rows without a key: the name by which each is compared, what tells it from its
 * namesakes, and the stored namesakes that a row may mean. Reads only. Stored channels are compared where they are
 * and never leave the database.
 */
import postgres from 'postgres'
import type { Connection } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import type { Values } from './fields/types.ts'
import type { CleanRow, Matching, RecordSchema } from './schema.ts'

/** A row without id, externalId and slug. */
export interface KeylessRow {
  row: CleanRow
  /** The name, folded: rows and records with the same one are namesakes. */
  name: string
  /** `field:value`, folded, for each field that tells namesakes apart, in the order in which they decide. */
  tells: readonly string[]
}

/** A stored record that has the name of a row. */
export interface Namesake {
  id: string
  name: string
  /** For messages: `Jane Doe (slug jane-doe)`. */
  label: string
  /** How many stored records have this name. */
  count: number
  /** Which rows it shares what with: the row's index, and one of its `tells`. */
  shared: readonly (readonly [row: number, tell: string])[]
  /** The indexes of rows that would change no channel of it, among rows without `tells`. */
  accepts: readonly number[]
}

/** What rows were identified by; `import_outdated` tells whether it still holds when they are written. */
export interface Seen {
  kind: string
  /** Where the change log was. */
  position: number
  names: readonly string[]
  ids: readonly string[]
}

/**
 * Finds names and telling values; rows name their company by `companyId`. In the order of the rows. The name is null
 * where the row has none.
 */
export function readNames(
  { sql }: Connection,
  schema: RecordSchema,
  rows: readonly Values[],
): Promise<{ name: string | null; tells: string[] }[]> {
  const given = rows.map((values) => ({
    row: schema.table.rowOf(only(values, schema.matching.reads)),
    ...schema.details?.(values),
  }))
  return sql.unsafe(schema.matching.names, [JSON.stringify(given)])
}

/**
 * Finds the stored namesakes of rows: all that share something with one of them, and two others of each name.
 * `position` is where the change log was before.
 */
export async function findNamesakes(
  { sql }: Connection,
  matching: Matching,
  rows: readonly (KeylessRow & { index: number })[],
): Promise<{ position: number; namesakes: Namesake[] }> {
  const given = rows.flatMap(({ row, index, name, tells }): object[] => {
    if (tells.length > 0) return tells.map((tell) => ({ row: index, name, tell }))
    return [{ row: index, name, says: channelsOf(row.values, matching) }]
  })
  const [found] = await sql.unsafe<{ position: number; namesakes: Namesake[] }[]>(
    matching.namesakes,
    [JSON.stringify(given)],
  )
  return found ?? { position: 0, namesakes: [] }
}

/** Where the change log is: what is written from now on is behind it. */
export const changeLogPosition = async ({ sql }: Connection): Promise<number> =>
  (await scalar<number>(
    sql`select coalesce(max(sequence), 0)::double precision from change_log`,
  )) ?? 0

/** What a row says of channels, by column; a blank counts as said. */
function channelsOf(values: Values, { channels }: Matching) {
  return Object.fromEntries(channels.map((field) => [postgres.fromCamel(field), values[field]]))
}

function only(values: Values, fields: readonly string[]): Values {
  return Object.fromEntries(fields.map((field) => [field, values[field]]))
}

/** How the records of a table are compared, in SQL on the record `r`, and a person's channels `c`. */
export interface Comparison {
  kind: Matching['kind']
  table: string
  /** A further table that `r` brings in, as `c`: its name and the column that names `r`. */
  channels?: { table: string; owner: string }
  /** The fields that the expressions read of a row's record. */
  reads: readonly string[]
  /** Whether a row says by which name it is compared. */
  isNamed: string
  name: string
  /** What an index tells of records of the name `n.name`, where none holds `name` itself. */
  near?: string
  label: string
  /** Field → its value, folded, or null where there is none. */
  tells: Readonly<Record<string, string>>
  /** The channels: field → its value. By name alone none of them changes. */
  says: Readonly<Record<string, string>>
  words: string
}

/** Makes a kind's statements, from how its records are compared. */
export function matching(of: Comparison): Matching {
  const { table, channels, name } = of
  const tells = Object.entries(of.tells).map(([field, value]) => `'${field}:' || ${value}`)
  const tellsOf = `array_remove(array[${tells.join(', ')}]::text[], null)`
  const populated = (alias: string, from: string, key: string) =>
    `cross join lateral jsonb_populate_record(null::${from}, coalesce(e.value->'${key}', '{}')) ${alias}`
  // `offset 0` keeps these apart from the rest: PostgreSQL expects far more namesakes than there are, and would fold
  // the names of the whole table, and read all channels, for each batch.
  const lookedUp = (from: string, where: string) =>
    `lateral (select * from ${from} where ${where} offset 0)`
  const near = lookedUp(`${table} r`, of.near ?? `${name} = n.name`)
  const own = channels && lookedUp(`${channels.table} c`, `c.${channels.owner} = r.id`)
  const says = Object.entries(of.says).map(
    ([field, value]) => `'${postgres.fromCamel(field)}', ${value}`,
  )
  return {
    kind: of.kind,
    reads: of.reads,
    words: of.words,
    channels: Object.keys(of.says),
    names: `
select case when ${of.isNamed} then ${name} end as name, to_json(${tellsOf}) as tells
  from jsonb_array_elements($1::text::jsonb) with ordinality e(value, n)
 ${populated('r', table, 'row')}
 ${channels ? populated('c', channels.table, 'channels') : ''}
 order by n`,
    sameName: `
select r.id from (select distinct n.name from jsonb_array_elements_text($1::text::jsonb) n(name)) n
  join ${near} r on ${name} = n.name`,
    namesakes: `
with given as materialized (
  select * from jsonb_to_recordset($1::text::jsonb) g("row" int, name text, tell text, says jsonb)
), namesakes as materialized (
  select r.id, n.name, ${of.label} as label, ${tellsOf} as tells, jsonb_build_object(${says.join(', ')}) as says
    from (select distinct name from given) n
    join ${near} r on ${name} = n.name
    ${own ? `left join ${own} c on true` : ''}
), shared as (
  select s.id, jsonb_agg(jsonb_build_array(g.row, g.tell)) as rows
    from (select id, name, unnest(tells) as tell from namesakes) s
    join given g on g.name = s.name and g.tell = s.tell
   group by s.id
), accepted as (
  select s.id, jsonb_agg(g.row) as rows
    from namesakes s join given g on g.name = s.name and s.says @> g.says
   group by s.id
), counted as (
  select s.*, h.rows as shared, count(*) over (partition by s.name) as count,
         row_number() over (partition by s.name, h.id is null order by s.label) as place
    from namesakes s left join shared h on h.id = s.id
), found as (
  select n.id, n.name, n.label, n.count, coalesce(n.shared, '[]') as shared, coalesce(a.rows, '[]') as accepts
    from counted n left join accepted a on a.id = n.id
   where n.shared is not null or n.place <= 2
)
select (select coalesce(max(sequence), 0)::double precision from change_log) as position,
       (select coalesce(json_agg(f order by f.label), '[]') from found f) as namesakes`,
  }
}
