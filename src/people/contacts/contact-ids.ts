/** Filter of an account's contacts: ids, a page at a time. Names come from memory. */
import { setImmediate } from 'node:timers/promises'
import type { Channel } from '../../contract/vocabulary.ts'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { inTurns, type Pace } from '../../directory/records/pace.ts'
import { type Person, personText } from '../../directory/records/person.ts'
import { textAt } from '../../directory/records/text-pages.ts'

export interface ContactFilter {
  /** Each word must be in the name, job title, company, note or tags. */
  q?: string | undefined
  tag?: string | undefined
  channel?: Channel | undefined
}

/** A page and its size. */
export interface Asked {
  page: number
  size: number
}

export interface FoundIds {
  total: number
  /** The page that was read: the last one where a later one was asked for. */
  page: number
  /** Newest first. */
  ids: string[]
}

/** Contacts whose records are looked at between two looks at the clock. */
const LOOKED_AT = 50
/** Calls that came meanwhile are begun after a millisecond of it; a search has few such turns. */
const TURNS: Pick<Pace, 'turnMs' | 'pause'> = { turnMs: 1, pause: () => setImmediate() }

/** @param directory knows names, job titles and companies @throws DatabaseUnavailable */
export function idsOf(
  database: Database,
  directory: Pick<Directory, 'person'>,
  accountId: string,
  filter: ContactFilter,
  asked: Asked,
): Promise<FoundIds> {
  const words = [...new Set((filter.q ?? '').split(/\s+/).filter(Boolean))]
  return words.length > 0
    ? foundBy(words, database, directory, accountId, filter, asked)
    : pageOf(database, accountId, filter, asked)
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
  { page, size }: Asked,
): Promise<FoundIds> {
  const [found] = await database.use(
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
  return found ?? { total: 0, page: 1, ids: [] }
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
  { page, size }: Asked,
): Promise<FoundIds> {
  const patterns = textArray(words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`))
  const isAscii = words.every((word) => /^[!-~]+$/.test(word))
  const [read] = await database.use(({ sql }) => {
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
  const { ids, noted } = read ?? { ids: [], noted: {} }
  const found: string[] = []
  const isNamed = namedBy(words.map((word) => word.toLowerCase()))
  function* look() {
    for (let first = 0; first < ids.length; first += LOOKED_AT) {
      for (const id of ids.slice(first, first + LOOKED_AT)) {
        const places = noted[id]
        if (places?.length === words.length || isNamed(directory.person(id), places)) found.push(id)
      }
      yield
    }
  }
  await inTurns(look(), TURNS)
  const last = Math.max(1, Math.ceil(found.length / size))
  const shown = Math.min(page, last)
  return { total: found.length, page: shown, ids: found.slice((shown - 1) * size, shown * size) }
}

/** Returns whether a person's name, job title and company have all words but those at these places. @param words in lower case */
function namedBy(words: readonly string[]) {
  const sought = words.map((word) => ({
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
    for (const [place, { inCompany, inRecord }] of sought.entries()) {
      if (!inRecord(record) && !inCompany(company) && !noted.includes(place)) return false
    }
    const { firstName, lastName, jobTitle } = personText(person)
    const text = [firstName, lastName, jobTitle].filter((each) => each !== null).join(' ')
    return sought.every(({ isIn }, place) => noted.includes(place) || isIn(company) || isIn(text))
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
