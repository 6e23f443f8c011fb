/** What a person may ask an operator for: all that is held about them, private channels included, and to be erased. */

import type { Author } from '../../database/actor.ts'
import { type Database, errorCode } from '../../database/client.ts'
import { type Erased, erasePeople } from '../../database/erasures.ts'
import { uuidOf } from '../../database/uuid.ts'
import { withReasonOrLock } from './edit.ts'
import { ChangeRefused, findRecord } from './records.ts'

/** Each part as its tables have it, by their columns; times are ISO 8601 with their offset, a picture is a WebP or JPEG in base64. */
export type Everything = Record<
  | 'record'
  | 'channels'
  | 'picture'
  | 'sources'
  | 'pins'
  | 'formerNames'
  | 'unlockedBy'
  | 'notes'
  | 'lists'
  | 'changes',
  unknown
> & { id: string }

/**
 * @param name the person's id, externalId or slug, also of a record that was merged into theirs. Of somebody who was
 *   deleted the journal and unlocks know the id alone.
 * @throws ChangeRefused where nothing of them is on file
 */
export async function everythingAbout(database: Database, name: string): Promise<Everything> {
  const id = await idOf(database, name)
  const [row] = await database.use(
    ({ sql }) => sql<{ found: Omit<Everything, 'id'> }[]>`
      with ids as (select ${id}::uuid as id union all select id from redirects where to_id = ${id}::uuid)
      select json_build_object(
        'record', (
          select to_jsonb(p) || jsonb_build_object('company', c.name)
            from people p left join companies c on c.id = p.company_id where p.id = ${id}::uuid),
        'channels', (select to_jsonb(h) - 'person_id' from private_channels h where h.person_id = ${id}::uuid),
        'picture', (
          select json_build_object('url', i.url, 'lastAskedFor', i.tried_at, 'webp', encode(i.bytes, 'base64'))
            from pictures i where i.record_id = ${id}::uuid),
        'sources', (
          select coalesce(json_agg(json_build_object(
                   'source', s.source, 'since', f.at, 'last', l.at, 'files', l.files) order by s.source), '[]')
            from record_sources s
            left join import_runs f on f.run = s.first_run
            left join import_runs l on l.run = s.run
           where s.record_id in (select id from ids) and s.source <> ''),
        'pins', (select coalesce(json_agg(field order by field), '[]') from pins_of(array[${id}::uuid])),
        'formerNames', (
          select coalesce(json_agg(json_build_object('id', m.id, 'slug', m.slug, 'externalId', m.external_id) order by m.id), '[]')
            from redirects m where m.to_id = ${id}::uuid),
        'unlockedBy', (
          select coalesce(json_agg(json_build_object(
                   'account', a.id, 'name', a.name, 'organization', a.organization, 'email', a.email, 'at', u.at)
                   order by u.at, a.id), '[]')
            from unlocks u join accounts a on a.id = u.account_id where u.person_id in (select id from ids)),
        'notes', (
          select coalesce(json_agg(json_build_object(
                   'account', a.id, 'name', a.name, 'note', n.note, 'tags', n.tags, 'at', n.updated_at)
                   order by n.updated_at, a.id), '[]')
            from contact_notes n join accounts a on a.id = n.account_id where n.person_id in (select id from ids)),
        'lists', (
          select coalesce(json_agg(json_build_object(
                   'account', a.id, 'name', a.name, 'list', l.name, 'at', e.added_at) order by e.added_at, l.id), '[]')
            from list_entries e join record_lists l on l.id = e.list_id join accounts a on a.id = l.account_id
           where e.record_id in (select id from ids)),
        'changes', (
          select coalesce(json_agg(json_build_object(
                   'change', j.change, 'at', j.at, 'who', j.who, 'what', j.what,
                   'table', e.table_name, 'before', e.before) order by e.change, e.sequence), '[]')
            from journal_entries e join journal j on j.change = e.change
           where e.record_id in (select id from ids) and e.table_name <> 'unlocks')) as found`,
    { deadlineMs: 30_000 },
  )
  const isKnown = Object.values(row?.found ?? {}).some((part) =>
    Array.isArray(part) ? part.length > 0 : part !== null,
  )
  if (!row || !isKnown) throw new ChangeRefused(`there is no person ${name}`)
  return { id, ...row.found }
}

/**
 * Erases a person from every table and the journal, with everybody who was merged into them. Imports refuse them from
 * then on; what accounts paid stays in their books, without the person. Pictures and the like are the caller's:
 * `src/console/acts/erase.ts`.
 * @param name an id that the person has or had, their externalId or slug. A deleted person is known by id alone
 * @throws ChangeRefused where nothing of them is on file
 */
export async function erasePerson(database: Database, name: string, who: Author): Promise<Erased> {
  const id = await idOf(database, name)
  const erased = await erasePeople(database, [id], who).catch(reasonOf)
  if (!erased) throw new ChangeRefused(`there is no person ${name}`)
  return erased
}

/** SQLSTATE of a missing right: the role that serves may not change the ledger and the audit log. */
const INSUFFICIENT_PRIVILEGE = '42501'

function reasonOf(error: unknown): never {
  if (errorCode(error) !== INSUFFICIENT_PRIVILEGE) return withReasonOrLock(error)
  throw new ChangeRefused(
    'the role of this connection has no right to erase: the owner of the tables does it, by "person erase"',
  )
}

/** @throws ChangeRefused for a name that is neither somebody's nor an id */
async function idOf(database: Database, name: string): Promise<string> {
  try {
    return (await findRecord(database, 'person', name)).id
  } catch (error) {
    // The journal may know somebody who was deleted, and unlocks do.
    const id = uuidOf(name)
    if (error instanceof ChangeRefused && id !== undefined) return id
    throw error
  }
}
