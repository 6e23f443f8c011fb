/** The files of `drizzle/`, embedded so that no folder is needed at run time. A test holds this list complete. */
import tables from '../../drizzle/0000_tables.sql' with { type: 'text' }
import meter from '../../drizzle/0001_meter.sql' with { type: 'text' }
import changes from '../../drizzle/0002_changes.sql' with { type: 'text' }

export const MIGRATIONS: readonly { name: string; sql: string }[] = [
  { name: '0000_tables', sql: tables },
  { name: '0001_meter', sql: meter },
  { name: '0002_changes', sql: changes },
]
