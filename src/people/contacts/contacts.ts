/**
 * My contacts: whom an account has revealed, with their channels, and what it noted about them. Channels come
 * from `unlockedContacts` alone, for a page at a time, and are not kept. Words are searched in notes and tags by PostgreSQL, and in
 * names by memory.
 */

import { setImmediate } from 'node:timers/promises'
import type { Channel } from '../../contract/vocabulary.ts'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import { isUuid } from '../../database/uuid.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { inTurns, type Pace } from '../../directory/records/pace.ts'
import { type Person, personText } from '../../directory/records/person.ts'
import { textAt } from '../../directory/records/text-pages.ts'
import { unlockedContacts } from '../../money/accounts/unlocks.ts'
import type { UnlockedContact } from '../../money/charge/call.ts'
import { FieldError, validLine, validText } from '../users/validation.ts'

export interface ContactFilter {
  /** Each word must be in the name, job title, company, note or tags. */
  q?: string | undefined
  tag?: string | undefined
  channel?: Channel | undefined
}

/** A page and its size. */
export interface PageChoice {
  page: number
  size: number
}

interface FoundIds {
  total: number
  /** The page that was read: the last one where a later one was asked for. */
  page: number
  /** Newest first. */
  ids: string[]
}

export const MAX_NOTE = 2_000
export const MAX_TAGS = 20
export const MAX_TAG = 40
/** Tags that a filter offers, at most. */
const TAGS_OFFERED = 100

export interface ContactNote {
  /** Note of the account, from all records that are merged by now; '' if there is none. */
  note: string
  tags: string[]
}

export interface KeptContact extends ContactNote {
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
  page: PageChoice,
): Promise<ContactsPage> {
  const { ids, ...counts } = await idsOf(database, directory, accountId, filter, page)
  return { ...counts, contacts: await contactsAmong(database, accountId, ids) }
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
    const note = notes.get(id)
    return note ? [{ ...note, channels: channels.get(id) ?? null }] : []
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
export async function contactNoteOf(
  database: Database,
  accountId: string,
  personId: string,
): Promise<ContactNote | undefined> {
  if (!isUuid(personId)) return undefined
  const [row] = await database.use(
    ({ sql }) => sql<ContactNote[]>`
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
export async function setContactNote(
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

/** Contacts whose records are looked at between two looks at the clock. */
const RECORDS_A_TURN = 50
/** Calls that came meanwhile are begun after a millisecond of it; a search has few such turns. */
const TURNS: Pick<Pace, 'turnMs' | 'pause'> = { turnMs: 1, pause: () => setImmediate() }

/** @param directory knows names, job titles and companies @throws DatabaseUnavailable */
export function idsOf(
  database: Database,
  directory: Pick<Directory, 'person'>,
  accountId: string,
  filter: ContactFilter,
  page: PageChoice,
): Promise<FoundIds> {
  const words = [...new Set((filter.q ?? '').split(/\s+/).filter(Boolean))]
  return words.length > 0
    ? foundBy(words, database, directory, accountId, filter, page)
    : pageOf(database, accountId, filter, page)
}

/** `id` and `at` of everybody whom the account has revealed and the filter's tag and channel let pass. */
function passing(sql: Connection['sql'], accountId: string, filter: ContactFilter): Fragment {
  const [tag, channel] = [filter.tag ?? null, filter.channel ?? null]
  return sql`
    select u.person_id as id, u.at
      from unlocks u
     where u.account_id = ${accountId}
       and (not is_erased_number(u.person_id) or (select true from people o where o.id = u.person_id))
       -- An account that had revealed both of two that are one by now sees one.
       and not exists (select from redirects r where r.id = u.person_id and r.kind = 'person')
       and (${tag}::text is null or u.person_id in (
             select coalesce(r.to_id, n.person_id)
               from contact_notes n left join redirects r on r.id = n.person_id and r.kind = 'person'
              where n.account_id = ${accountId} and lower(${tag}::text) = any (lower(n.tags::text)::text[])))
       and (${channel}::text is null or (
             select case ${channel}::text when 'email' then p.has_email when 'phone' then p.has_phone
                      when 'telegram' then p.has_telegram else p.has_linkedin end
               from people p where p.id = u.person_id))`
}

/** A page of all that the filter's tag and channel let pass. */
async function pageOf(
  database: Database,
  accountId: string,
  filter: ContactFilter,
  { page, size }: PageChoice,
): Promise<FoundIds> {
  const [row] = await database.use(
    ({ sql }) => sql<FoundIds[]>`
      with matching as (${passing(sql, accountId, filter)}), page as (
        select count(*)::integer as total,
               greatest(1, least(${page}::integer, ceil(count(*)::numeric / ${size}::integer)::integer)) as page
          from matching
      )
      select page.total, page.page, (
               select coalesce(json_agg(m.id order by m.at desc, m.id), '[]')
                 from (select * from matching order by at desc, id
                       limit ${size}::integer offset (page.page - 1) * ${size}::integer) m) as ids
        from page`,
  )
  return row ?? { total: 0, page: 1, ids: [] }
}

/**
 * A page of those who have all words. PostgreSQL says whose note and tags have which, memory whose record has the others: to look
 * thousands of records up there took most of the time. A word of ASCII is found in its letters alone, which takes a tenth of what
 * it takes to know the case of all others.
 */
async function foundBy(
  words: readonly string[],
  database: Database,
  directory: Pick<Directory, 'person'>,
  accountId: string,
  filter: ContactFilter,
  { page, size }: PageChoice,
): Promise<FoundIds> {
  const patterns = textArray(words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`))
  const isAscii = words.every((word) => /^[!-~]+$/.test(word))
  const [row] = await database.use(({ sql }) => {
    const lower = (text: Fragment) =>
      isAscii ? sql`lower(${text} collate "C")` : sql`lower(${text})`
    return sql<{ ids: string[]; noted: Record<string, number[]> }[]>`
      with matching as (${passing(sql, accountId, filter)}), noted as (
        -- A word is in one of the records that are one by now, in the other, or in both, where it counts once.
        select coalesce(r.to_id, n.person_id) as id, json_agg(distinct w.place - 1) as places
          from contact_notes n left join redirects r on r.id = n.person_id and r.kind = 'person'
         cross join lateral (
               select ${lower(sql`concat_ws(' ', n.note, array_to_string(n.tags, ' '))`)} as text offset 0) said
          join unnest(${lower(sql`${patterns}::text`)}::text[]) with ordinality w(pattern, place) on said.text like w.pattern
         where n.account_id = ${accountId}
         group by 1
      )
      select (select coalesce(json_agg(id order by at desc, id), '[]') from matching) as ids,
             (select coalesce(json_object_agg(id, places), '{}') from noted) as noted`
  })
  const { ids, noted } = row ?? { ids: [], noted: {} }
  const matches: string[] = []
  const isNamed = namedBy(words.map((word) => word.toLowerCase()))
  function* look() {
    for (let first = 0; first < ids.length; first += RECORDS_A_TURN) {
      for (const id of ids.slice(first, first + RECORDS_A_TURN)) {
        const places = noted[id]
        if (places?.length === words.length || isNamed(directory.person(id), places))
          matches.push(id)
      }
      yield
    }
  }
  await inTurns(look(), TURNS)
  const last = Math.max(1, Math.ceil(matches.length / size))
  const number = Math.min(page, last)
  return {
    total: matches.length,
    page: number,
    ids: matches.slice((number - 1) * size, number * size),
  }
}

/** Returns whether a person's name, job title and company have all words but those at these places. @param words in lower case */
function namedBy(words: readonly string[]) {
  const finders = words.map((word) => ({
    inCompany: finderOf(word),
    // Escaped as in a record's text, which is JSON.
    inRecord: finderOf(JSON.stringify(word).slice(1, -1).toLowerCase()),
    isIn: (text: string) => text.toLowerCase().includes(word),
  }))
  return (person: Person | undefined, noted: readonly number[] = []): boolean => {
    if (!person) return false
    const record = textAt(person.place)
    const company = person.company?.name ?? ''
    // Taken apart where all words stand somewhere in it: that takes three times as long.
    for (const [place, { inCompany, inRecord }] of finders.entries()) {
      if (!inRecord(record) && !inCompany(company) && !noted.includes(place)) return false
    }
    const { firstName, lastName, jobTitle } = personText(person)
    const text = [firstName, lastName, jobTitle].filter((each) => each !== null).join(' ')
    return finders.every(({ isIn }, place) => noted.includes(place) || isIn(company) || isIn(text))
  }
}

/**
 * Returns whether a text may have this word, in either case. To look for it in both makes no copy of each text, as to lower all
 * texts does; letters beyond ASCII that become `i` and `k` are looked for as well. @param word in lower case
 */
function finderOf(word: string): (text: string) => boolean {
  if (!/^[!-~]+$/.test(word)) return (text) => text.toLowerCase().includes(word)
  const pattern = word
    .replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
    .replaceAll('i', '[i\u0130]')
    .replaceAll('k', '[k\u212a]')
  const expression = new RegExp(pattern, 'i')
  return (text) => expression.test(text)
}
