/** People whom the directory has forgotten at their own request: hashes that keep imports from taking them in again. */
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

const bytes = pg.customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** An erasure: that there was one, and when. Nothing in it leads to the person. */
export const erasures = pg.pgTable('erasures', {
  /** In the order of commits, as each is drawn under the change log's lock. */
  sequence: pg.bigserial('sequence', { mode: 'number' }).primaryKey(),
  /** A random number, by which journal and operator name it. */
  id: pg.uuid('id').notNull().unique(),
  at: time('at').notNull(),
  /** Where the change log was: what was written down before, like a snapshot, may still hold the person. */
  position: pg.bigint('position', { mode: 'number' }).notNull(),
})

/** The key of the hashes, as the two pads of HMAC (RFC 2104). The first erasure makes it; a restored list may bring others. */
export const erasureKeys = pg.pgTable('erasure_keys', {
  id: pg.uuid('id').primaryKey(),
  innerPad: bytes('inner_pad').notNull(),
  outerPad: bytes('outer_pad').notNull(),
})

/** HMAC-SHA-256 of one address, handle, number, profile or key of an erased person, in the form that `erasure_form` gives. */
export const erasedMarks = pg.pgTable('erased_marks', {
  hash: bytes('hash').primaryKey(),
  erasure: pg.uuid('erasure').notNull(),
})

/** Tables that an erasure takes people out of, and closed requests. The ledger and the change log have ids alone, which lead nowhere then. */
export const TABLES_OF_PEOPLE = [
  'people',
  'private_channels',
  'redirects',
  'pictures',
  'record_sources',
  'record_pins',
  'journal',
  'journal_entries',
  'journal_created',
  'unlocks',
  'contact_notes',
  'list_entries',
  'privacy_requests',
  'audit_log',
  'import_jobs',
  'import_job_findings',
] as const
