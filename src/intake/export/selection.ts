/**
 * Columns of exported rows and the SQL that reads them: the fields by which an import knows a record, in the order of
 * the import's tables. References are ids. Besides the meter this alone reads private channels, for the operator who
 * asks with `--with-channels`.
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

/** SQL of fields that are not the column of their name. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  company: 't.company_id',
  investors: `coalesce((
    select json_agg(json_build_object('investmentId', i.id, 'investor', i.investor_id,
                                      'isLead', i.is_lead)
                    order by i.investor_id)
      from round_investors i where i.round_id = t.id), '[]')`,
}

/** Fields that repeat others. */
const STAND_INS: ReadonlySet<string> = new Set(['fullName', 'leadInvestors'])

/**
 * Selects a kind of records.
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

/** Arrays become JSON, because the connection knows no array types. */
function columnOf(column: Column | undefined): string | undefined {
  if (!column) return undefined
  const name = `t.${column.name}`
  return column.getSQLType().endsWith('[]') ? `to_json(${name})` : name
}

const COLUMNS: Readonly<Record<string, { name: string }>> = getTableColumns(privateChannels)

/**
 * Joins a person `t` with their channels, `c`, by a lookup for each person, which the limit enforces. A merge join would
 * read the whole table for the last slices.
 */
const CHANNELS_JOIN = `left join lateral (
  select * from ${getTableName(privateChannels)} p where p.person_id = t.id limit 1) c on true`

/** SQL of a channel; undefined where none has that name. */
function channelColumn(field: string): string | undefined {
  const column = COLUMNS[field]
  return column && `c.${column.name}`
}
