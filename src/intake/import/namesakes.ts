/**
 * Stored namesakes of rows without a key: the name by which each row is compared, the values that tell it from its
 * namesakes, and the stored records that it may mean. Reads only. Stored channels are compared where they are and never
 * leave the database.
 */
import type { Connection } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { companiesNamed } from './company-references.ts'
import type { Values } from './fields/types.ts'
import type { CleanRow, Matching, RecordSchema } from './schema.ts'

/** A row without id, externalId and slug. */
export interface KeylessRow extends CleanRow {
  /** Folded name: rows and records with the same one are namesakes. */
  name: string
  /** `field:value`, folded, for each channel, in the order in which they decide. */
  tells: readonly string[]
  /** Id of its company, where that is known. */
  company: string | null
}

/** A stored record that has the name of a row. */
export interface Namesake {
  id: string
  name: string
  company: string | null
  /** For messages: `Jane Doe (slug jane-doe)`. */
  label: string
  /** Number of stored records of this name. */
  count: number
  /** Values that rows have too: some of their `tells`. */
  shared: readonly string[]
}

/** State by which rows were identified; the SQL function `import_outdated` checks it when they are written. */
export interface Seen {
  kind: string
  /** Position of the change log. */
  position: number
  names: string[]
  ids: string[]
}

/** Reads what the rows are known by. Those without a name are left out: no record can be found or made for them. */
export async function nameRows(
  connection: Connection,
  { table, details, matching: { reads, names } }: RecordSchema,
  rows: readonly CleanRow[],
): Promise<KeylessRow[]> {
  if (rows.length === 0) return []
  const companies = await companiesNamed(connection, rows)
  const companyOf = ({ company }: Values) => (company ? companies.find(company) : undefined)
  const given = rows.map(({ values }) => {
    const read: Values = { ...values, companyId: companyOf(values) }
    return {
      row: table.rowOf(Object.fromEntries(reads.map((field) => [field, read[field]]))),
      ...details?.(values),
    }
  })
  const found = await connection.sql.unsafe<{ name: string | null; tells: string[] }[]>(names, [
    JSON.stringify(given),
  ])
  return rows.flatMap((row, index) => {
    const { name = null, tells = [] } = found[index] ?? {}
    return name === null ? [] : { ...row, name, tells, company: companyOf(row.values) ?? null }
  })
}

/**
 * Finds the stored namesakes of rows: all that share a value with one of them, two at each company of a row and two without
 * one, and two others of each name. `position` is the change log's before the read.
 * @param known further records to find, with their names
 */
export async function findNamesakes(
  { sql }: Connection,
  matching: Matching,
  rows: readonly KeylessRow[],
  known: readonly { name: string; id: string }[],
): Promise<{ position: number; namesakes: Namesake[] }> {
  const given = rows.flatMap(({ name, company, tells }): object[] =>
    tells.length > 0 ? tells.map((tell) => ({ name, tell })) : [{ name, company }],
  )
  const [found] = await sql.unsafe<{ position: number; namesakes: Namesake[] }[]>(
    matching.namesakes,
    [JSON.stringify([...given, ...known])],
  )
  return found ?? { position: 0, namesakes: [] }
}

/** Position of the change log; later writes are behind it. */
export const changeLogPosition = async ({ sql }: Connection): Promise<number> =>
  (await scalar<number>(
    sql`select coalesce(max(sequence), 0)::double precision from change_log`,
  )) ?? 0

/** Comparison of the records of a table, in SQL on the record `r` and a person's channels `c`. */
interface Comparison {
  kind: Matching['kind']
  table: string
  /** Table of channels, `c`, and its column that refers to `r`. */
  channels?: { table: string; owner: string }
  /** Fields that the expressions read. */
  reads: readonly string[]
  /** SQL that is true where a row has a name. */
  isNamed: string
  name: string
  /** Indexed condition that holds for records of the name `n.name`, where no index holds `name` itself. */
  near?: string
  label: string
  /** Id of a record's company. */
  company?: string
  /** Folded value of each channel by field, or null. */
  tells: Readonly<Record<string, string>>
  words: string
}

/** Builds the statements of a kind from its comparison. */
export function matching(of: Comparison): Matching {
  const { table, channels, name } = of
  const tells = Object.entries(of.tells).map(([field, value]) => `'${field}:' || ${value}`)
  const tellsOf = `array_remove(array[${tells.join(', ')}]::text[], null)`
  const populated = (alias: string, from: string, key: string) =>
    `cross join lateral jsonb_populate_record(null::${from}, coalesce(e.value->'${key}', '{}')) ${alias}`
  // `offset 0` keeps PostgreSQL from inlining these: it overestimates namesakes, and would fold the names of the
  // whole table, and read all channels, for each batch.
  const lookedUp = (from: string, where: string) =>
    `lateral (select * from ${from} where ${where} offset 0)`
  const near = lookedUp(`${table} r`, of.near ?? `${name} = n.name`)
  const own = channels && lookedUp(`${channels.table} c`, `c.${channels.owner} = r.id`)
  return {
    kind: of.kind,
    reads: of.reads,
    words: of.words,
    channels: Object.keys(of.tells),
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
  select * from jsonb_to_recordset($1::text::jsonb) g(name text, tell text, company uuid, id uuid)
), namesakes as materialized (
  select r.id, n.name, ${of.label} as label, ${of.company ?? 'null::uuid'} as company, ${tellsOf} as tells
    from (select distinct name from given) n
    join ${near} r on ${name} = n.name
    ${own ? `left join ${own} c on true` : ''}
), shared as (
  select s.id, jsonb_agg(distinct g.tell) as tells
    from (select id, name, unnest(tells) as tell from namesakes) s
    join given g on g.name = s.name and g.tell = s.tell
   group by s.id
), counted as (
  select n.*, h.tells as shared, count(*) over (partition by n.name) as count,
         row_number() over (partition by n.name, h.id is null order by n.label) as place,
         row_number() over (partition by n.name, n.company order by n.label) as place_there
    from namesakes n left join shared h on h.id = n.id
), found as (
  select id, name, label, company, count, coalesce(shared, '[]') as shared
    from counted
   where shared is not null or place <= 2 or id in (select g.id from given g)
      or place_there <= 2 and (company is null or (name, company) in (select name, company from given))
)
select (select coalesce(max(sequence), 0)::double precision from change_log) as position,
       (select coalesce(json_agg(f order by f.label), '[]') from found f) as namesakes`,
  }
}
