/**
 * My contacts: whom an account has revealed, with their channels, and what it noted about them. Channels come
 * from `unlockedContacts` alone, for a page at a time, and are not kept.
 */

import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import { isUuid } from '../../database/uuid.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { unlockedContacts } from '../../money/accounts/unlocks.ts'
import type { UnlockedContact } from '../../money/charge/call.ts'
import { FieldError, validLine, validText } from '../users/validation.ts'
import { type Asked, type ContactFilter, idsOf } from './contact-ids.ts'

export const MAX_NOTE = 2_000
export const MAX_TAGS = 20
export const MAX_TAG = 40
/** Tags that a filter offers, at most. */
const TAGS_OFFERED = 100

export interface Noted {
  /** Note of the account, from all records that are merged by now; '' if there is none. */
  note: string
  tags: string[]
}

export interface KeptContact extends Noted {
  id: string
  /** When the account revealed them. ISO 8601 in UTC. */
  at: string
  /** Null where the person is not in the directory any more, and for a suspended account. */
  channels: UnlockedContact | null
}

export interface ContactsPage {
  total: number
  /** The page that was read: the last one where a later one was asked for. */
  page: number
  /** Newest first. */
  contacts: KeptContact[]
}

/**
 * A page of the account's contacts. Whoever was erased is not among them; who was merged is the one who stayed. Notes and channels
 * are read for a page alone: an account may have thousands of contacts.
 * @param directory knows names, job titles and companies @throws DatabaseUnavailable
 */
export async function contactsOf(
  database: Database,
  directory: Pick<Directory, 'person'>,
  accountId: string,
  filter: ContactFilter,
  asked: Asked,
): Promise<ContactsPage> {
  const { ids, ...found } = await idsOf(database, directory, accountId, filter, asked)
  return { ...found, contacts: await contactsAmong(database, accountId, ids) }
}

/** The account's contacts of these ids, in their order. @throws DatabaseUnavailable */
export async function contactsAmong(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<KeptContact[]> {
  const [notes, channels] = await Promise.all([
    notesOf(database, accountId, ids),
    unlockedContacts(database, accountId, ids),
  ])
  return ids.flatMap((id) => {
    const noted = notes.get(id)
    return noted ? [{ ...noted, channels: channels.get(id) ?? null }] : []
  })
}

/** Notes by contact id. */
async function notesOf(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, Omit<KeptContact, 'channels'>>> {
  if (ids.length === 0) return new Map()
  const rows = await database.use(
    ({ sql }) => sql<Omit<KeptContact, 'channels'>[]>`
      select u.person_id as id, to_char(u.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, n.*
        from unlocks u cross join lateral (${noteOn(sql, accountId, sql`u.person_id`)}) n
       where u.account_id = ${accountId} and u.person_id = any (${textArray(ids)}::text::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * SQL: the note on a person, from all records that are merged by now: one row with `note` and `tags`. @param person an
 * expression
 */
function noteOn(sql: Connection['sql'], accountId: string, person: Fragment): Fragment {
  return sql`
    select coalesce(string_agg(nullif(c.note, ''), e'\n\n' order by c.updated_at, c.person_id), '') as note,
           to_json(array(select distinct t from unnest(array_agg(c.tags::text)) each cross join lateral unnest(each::text[]) t order by t)) as tags
      from contact_notes c
     where c.account_id = ${accountId}
       and c.person_id = any (array(select ${person}::uuid union all select r.id from redirects r where r.to_id = ${person}::uuid and r.kind = 'person'))`
}

/** The tags that the account uses most, in the order of the alphabet. @throws DatabaseUnavailable */
export async function tagsOf(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.use(
    ({ sql }) => sql<{ tag: string }[]>`
      select tag
        from (select min(tag) as tag from contact_notes cross join lateral unnest(tags) tag
               where account_id = ${accountId}
               group by lower(tag) order by count(*) desc, lower(tag) limit ${TAGS_OFFERED}::integer) used
       order by lower(tag)`,
  )
  return rows.map(({ tag }) => tag)
}

/** Note about a revealed contact. @returns undefined if the account has not revealed this id. @throws DatabaseUnavailable */
export async function notedOf(
  database: Database,
  accountId: string,
  personId: string,
): Promise<Noted | undefined> {
  if (!isUuid(personId)) return undefined
  const [row] = await database.use(
    ({ sql }) => sql<Noted[]>`
      select n.* from unlocks u cross join lateral (${noteOn(sql, accountId, sql`u.person_id`)}) n
       where u.account_id = ${accountId} and u.person_id = ${personId}`,
  )
  return row
}

/**
 * Keeps a note and tags of a contact, instead of what there was. The last to save wins. Under the id of a record that was merged
 * meanwhile they stand beside the survivor's, which whoever wrote them may not have seen.
 * @param tags divided by commas @returns false where the account has revealed nobody of this id.
 * @throws FieldError, DatabaseUnavailable
 */
export async function setNoted(
  database: Database,
  accountId: string,
  personId: string,
  { note, tags }: { note: string; tags: string },
): Promise<boolean> {
  const text = validText('note', note, MAX_NOTE)
  const list = validTags(tags)
  if (!isUuid(personId)) return false
  const rows = await database.use(
    ({ sql }) => sql`
      with mine as (
        -- Locked: an erasure waits for this, and then deletes it as well.
        select account_id, ${personId}::uuid as person_id from unlocks
         where account_id = ${accountId}
           and (person_id = ${personId}
                or person_id = (select to_id from redirects where id = ${personId} and kind = 'person'))
         limit 1 for key share
      ), before as (
        -- What was noted of records that are this one by now is in the text that is saved.
        delete from contact_notes n using mine, redirects r
         where n.account_id = mine.account_id and r.to_id = mine.person_id and r.kind = 'person' and n.person_id = r.id
      )
      insert into contact_notes (account_id, person_id, note, tags, updated_at)
      select account_id, person_id, ${text}, ${textArray(list)}::text::text[], meter_now() from mine
      on conflict (account_id, person_id) do update
        set note = excluded.note, tags = excluded.tags, updated_at = excluded.updated_at
      returning 1`,
  )
  return rows.length > 0
}

/** Each tag once, however it is written. @throws FieldError */
function validTags(text: string): string[] {
  const tags = new Map<string, string>()
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const tag = validLine('tags', part.replace(/\s+/g, ' '), MAX_TAG)
    if (!tags.has(tag.toLowerCase())) tags.set(tag.toLowerCase(), tag)
  }
  if (tags.size > MAX_TAGS) throw new FieldError('tags', `At most ${MAX_TAGS} tags.`)
  return [...tags.values()]
}
