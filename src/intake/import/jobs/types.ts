/**
 * An import job: a file from an operator, its settings, corrections and state. The state is in PostgreSQL, because the
 * next request may meet another process (`src/database/tables/imports.ts`).
 */
import type { DateOrder } from '../fields/date-orders.ts'
import type { KindName, KindSummary, ReasonCount, Severity } from '../summary.ts'

/** The largest file, in bytes. */
export const MOST_FILE_BYTES = 100 * 1_048_576
/** Bytes of all files that wait together. */
export const MOST_BYTES_TOGETHER = 10 * MOST_FILE_BYTES
/** Largest piece of a file that is stored at once, in bytes: callers of an embedded database wait for each. */
export const CHUNK_BYTES = 262_144
/** Number of jobs to keep: beyond, the oldest whose file is gone are deleted. */
export const MOST_JOBS = 100
/** Findings of each severity that a job stores one by one; others are counted. */
export const MOST_FINDINGS = 10_000
export const MOST_CORRECTIONS = 10_000

export const JOB_STATES = [
  /** Upload under way. */
  'uploading',
  /** Uploaded, and not checked since its settings changed. */
  'waiting',
  /** Dry run requested or under way. */
  'checking',
  /** Checked; `preview` says what the import would do. */
  'checked',
  /** Import requested or under way. */
  'importing',
  /** Imported; `result` says what it did. The file is gone. */
  'ended',
  /** Cancelled, failed or its process died; `stopped` says in which work and why. It can be run again. */
  'stopped',
  /** Undo requested or under way. */
  'undoing',
  /** Undone. The file is gone. */
  'undone',
] as const

export type JobState = (typeof JOB_STATES)[number]

/** Work of a process: a dry run, the import, or an undo of all that its imports changed. */
export type JobWork = 'check' | 'import' | 'undo'

export interface JobSettings {
  /**
   * Field by column name, with its unit as in `amountUsd*1e6`, or null to leave the column out. Unnamed columns mean
   * what their name says.
   */
  map: Readonly<Record<string, string | null>>
  /** Values by field, for rows that have nothing in it. */
  fill: Readonly<Record<string, string>>
  /** Order of day, month and year in ambiguous dates. */
  dateOrder?: DateOrder | undefined
  /** Sheet of a workbook; absent for the first that isn't hidden. */
  sheet?: string | undefined
}

export interface JobProgress {
  /** Rows that are stored or refused. */
  rows: number
  /** Bytes of the file that were read. */
  bytes: number
}

/** Summary of a check or an import, without values of private channels; single findings are in `readFindings`. */
export type JobSummary = Omit<KindSummary, 'refusals' | 'warnings'>
export type { ReasonCount }

/** A job as pages and commands read it. Times are ISO 8601 in UTC, from the database's clock. */
export interface ImportJob {
  id: string
  kind: KindName
  /** The file's name, without folders, at most 200 characters. */
  file: string
  bytes: number
  state: JobState
  /** False once the file was imported, or after 7 days. */
  hasFile: boolean
  settings: JobSettings
  /** Number of corrected cells. */
  corrections: number
  /** False once a correction or setting is newer than `preview`. */
  isPreviewCurrent: boolean
  /** Summary of the last check. */
  preview: JobSummary | null
  /** Summary of the import so far. */
  result: JobSummary | null
  /** Progress of the work under way, or of the last. */
  progress: JobProgress | null
  /** Set in the state `stopped`. */
  stopped: { work: JobWork; reason: string } | null
  /** Change of the journal; null without changes, and after 30 days, when the journal forgets it. */
  change: number | null
  /** Author of the upload: an e-mail address, or the name of who typed the command. */
  addedBy: string
  /** Author of the import; null before. */
  runBy: string | null
  /** The change that undid it, which can be undone in its turn, and its author. */
  undone: { change: number; who: string } | null
  addedAt: string
  begunAt: string | null
  endedAt: string | null
}

/** A column of a job's file. */
export interface JobColumn {
  name: string
  /** Field by its name alone. */
  guess: string | null
  /** Field with the job's settings; null for none. */
  field: string | null
  /** Multiplier of its numbers, by the settings. */
  factor?: number
  isLeftOut: boolean
  /** Likely field of an unknown column. */
  likely: string | null
  /** First three values that aren't blank, cut; `HIDDEN` where they are, or look like, a private channel. */
  values: string[]
}

/** Placeholder for a value of a private channel. */
export const HIDDEN = '(private)'

/** The columns of a job's file, in its order; of JSON the keys of its first rows. */
export interface JobColumns {
  /** Sheet of a workbook that was read, and the names of all that aren't hidden; absent for other files. */
  sheet?: { name: string; names: readonly string[] }
  columns: JobColumn[]
  /** Required fields without a column or fill value. */
  missing: string[]
  /** Fields that several columns mean: one of the columns has to be renamed or left out. */
  clashes: { field: string; columns: string[] }[]
  /** Number of rows that were read. */
  rows: number
}

/** A refused row or a value left out, with its corrections. */
export interface JobFinding {
  /** Position among the findings, from 1. */
  place: number
  row: number
  line: number | null
  severity: Severity
  /** Null where the row as a whole is at fault. */
  field: string | null
  /** Name of the field's column in the file. */
  column: string | null
  reason: string
  /** Value in the file, cut; null for a private channel or a blank. */
  value: string | null
  /** Label of the row, as far as the file has a name. */
  label: string | null
  /** True for a private channel: its correction is never shown. */
  isPrivate: boolean
  /** Corrected values by field, `HIDDEN` for a private channel. */
  corrections: Readonly<Record<string, string>>
}

/** A refused request about a job; the message says why and what to do. */
export class JobRefused extends Error {
  override name = 'JobRefused'
  /** Column, field or setting at fault. */
  readonly of: string | undefined

  constructor(reason: string, of?: string) {
    super(reason)
    this.of = of
  }
}
