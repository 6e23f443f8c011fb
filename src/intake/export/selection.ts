/**
 * What an exported row holds, and the SQL that reads it: the fields by which an import knows a record, in the
 * order of the import's tables, each from the column that stores it. References are ids.
 */
import { type Column, getTableColumns, getTableName, type Table } from 'drizzle-orm'
import {
  companies,
  fundingRounds,
  people,
  privateChannels,
} from '../../database/tables/directory.ts'
import { FIELDS } from '../import/kinds.ts'
import type { KindName } from '../import/summary.ts'

/** A kind of record as it is read. */
export interface Selection {
  /** The names of the columns, in their order. */
  columns: readonly string[]
  /** `select … from … t …`, without condition and order. */
  select: string
}

const TABLES: Readonly<Record<KindName, Table>> = { companies, people, rounds: fundingRounds }

/** Field → SQL, where the field is not the column of its name. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  company: 't.company_id',
  investors: `coalesce((
    select json_agg(json_build_object('investmentId', i.id, 'investor', i.investor_id,
                                      'isLead', i.is_lead)
                    order by i.investor_id)
      from round_investors i where i.round_id = t.id), '[]')`,
}

/** Fields that stand for others, which say the same. */
const STAND_INS: ReadonlySet<string> = new Set(['fullName', 'leadInvestors'])

/**
 * What is read of a kind of records.
 * @param withChannels adds people's private channels; without it no statement names their table.
 * @throws Error for a field of the import that no column holds.
 */
export function selectionOf(kind: KindName, withChannels: boolean): Selection {
  const fields = Object.entries(FIELDS[kind]).filter(
    ([name, { isPrivate }]) => !STAND_INS.has(name) && (withChannels || !isPrivate),
  )
  const table = TABLES[kind]
  const stored = getTableColumns(table)
  const expressions = fields.map(([name, { isPrivate }]) => {
    const expression = isPrivate
      ? channelColumn(name)
      : (EXPRESSIONS[name] ?? columnOf(stored[name]))
    if (expression === undefined) throw new Error(`no column holds the field ${name} of ${kind}`)
    return `${expression} as "${name}"`
  })
  const joined = fields.some(([, { isPrivate }]) => isPrivate) ? ` ${CHANNELS_JOIN}` : ''
  return {
    columns: fields.map(([name]) => name),
    select: `select ${expressions.join(', ')} from ${getTableName(table)} t${joined}`,
  }
}

/** Arrays leave as JSON: the connection knows no array types. */
function columnOf(column: Column | undefined): string | undefined {
  if (!column) return undefined
  const name = `t.${column.name}`
  return column.getSQLType().endsWith('[]') ? `to_json(${name})` : name
}

const COLUMNS: Readonly<Record<string, { name: string }>> = getTableColumns(privateChannels)

/**
 * Joins a person `t` with their channels, `c`: looked up for each person, by the limit that says so. Else a slice of people
 * might be merged with the table from its first row on, so that the last slices would read all of it.
 */
export const CHANNELS_JOIN = `left join lateral (
  select * from ${getTableName(privateChannels)} p where p.person_id = t.id limit 1) c on true`

/** The SQL of a channel; undefined where there is none of that name. */
export function channelColumn(field: string): string | undefined {
  const column = COLUMNS[field]
  return column && `c.${column.name}`
}
