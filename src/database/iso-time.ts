/** Times as answers have them (D32), written by the database: its own text depends on the session. */
import { type SQL, sql } from 'drizzle-orm'

/** `2026-01-31T10:00:00.000Z` of a column or another expression; null stays null. */
export function isoTime(time: string): SQL {
  return sql.raw(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
}
