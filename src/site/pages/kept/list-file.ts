/**
 * `/lists/list.csv?id=`: a kept list as CSV. It is free, so it has what names a record and, of people whom the account has
 * unlocked, their channels; all other fields are an export's.
 */

import { csvLine } from '../../../csv.ts'
import { unlockedContacts } from '../../../money/accounts/unlocks.ts'
import type { Session } from '../../../people/users/sessions.ts'
import type { Reply, SignedInContext } from '../../http/page.ts'
import { ownCsvFile } from '../../http/rights.ts'
import { nameOf, personRecord } from '../../profiles/view-models.ts'
import { keptList } from './kept-records.ts'

const COLUMNS = [
  ...['kind', 'id', 'slug', 'name', 'addedAt'],
  ...['email', 'phone', 'telegram', 'linkedinUrl'],
]

/** @throws PageError 404 where the account has no such list */
export async function listFile(context: SignedInContext): Promise<Reply> {
  const { application, session, directory, query } = context
  const { database } = application
  const id = new URLSearchParams(query).get('id') ?? ''
  const list = await keptList(context, id)
  const people = list.entries.flatMap((entry) => (entry.kind === 'person' ? [entry.id] : []))
  const contacts = await unlockedContacts(database, session.account.id, people)

  async function* lines() {
    yield csvLine(COLUMNS)
    for (const { id, kind, addedAt } of list.entries) {
      const person = kind === 'person' ? directory.person(id) : undefined
      const record = person ?? (kind === 'company' ? directory.company(id) : undefined)
      const name = person
        ? nameOf(personRecord(person))
        : record && 'name' in record
          ? record.name
          : null
      // Whom this instance has not, it shows nothing of.
      const known = person ? contacts.get(id) : undefined
      yield csvLine([
        ...[kind, id, record?.slug, name, addedAt],
        ...[known?.email, known?.phone, known?.telegram, known?.linkedinUrl],
      ])
    }
  }
  // Channels of a suspended account are not shown, and these were read before it was.
  const { suspensionReason } = session.account
  const allows = ({ account }: Session) => account.suspensionReason === suspensionReason
  return ownCsvFile(context, 'list', lines(), allows)
}
