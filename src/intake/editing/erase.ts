/** Forgets a person at their own request. What must go beside the tables is the caller's: `src/console/acts/erase.ts`. */
import type { Author } from '../../database/actor.ts'
import { type Database, errorCode } from '../../database/client.ts'
import { type Erased, erasePeople } from '../../database/erasures.ts'
import { isUuid } from '../../database/uuid.ts'
import { withReasonOrLock } from './edit.ts'
import { ChangeRefused, findRecord } from './records.ts'

/**
 * Erases a person from every table and the journal, with everybody who was merged into them. Imports refuse them from then on;
 * what accounts paid stays in their books, without the person.
 * @param name an id that the person has or had, their externalId or slug. Somebody who was deleted is known by id alone
 * @throws ChangeRefused where nothing of them is on file
 */
export async function erasePerson(database: Database, name: string, who: Author): Promise<Erased> {
  const id = await idOf(database, name)
  const erased = id === undefined ? null : await erasePeople(database, [id], who).catch(reasonOf)
  if (!erased) throw new ChangeRefused(`there is no person ${name}`)
  return erased
}

/** SQLSTATE of what the role has no right to: the one that serves may not change the ledger and the audit log. */
const INSUFFICIENT_PRIVILEGE = '42501'

function reasonOf(error: unknown): never {
  if (errorCode(error) !== INSUFFICIENT_PRIVILEGE) return withReasonOrLock(error)
  throw new ChangeRefused(
    'the role of this connection has no right to erase: the owner of the tables does it, by "person erase"',
  )
}

async function idOf(database: Database, name: string): Promise<string | undefined> {
  try {
    return (await findRecord(database, 'person', name)).id
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    // The journal may know somebody who was deleted, and unlocks do.
    return isUuid(name) ? name.toLowerCase() : undefined
  }
}
