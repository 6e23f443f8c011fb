/**
 * My contacts: whom an account has revealed, with their channels, and what it noted about them (D155). Channels come
 * from `unlockedContacts` alone, for a page at a time, and are not kept (D75).
 */
import { unlockedContacts } from '../accounts/unlocks.ts'
import type { Channel } from '../contract/vocabulary.ts'
import type { Connection, Database } from '../database/client.ts'
import type { Fragment } from '../database/scalar.ts'
import { textArray } from '../database/text-array.ts'
import { isUuid } from '../database/uuid.ts'
import type { UnlockedContact } from '../metering/call.ts'
import { FieldError, validLine, validText } from '../users/validation.ts'

export const MAX_NOTE = 2_000
export const MAX_TAGS = 20
export const MAX_TAG = 40
/** Tags that a filter offers, at most. */
const TAGS_OFFERED = 100

export interface ContactFilter {
  /** Each word must be in the name, job title, company, note or tags. */
  q?: string | undefined
  tag?: string | undefined
  channel?: Channel | undefined
}

export interface Noted {
  /** What the account noted, of all records that are one by now; '' where nothing. */
  note: string
  tags: string[]
}

export interface KeptContact extends Noted {
  id: string
  /** When the account revealed them. ISO 8601 in UTC. */
  at: string
  /** Null where the person is not in the directory any more. */
  channels: UnlockedContact | null
}

export interface ContactsPage {
  total: number
  /** The page that was read: the last one where a later one was asked for. */
  page: number
  /** Newest first. */
  contacts: KeptContact[]
}

/** A page before its channels are read. */
type Read = Omit<ContactsPage, 'contacts'> & { contacts: Omit<KeptContact, 'channels'>[] }

/**
 * A page of the account's contacts. Whoever was erased is not among them; who was merged is the one who stayed. Records and notes
 * are read for a page alone, unless a filter looks into all of them: an account may have thousands.
 * @throws DatabaseUnavailable
 */
export async function contactsOf(
  database: Database,
  accountId: string,
  filter: ContactFilter,
  { page, size }: { page: number; size: number },
): Promise<ContactsPage> {
  const words = [...new Set((filter.q ?? '').split(/\s+/).filter(Boolean))]
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  const { tag = null, channel = null } = filter
  const [found] = await database.use(({ sql }) => {
    const wanted = sql`(select lower(${textArray(patterns)}::text)::text[])::text[]`
    return sql<Read[]>`
      with noted as (
        select coalesce(r.to_id, n.person_id) as person_id, string_agg(concat_ws(' ', n.note, array_to_string(n.tags, ' ')), ' ') as said
          from contact_notes n left join redirects r on r.id = n.person_id and r.kind = 'person'
         where n.account_id = ${accountId} and ${words.length}::integer > 0
         group by 1
      ), tagged as (
        select coalesce(r.to_id, n.person_id) as person_id
          from contact_notes n left join redirects r on r.id = n.person_id and r.kind = 'person'
         where n.account_id = ${accountId} and lower(${tag}::text) = any (lower(n.tags::text)::text[])
      ), matching as (
        select u.person_id as id, u.at
          from unlocks u
          left join noted n on n.person_id = u.person_id
         cross join lateral (select lower(n.said) as text offset 0) said
         where u.account_id = ${accountId}
           and (not is_erased_number(u.person_id) or (select true from people o where o.id = u.person_id))
           -- An account that had revealed both of two that are one by now sees one.
           and not exists (select from redirects r where r.id = u.person_id and r.kind = 'person')
           and (${tag}::text is null or u.person_id in (select person_id from tagged))
           and (${channel}::text is null or (
                 select case ${channel}::text when 'email' then p.has_email when 'phone' then p.has_phone
                          when 'telegram' then p.has_telegram else p.has_linkedin end
                   from people p where p.id = u.person_id))
           -- The record is looked up for those alone whose notes and tags don't have all words: that takes most of the time.
           and case when ${words.length}::integer = 0 or said.text like all (${wanted}) then true else (
                 select concat_ws(' ', lower(concat_ws(' ', p.first_name, p.last_name, p.job_title, e.name)), said.text) like all (${wanted})
                   from people p left join companies e on e.id = p.company_id
                  where p.id = u.person_id) end
      ), page as (
        select count(*)::integer as total,
               greatest(1, least(${page}::integer, ceil(count(*)::numeric / ${size}::integer)::integer)) as page
          from matching
      )
      select page.total, page.page, (
               select coalesce(json_agg(json_build_object(
                        'id', m.id, 'at', to_char(m.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                        'note', n.note, 'tags', n.tags) order by m.at desc, m.id), '[]')
                 from (select * from matching order by at desc, id
                       limit ${size}::integer offset (page.page - 1) * ${size}::integer) m
                cross join lateral (${noteOn(sql, accountId, sql`m.id`)}) n) as contacts
        from page`
  })
  const { total, page: read, contacts } = found ?? { total: 0, page: 1, contacts: [] }
  const channels = await unlockedContacts(
    database,
    accountId,
    contacts.map(({ id }) => id),
  )
  const shown = contacts.map((one) => ({ ...one, channels: channels.get(one.id) ?? null }))
  return { total, page: read, contacts: shown }
}

/** What an account noted of a person, of all records that are one by now: one row with `note` and `tags`. @param person an expression */
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

/**
 * What the account noted about a contact that it has revealed.
 * @returns undefined where it has revealed nobody of this id. @throws DatabaseUnavailable
 */
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
