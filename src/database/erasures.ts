/** The list of erased people that goes from one database to another: keyed hashes, and nothing that names anybody. */
import { type Author, authorForAudit, nameOfAuthor } from './actor.ts'
import type { Database } from './client.ts'
import { scalar } from './scalar.ts'

/** Bytes are hexadecimal. */
export interface ErasureList {
  keys: { id: string; inner: string; outer: string }[]
  /** `at` in ISO 8601. */
  erasures: { id: string; at: string }[]
  marks: { hash: string; erasure: string }[]
}

/** Result of erasing people. */
export interface Erased {
  /** A random number that names the erasure. */
  number: string
  /** Its change in the journal, which can't be undone. */
  change: number
  /** People's records that were there. */
  records: number
  /** Hashes by which imports know them. */
  marks: number
  /** Ids of other people on file who share an address, a handle, a number or a profile with them. */
  alike: string[]
  /** Ids of companies that may be theirs, as of an investor who is a person, or whose text has their full name. */
  companies: string[]
}

/** A batch of an import may hold the change log's lock; the whole directory is looked through. */
const DEADLINE = { deadlineMs: 300_000 }

/** Reads the list of a database. */
export async function readErasures(database: Database): Promise<ErasureList> {
  const list = await database.use(
    ({ sql }) =>
      scalar<ErasureList>(sql`
        select json_build_object(
          'keys', (select coalesce(json_agg(json_build_object(
                     'id', id, 'inner', encode(inner_pad, 'hex'), 'outer', encode(outer_pad, 'hex'))), '[]') from erasure_keys),
          'erasures', (select coalesce(json_agg(json_build_object('id', id, 'at', at) order by sequence), '[]') from erasures),
          'marks', (select coalesce(json_agg(json_build_object(
                     'hash', encode(hash, 'hex'), 'erasure', erasure)), '[]') from erased_marks))`),
    DEADLINE,
  )
  return list ?? { keys: [], erasures: [], marks: [] }
}

/**
 * Takes a list into a database and erases those of it who are there.
 * @returns what that erased; null where nobody of the list was there
 */
export async function applyErasures(
  database: Database,
  list: ErasureList,
  who: string,
): Promise<Erased | null> {
  return database.use(
    ({ sql }) =>
      scalar<Erased>(sql`select take_erasures(${JSON.stringify(list)}::text::jsonb, ${who})`),
    DEADLINE,
  )
}

/**
 * Erases people, each named by any id that they have had.
 * @returns null where nothing of them is on file
 */
export async function erasePeople(
  database: Database,
  ids: readonly string[],
  who: Author,
): Promise<Erased | null> {
  return database.use(
    ({ sql }) =>
      scalar<Erased>(sql`
        with given as materialized (
          select set_config('chainkin.change', ${JSON.stringify(authorForAudit(who))}, true)
        )
        select erase_people(${`{${ids.join()}}`}::text::uuid[], ${nameOfAuthor(who)}) from given`),
    DEADLINE,
  )
}
