/** The one place besides the meter that reads private channels: for the operator, who asks with `--with-channels`. */
import { getTableColumns, getTableName } from 'drizzle-orm'
import { privateChannels } from '../database/tables/directory.ts'

const COLUMNS: Readonly<Record<string, { name: string }>> = getTableColumns(privateChannels)

/** Joins a person `t` with their channels, `c`. */
export const CHANNELS_JOIN = `left join ${getTableName(privateChannels)} c on c.person_id = t.id`

/** The SQL of a channel; undefined where there is none of that name. */
export function channelColumn(field: string): string | undefined {
  const column = COLUMNS[field]
  return column && `c.${column.name}`
}
