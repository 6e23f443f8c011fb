/** Forgets a person at their own request (D131). What must go beside the tables is the caller's: `src/commands/erase.ts`. */
import { type Database, errorCode } from '../database/client.ts'
import { type Erased, erasePeople } from '../database/erasures.ts'
import { isUuid } from '../database/uuid.ts'
import { ChangeRefused, findRecord } from './records.ts'

/**
 * Erases a person from every table and the journal, with everybody who was merged into them. Imports refuse them from then on;
 * what accounts paid stays in their books, without the person.
 * @param name an id that the person has or had, their externalId or slug. Somebody who was deleted is known by id alone
 * @throws ChangeRefused where nothing of them is on file
 */
export async function erasePerson(database: Database, name: string, who: string): Promise<Erased> {
  const id = await idOf(database, name)
  const erased = id === undefined ? null : await erasePeople(database, [id], who).catch(withReason)
  if (!erased) throw new ChangeRefused(`there is no person ${name}`)
  return erased
}

/** SQLSTATE of a lock that somebody held for long. */
const LOCK_NOT_AVAILABLE = '55P03'

function withReason(error: unknown): never {
  if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error
  throw new ChangeRefused('records were locked for 30 s, as by a long import: nothing was erased')
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
