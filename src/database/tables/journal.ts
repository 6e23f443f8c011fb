/** The journal: who changed what in the directory and when, and what was there before. Triggers fill it. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/** One change: one command, or one run of an import. Kept for 30 days. */
export const journal = pg.pgTable(
  'journal',
  {
    change: pg.bigserial('change', { mode: 'number' }).primaryKey(),
    at: time('at').notNull(),
    who: pg.text('who').notNull(),
    /** `import`, `add`, `set`, `delete`, `merge`, `undo`, `erase`, or `sql` where a statement of nobody's command changed records. */
    what: pg.text('what').notNull(),
    /** The one record that the command named: `company`, `person` or `round`, and its id; of an erased person the erasure's. */
    kind: pg.text('kind'),
    id: pg.uuid('id'),
    /** The change that this one took back. */
    undoes: pg.bigint('undoes', { mode: 'number' }),
    /** The change that took this one back, and was not taken back itself. */
    undoneBy: pg.bigint('undone_by', { mode: 'number' }),
  },
  (t) => [pg.index('journal_age').on(t.at)],
)

/**
 * The rows that a change updated or deleted, each as it was before, in the order of commits; private channels are among
 * them. No foreign key to the change, because it would be looked at once for each row of an import.
 */
export const journalEntries = pg.pgTable(
  'journal_entries',
  {
    change: pg.bigint('change', { mode: 'number' }).notNull(),
    sequence: pg.bigserial('sequence', { mode: 'number' }).notNull(),
    tableName: pg.text('table_name').notNull(),
    /** The row's id; of an unlock its account. */
    rowId: pg.uuid('row_id').notNull(),
    /** The company, person or round that the row belongs to. */
    recordId: pg.uuid('record_id').notNull(),
    /** Null where an undo found no such row. */
    before: pg.jsonb('before'),
  },
  (t) => [
    pg.primaryKey({ columns: [t.change, t.sequence] }),
    pg.index('journal_entries_record').on(t.recordId),
  ],
)

/**
 * The rows that a change inserted, all of one statement together: row by row they would slow an import down. Sequences
 * are those of `journal_entries`.
 */
export const journalCreated = pg.pgTable(
  'journal_created',
  {
    change: pg.bigint('change', { mode: 'number' }).notNull(),
    sequence: pg
      .bigint('sequence', { mode: 'number' })
      .notNull()
      .default(sql`nextval('journal_entries_sequence_seq')`),
    tableName: pg.text('table_name').notNull(),
    rowIds: pg.uuid('row_ids').array().notNull(),
    /** The record of each of those rows, in their order. */
    recordIds: pg.uuid('record_ids').array().notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.change, t.sequence] })],
)
