/** Records of each source, and fields of a record that no source overwrites. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/** A run of `import --source`. */
export const importRuns = pg.pgTable(
  'import_runs',
  {
    run: pg.bigserial('run', { mode: 'number' }).primaryKey(),
    source: pg.text('source').notNull(),
    at: time('at').notNull(),
    /** Null where it broke off, or where its removal was refused. */
    endedAt: time('ended_at'),
    /** The journal's. */
    change: pg.bigint('change', { mode: 'number' }).notNull(),
    /** Kind of records → the file as the operator named it. */
    files: pg.jsonb('files').$type<Readonly<Record<string, string>>>().notNull(),
    /** The kinds of which its files were all that there is, once what they lack is removed. */
    synced: pg.text('synced').array().notNull().default(sql`'{}'`),
    /** Whether its change is taken back: its sync doesn't count then. */
    isUndone: pg.boolean('is_undone').notNull().default(false),
  },
  (t) => [pg.index('import_runs_source').on(t.source, t.run)],
)

/** The columns that a source's files have had, by which the next file's are judged (`src/intake/import/sources.ts`). */
export const importSources = pg.pgTable('import_sources', {
  source: pg.text('source').primaryKey(),
  /** Kind of records → {columns, map}. */
  columns: pg.jsonb('columns').notNull().default({}),
  /** Files that were refused since for their columns: {at, kinds}; null where the last was taken. */
  refused: pg.jsonb('refused'),
})

/**
 * That a source has a record: until a later run synced the record's kind without it. Rows outlive their record, so that
 * `undo` brings it back with its sources; those of a merged record are the survivor's. The source '' is nobody: the
 * record was there before any source had it.
 */
export const recordSources = pg.pgTable(
  'record_sources',
  {
    recordId: pg.uuid('record_id').notNull(),
    source: pg.text('source').notNull(),
    /** `company`, `person` or `round`. */
    kind: pg.text('kind').notNull(),
    firstRun: pg.bigint('first_run', { mode: 'number' }).notNull(),
    /** The run that noted it as the source's; negative: the run that found it missing. */
    run: pg.bigint('run', { mode: 'number' }).notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.recordId, t.source] }),
    pg.index('record_sources_source').on(t.source, t.kind),
  ],
)

/** A field that was set by hand, which imports leave as it is. */
export const recordPins = pg.pgTable(
  'record_pins',
  {
    /** In the order of commits, as each is drawn under the change log's lock. */
    sequence: pg.bigserial('sequence', { mode: 'number' }).primaryKey(),
    recordId: pg.uuid('record_id').notNull(),
    /** As files name it. */
    field: pg.text('field').notNull(),
    /** The change that set it; a pin doesn't hold where that is taken back. */
    change: pg.bigint('change', { mode: 'number' }).notNull(),
    isUndone: pg.boolean('is_undone').notNull().default(false),
  },
  (t) => [pg.index('record_pins_record').on(t.recordId)],
)
