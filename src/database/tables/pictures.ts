/** Logos and avatars, as small pictures of our own, and how their last fetch went. `drizzle/functions/directory/pictures.sql` keeps them in step with the records. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

const bytes = pg.customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** A row stands as long as its record has this address: another address, or none, deletes it. */
export const pictures = pg.pgTable(
  'pictures',
  {
    /** Kind of the record: company or person. */
    recordId: pg.uuid('record_id').primaryKey(),
    kind: pg.text('kind').$type<'company' | 'person'>().notNull(),
    /** The record's `logoUrl` or `avatarUrl`. */
    url: pg.text('url').notNull(),
    /** A small WebP or JPEG; null while none was got, and once its host said that it is gone. */
    bytes: bytes('bytes'),
    /** The first 31 bits of the SHA-256 of `bytes`: pages name a picture by them. */
    version: pg.integer('version'),
    /** The host's validators, by which it tells whether the picture has changed. */
    etag: pg.text('etag'),
    lastModified: pg.text('last_modified'),
    triedAt: time('tried_at').notNull(),
    /** Why the last fetch failed, in words; null where it didn't. */
    error: pg.text('error'),
    /** Fetches that failed since the last that didn't. */
    failures: pg.integer('failures').notNull().default(0),
    /** Before this a failed one is not tried again. */
    nextAt: time('next_at'),
  },
  (t) => [
    pg.check('pictures_kind', sql`${t.kind} in ('company', 'person')`),
    pg.check('pictures_bytes', sql`(${t.bytes} is null) = (${t.version} is null)`),
    pg.check('pictures_size', sql`octet_length(${t.bytes}) <= 131072`),
    pg.check('pictures_error', sql`(${t.error} is null) = (${t.nextAt} is null)`),
  ],
)
