/** The files of `drizzle/`, embedded so that no folder is needed at run time. A test holds this list complete. */
import tables from '../../drizzle/0000_tables.sql' with { type: 'text' }
import meter from '../../drizzle/0001_meter.sql' with { type: 'text' }
import changes from '../../drizzle/0002_changes.sql' with { type: 'text' }
import application from '../../drizzle/0003_application.sql' with { type: 'text' }
import people from '../../drizzle/0004_users.sql' with { type: 'text' }
import payments from '../../drizzle/0005_payments.sql' with { type: 'text' }

export const MIGRATIONS: readonly { name: string; sql: string }[] = [
  { name: '0000_tables', sql: tables },
  { name: '0001_meter', sql: meter },
  { name: '0002_changes', sql: changes },
  { name: '0003_application', sql: application },
  { name: '0004_users', sql: people },
  { name: '0005_payments', sql: payments },
]
