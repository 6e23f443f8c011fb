/** Pictures in the database: which are to be fetched, how a fetch ended, and their bytes. */
import { createHash } from 'node:crypto'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'

/** A record whose picture is to be fetched. */
export interface DuePicture {
  /** Id of a company or a person. */
  id: string
  /** The record's `logoUrl` or `avatarUrl`. */
  url: string
  /** Validator of the kept picture, to ask whether it has changed; null if none is kept. */
  etag: string | null
  lastModified: string | null
}

/** How a fetch ended. */
export type FetchEnd =
  | { end: 'got'; bytes: Uint8Array; etag: string | null; lastModified: string | null }
  /** The host has what is kept. */
  | { end: 'same' }
  /** The host has no picture there any more: none is kept. */
  | { end: 'gone'; error: string }
  /** The kept picture stays, and is tried again later. */
  | { end: 'failed'; error: string }

const DEADLINE = { deadlineMs: 30_000 }

/**
 * Reads the next records whose picture is due, in the order of ids: never asked for, kept for longer than `olderThan`, or failed
 * and due again.
 * @param after an id; null begins @param olderThan seconds
 */
export function duePictures(
  database: Database,
  { after, limit, olderThan }: { after: string | null; limit: number; olderThan: number },
): Promise<DuePicture[]> {
  const from = after ?? '00000000-0000-0000-0000-000000000000'
  return database.use(
    ({ sql }) => sql<DuePicture[]>`
      select o.id, o.url, p.etag, p.last_modified as "lastModified"
        from (
          select id, logo_url as url from companies where logo_url <> ''
           union all
          select id, avatar_url from people where avatar_url <> ''
        ) o
        left join pictures p on p.record_id = o.id
       where o.id > ${from}
         and (p.record_id is null
           or case when p.error is null then p.tried_at <= meter_now() - make_interval(secs => ${olderThan})
                   else p.next_at <= meter_now() end)
       order by o.id limit ${limit}`,
    DEADLINE,
  )
}

/** @returns whether it was noted: the record may be gone, erased, or have another address by now. */
export async function notePicture(
  database: Database,
  { id, url }: Pick<DuePicture, 'id' | 'url'>,
  end: FetchEnd,
): Promise<boolean> {
  const got = end.end === 'got' ? end : null
  const error = 'error' in end ? end.error : null
  const noted = await database.use(
    ({ sql }) =>
      scalar<boolean>(sql`
        select note_picture(${id}, ${url}, ${end.end}, decode(${got && Buffer.from(got.bytes).toString('hex')}, 'hex'),
          ${got && versionOf(got.bytes)}, ${got?.etag ?? null}, ${got?.lastModified ?? null}, ${error})`),
    DEADLINE,
  )
  return noted === true
}

/** The first 31 bits of the SHA-256: another picture of the same record has another number. */
export function versionOf(bytes: Uint8Array): number {
  return createHash('sha256').update(bytes).digest().readUInt32BE() >>> 1
}

/** Reads a record's picture, a WebP or JPEG; undefined where none is kept. */
export async function readPicture(
  database: Database,
  id: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; version: number } | undefined> {
  const [row] = await database.use(
    ({ sql }) => sql<{ bytes: Uint8Array; version: number }[]>`
      select bytes, version from pictures where record_id = ${id} and version is not null`,
  )
  return row && { bytes: new Uint8Array(row.bytes), version: row.version }
}
