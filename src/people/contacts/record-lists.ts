/**
 * Lists of people and companies that an account keeps, for all of its members. Entries have the id by which a record was
 * put on the list; whoever reads them follows redirects, so that a merge and its undo change nothing here.
 */
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, hitsRow, scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import { isUuid } from '../../database/uuid.ts'
import { FieldError, validLine } from '../users/validation.ts'

/** Lists of one account, and entries of one list, at most. */
export const MAX_LISTS = 100
export const MAX_ENTRIES = 1_000

export interface RecordList {
  id: string
  name: string
  /** ISO 8601 in UTC. */
  createdAt: string
  /** Records on it, those that are not in the directory any more among them. */
  entries: number
}

export interface ListEntry {
  /** The record's id by now; that of before a merge is not seen. */
  id: string
  kind: 'person' | 'company'
  /** When it was first put on the list. ISO 8601 in UTC. */
  addedAt: string
}

/** A list with all of its entries, the newest first. */
export interface KeptList {
  name: string
  entries: ListEntry[]
}

export interface Added {
  /** How many are on the list that were not before. */
  added: number
  /** How many were on it already. */
  known: number
  /** How many are not in the directory any more. */
  gone: number
}

/** The names of the account's lists, in their order. @throws DatabaseUnavailable */
export function listNamesOf(
  database: Database,
  accountId: string,
): Promise<Pick<RecordList, 'id' | 'name'>[]> {
  return database.use(
    ({ sql }) => sql<RecordList[]>`
      select id, name from record_lists where account_id = ${accountId} order by lower(name), id`,
  )
}

/**
 * A page of the account's lists by name: only its records are counted, because an account may have a hundred thousand.
 * @returns `total` lists, and the page that was read: the last one where a later one was asked for. @throws DatabaseUnavailable
 */
export async function listsOf(
  database: Database,
  accountId: string,
  { page, size }: { page: number; size: number },
): Promise<{ total: number; page: number; lists: RecordList[] }> {
  const lists = await database.use(
    ({ sql }) => sql<(RecordList & { total: number })[]>`
      with mine as (
        select id, name, created_at, count(*) over ()::integer as total from record_lists where account_id = ${accountId}
      ), shown as (
        select * from mine order by lower(name), id limit ${size}::integer
        offset (select greatest(0, least(${page}::integer, ceil(count(*)::numeric / ${size}::integer)::integer) - 1) * ${size}::integer from mine)
      ), counted as (
        select list_id, count(*) as entries from list_entries where list_id in (select id from shown) group by 1
      ), twice as (
        -- Of records that were merged with another one of the list. There are few: thousands of entries are counted, not compared.
        select e.list_id, count(*) - count(distinct r.to_id) filter (where o.record_id is null) as entries
          from list_entries e join redirects r on r.id = e.record_id and r.kind = e.kind
          left join list_entries o on o.list_id = e.list_id and o.record_id = r.to_id
         where e.list_id in (select id from shown)
         group by 1
      )
      select l.id, l.name, l.created_at as "createdAt", l.total,
             (coalesce(c.entries, 0) - coalesce(t.entries, 0))::integer as entries
        from shown l left join counted c on c.list_id = l.id left join twice t on t.list_id = l.id
       order by lower(l.name), l.id`,
  )
  const total = lists[0]?.total ?? 0
  return { total, page: Math.max(1, Math.min(page, Math.ceil(total / size))), lists }
}

/** @returns undefined where the account has no list of this id @throws DatabaseUnavailable */
export async function listOf(
  database: Database,
  accountId: string,
  id: string,
): Promise<KeptList | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await database.use(
    ({ sql }) => sql<KeptList[]>`
      with entries as (
        select coalesce(r.to_id, e.record_id) as id, min(e.kind) as kind, min(e.added_at) as at
          from list_entries e left join redirects r on r.id = e.record_id and r.kind = e.kind
         where e.list_id = ${id}
         group by 1
      )
      select l.name, (
               select coalesce(json_agg(json_build_object(
                        'id', e.id, 'kind', e.kind,
                        'addedAt', to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by e.at desc, e.id), '[]')
                 from entries e) as entries
        from record_lists l where l.id = ${id} and l.account_id = ${accountId}`,
  )
  return row
}

/**
 * The list of this name, which is made where there is none: a form that is sent twice makes one.
 * @returns its id @throws FieldError, DatabaseUnavailable
 */
export async function keepList(
  database: Database,
  accountId: string,
  name: string,
): Promise<string> {
  const line = validLine('name', name)
  const id = await database.use(({ sql }) =>
    scalar<string>(sql`select list_keep(${accountId}, ${line}, ${MAX_LISTS}::integer)`),
  )
  if (id === null) throw new FieldError('name', `An account has at most ${MAX_LISTS} lists.`)
  return id
}

/** @returns false where the account has no such list. @throws FieldError, DatabaseUnavailable */
export async function renameList(
  database: Database,
  accountId: string,
  id: string,
  name: string,
): Promise<boolean> {
  const line = validLine('name', name)
  if (!isUuid(id)) return false
  const end = await database.use(({ sql }) =>
    scalar<string>(sql`select list_rename(${accountId}, ${id}, ${line})`),
  )
  if (end === 'taken') throw new FieldError('name', 'Another list has this name.')
  return end !== null
}

/** Deletes a list; its records stay in the directory, and what was revealed stays revealed. @returns false where there is none. */
export async function deleteList(
  database: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  if (!isUuid(id)) return false
  return database.use(({ sql }) =>
    hitsRow(sql`delete from record_lists where id = ${id} and account_id = ${accountId}`),
  )
}

/**
 * Puts records on a list, each once, however often it is asked: all of them, or none where they don't fit.
 * @param ids of people and companies @returns undefined where the account has no such list
 * @throws FieldError, DatabaseUnavailable
 */
export async function addToList(
  database: Database,
  accountId: string,
  id: string,
  ids: readonly string[],
): Promise<Added | undefined> {
  if (!isUuid(id)) return undefined
  const end = await database.use(({ sql }) =>
    scalar<Added & { room?: number }>(
      sql`select list_add(${accountId}, ${id}, ${idArray(ids)}::text::uuid[], ${MAX_ENTRIES}::integer)`,
    ),
  )
  if (end?.room !== undefined) {
    const fit = end.room === 0 ? 'it is full' : `${end.room} more fit on this one`
    throw new FieldError('list', `A list holds at most ${MAX_ENTRIES} records: ${fit}.`)
  }
  return end ?? undefined
}

/** Takes records off a list, by the ids of before a merge too. @returns false where the account has no such list */
export function removeFromList(
  database: Database,
  accountId: string,
  id: string,
  ids: readonly string[],
): Promise<boolean> {
  const records = idArray(ids)
  return removeEntries(
    database,
    accountId,
    id,
    ({ sql }) => sql`
      e.record_id = any (${records}::text::uuid[])
      or e.record_id in (select r.id from redirects r where r.to_id = any (${records}::text::uuid[]))`,
  )
}

/** Takes those off a list that are not in the directory any more. @returns false where the account has no such list */
export function removeGone(database: Database, accountId: string, id: string): Promise<boolean> {
  return removeEntries(
    database,
    accountId,
    id,
    ({ sql }) => sql`
      not exists (
        select from (select e.record_id as id union all
                     select r.to_id from redirects r where r.id = e.record_id and r.kind = e.kind) now
         where exists (select from people p where p.id = now.id) or exists (select from companies c where c.id = now.id))`,
  )
}

/** @param condition SQL about `list_entries e`: which of the list's entries go */
async function removeEntries(
  database: Database,
  accountId: string,
  id: string,
  condition: (connection: Connection) => Fragment,
): Promise<boolean> {
  if (!isUuid(id)) return false
  return database.use((connection) =>
    hitsRow(connection.sql`
      with mine as (
        select id from record_lists where id = ${id} and account_id = ${accountId}
      ), gone as (
        delete from list_entries e using mine where e.list_id = mine.id and (${condition(connection)})
      )
      select from mine`),
  )
}

const idArray = (ids: readonly string[]) => textArray(ids.filter(isUuid))
