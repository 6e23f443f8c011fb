/** A change of the journal: all that one command, or one run of an import, does to records. */
import { type Actor, type Author, authorForAudit, nameOfAuthor } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'

/** The change as `journal_change` in `drizzle/functions/intake/journal.sql` reads it. */
export interface Change {
  /** Its number, by which `undo` takes it back. */
  change: number
  /** The system's user, the name that an operator gave, or the address of the operator of a page. */
  who: string
  /** The operator of a page, for the audit log. */
  by?: Actor
  what: 'add' | 'import' | 'set' | 'delete' | 'merge'
  /** The one record that a command named. */
  kind?: 'company' | 'person' | 'round'
  id?: string
}

/** Makes a change with a number of its own. The journal has it once it changed something. */
export async function newChange(
  database: Database,
  { who, ...what }: Omit<Change, 'change' | 'who' | 'by'> & { who: Author },
): Promise<Change> {
  const number = await database.use(({ sql }) =>
    scalar<number>(sql`select nextval('journal_change_seq')::float8`),
  )
  return { change: number ?? 0, who: nameOfAuthor(who), ...authorForAudit(who), ...what }
}
