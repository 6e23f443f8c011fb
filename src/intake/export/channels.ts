/** The one place besides the meter that reads private channels: for the operator, who asks with `--with-channels`. */
import { getTableColumns, getTableName } from 'drizzle-orm'
import { privateChannels } from '../../database/tables/directory.ts'

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
