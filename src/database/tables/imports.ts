/** Files that operators gave to be imported, and how far each is (`src/intake/import/jobs`). */

import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { newId, owner, time } from './columns.ts'

const bytes = pg.customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** A file to import. What it holds is in the tables below, until it is imported and for 7 days at most. */
export const importJobs = pg.pgTable(
  'import_jobs',
  {
    id: newId(),
    /** `companies`, `people` or `rounds`. */
    kind: pg.text('kind').notNull(),
    file: pg.text('file').notNull(),
    /** `csv`, `json` or `jsonl` by the file's name; null: told by its beginning. */
    format: pg.text('format'),
    bytes: pg.bigint('bytes', { mode: 'number' }).notNull().default(0),
    /** `uploading`, `waiting`, `checking`, `checked`, `importing`, `ended`, `undoing` or `stopped`. */
    state: pg.text('state').notNull().default('uploading'),
    /** True if its file is still there. */
    hasFile: pg.boolean('has_file').notNull().default(true),
    /** Meaning of columns, values for blank cells, the order of dates: {map, fill, dateOrder}. */
    settings: pg.jsonb('settings').notNull().default({}),
    /** Goes up with each change of the settings and corrections. */
    version: pg.integer('version').notNull().default(0),
    /** Result of the last check, and the `version` that it checked. */
    preview: pg.jsonb('preview'),
    previewVersion: pg.integer('preview_version'),
    /** Result of the import so far. */
    result: pg.jsonb('result'),
    progress: pg.jsonb('progress'),
    /** The present or last work: `check`, `import` or `undo`; why it stopped. */
    work: pg.text('work'),
    reason: pg.text('reason'),
    /** The process that does it; null where nobody has begun. */
    worker: pg.uuid('worker'),
    /** When that process last said that it is at work. */
    beatAt: time('beat_at').notNull(),
    isCancelled: pg.boolean('is_cancelled').notNull().default(false),
    /** The journal's, once an import has begun. */
    change: pg.bigint('change', { mode: 'number' }),
    /** Who gave the file, who asked for the import, and who for its undo, as the audit log names them. */
    addedBy: pg.jsonb('added_by').notNull(),
    runBy: pg.jsonb('run_by'),
    undoBy: pg.jsonb('undo_by'),
    addedAt: time('added_at').notNull(),
    begunAt: time('begun_at'),
    endedAt: time('ended_at'),
    undoneAt: time('undone_at'),
  },
  (t) => [
    pg.check('import_jobs_kind', sql`${t.kind} in ('companies', 'people', 'rounds')`),
    pg.check(
      'import_jobs_state',
      sql`${t.state} in ('uploading', 'waiting', 'checking', 'checked', 'importing', 'ended', 'undoing', 'stopped')`,
    ),
    pg.check('import_jobs_work', sql`${t.work} in ('check', 'import', 'undo')`),
  ],
)

/** The bytes of a job's file, in pieces. Files of people hold private channels: nothing reads them but the work on the job. */
export const importJobChunks = pg.pgTable(
  'import_job_chunks',
  {
    jobId: owner('job_id', () => importJobs.id),
    /** From 0. */
    place: pg.integer('place').notNull(),
    bytes: bytes('bytes').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.jobId, t.place] }),
    pg.check('import_job_chunks_size', sql`octet_length(${t.bytes}) between 1 and 1048576`),
  ],
)

/** A refused row or a value that was left out, of the last check or import. No value of a private channel is in it. */
export const importJobFindings = pg.pgTable(
  'import_job_findings',
  {
    jobId: owner('job_id', () => importJobs.id),
    /** From 1, in the order in which they were found. */
    place: pg.integer('place').notNull(),
    row: pg.integer('row').notNull(),
    line: pg.integer('line'),
    severity: pg.text('severity').$type<'refused' | 'warning'>().notNull(),
    field: pg.text('field'),
    column: pg.text('column_name'),
    reason: pg.text('reason').notNull(),
    value: pg.text('value'),
    label: pg.text('label'),
  },
  (t) => [
    pg.primaryKey({ columns: [t.jobId, t.place] }),
    pg.check('import_job_findings_severity', sql`${t.severity} in ('refused', 'warning')`),
  ],
)

/** Cells that the operator corrected; they go with the file, because they may be private channels. */
export const importJobCorrections = pg.pgTable(
  'import_job_corrections',
  {
    jobId: owner('job_id', () => importJobs.id),
    row: pg.integer('row').notNull(),
    field: pg.text('field').notNull(),
    /** As a cell of CSV; blank clears it. */
    value: pg.text('value').notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.jobId, t.row, t.field] })],
)

// Records of each source, and fields of a record that no source overwrites.

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
    /** True if its change is taken back: its sync doesn't count then. */
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
 * Records that a source has, until a later run syncs their kind without them. Rows outlive their record, so that
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
