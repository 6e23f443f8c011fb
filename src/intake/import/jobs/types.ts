/**
 * An import job: a file that an operator gave, what its columns mean, what was corrected in it, and how far it is. Its state is in
 * PostgreSQL, because the next request may meet another process (`src/database/tables/imports.ts`).
 */
import type { DateOrder } from '../fields/date-orders.ts'
import type { KindName, KindSummary, ReasonCount, Severity } from '../summary.ts'

/** The largest file, in bytes. */
export const MOST_FILE_BYTES = 100 * 1_048_576
/** Bytes of all files that wait together. */
export const MOST_BYTES_TOGETHER = 10 * MOST_FILE_BYTES
/** The largest piece of a file that is stored at once, in bytes: callers of an embedded database wait for the end of one. */
export const CHUNK_BYTES = 262_144
/** Jobs that are kept: beyond these the oldest whose file is gone are deleted. */
export const MOST_JOBS = 100
/** Refused rows, and as many values that were left out, that a job keeps one by one; the others are counted. */
export const MOST_FINDINGS = 10_000
/** Cells of a job that may be corrected. */
export const MOST_CORRECTIONS = 10_000

export const JOB_STATES = [
  /** Its file is on its way. */
  'uploading',
  /** Its file is there, and nobody has looked at what it would change since its columns were given a meaning. */
  'waiting',
  /** A dry run is under way, or was asked for. */
  'checking',
  /** `preview` says what the import would do. */
  'checked',
  /** The import is under way, or was asked for. */
  'importing',
  /** All of its file was read; `result` says what it did. The file is gone. */
  'ended',
  /** A check, an import or an undo that was cancelled, failed or whose process died: `stopped` says which and why. It can be run again. */
  'stopped',
  /** What it had changed is being taken back, or that was asked for. */
  'undoing',
  /** What it had changed was taken back. The file is gone. */
  'undone',
] as const

export type JobState = (typeof JOB_STATES)[number]

/** What a process does with a job: a dry run, the import, or taking back all that its imports changed. */
export type JobWork = 'check' | 'import' | 'undo'

/** What the operator says of a file. */
export interface JobSettings {
  /**
   * Column as the file writes it → field, with its unit as in `amountUsd*1e6`, or null where it is to be left out. Columns that aren't
   * named mean what their name says.
   */
  map: Readonly<Record<string, string | null>>
  /** Field → value, for rows that have nothing in it. */
  fill: Readonly<Record<string, string>>
  /** The order of day, month and year in dates that read several ways. */
  dateOrder?: DateOrder | undefined
}

/** How far the work is. */
export interface JobProgress {
  /** Rows that are stored or refused. */
  rows: number
  /** Rows without a key, which are decided when the file is read. */
  waiting: number
  /** Bytes of the file that were read. */
  bytes: number
}

/** What a check or an import found; refused rows one by one are in `readFindings`. Of private channels no value is in it. */
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
  /** Whether its file is still there, to be checked, corrected or imported: until it is imported, and for 7 days. */
  hasFile: boolean
  settings: JobSettings
  /** How many cells of it were corrected. */
  corrections: number
  /** Whether `preview` is of the file as it is now: nothing was corrected or mapped since. */
  isPreviewCurrent: boolean
  /** What the last check found; null before one. */
  preview: JobSummary | null
  /** What the import did so far; null before it. */
  result: JobSummary | null
  /** Of the work under way, or of the last. */
  progress: JobProgress | null
  /** Null but in the state `stopped`. */
  stopped: { work: JobWork; reason: string } | null
  /** Its change in the journal; null while it changed nothing, and when the journal has forgotten it, after 30 days. */
  change: number | null
  /** Who gave the file: their e-mail address, or the name of who typed the command. */
  addedBy: string
  /** Who asked for the import; null before. */
  runBy: string | null
  /** The change of the journal that took its change back, which can be undone in its turn, and who made it; null where none did. */
  undone: { change: number; who: string } | null
  addedAt: string
  /** When the last work was asked for. */
  begunAt: string | null
  /** When the last check or import ended. */
  endedAt: string | null
}

/** A column of a job's file. */
export interface JobColumn {
  /** As the file writes it. */
  name: string
  /** The field that it means by its name alone; null where it means none. */
  guess: string | null
  /** The field that it means with the job's settings; null where it means none or is left out. */
  field: string | null
  /** By how much its numbers are multiplied, where the settings say so. */
  factor?: number
  /** Whether the settings leave it out. */
  isLeftOut: boolean
  /** A field that it may be a misspelling of, where it means none. */
  likely: string | null
  /** Its first three values that aren't blank, cut; `HIDDEN` where they are, or look like, a private channel. */
  values: string[]
}

/** What stands for a value of a private channel. */
export const HIDDEN = '(private)'

/** The columns of a job's file, in its order; of JSON the keys of its first rows. */
export interface JobColumns {
  columns: JobColumn[]
  /** Fields that a new record of this kind must have and that no column means and no `fill` gives. */
  missing: string[]
  /** Fields that several columns mean: the first named wins by its name, or one is to be left out. */
  clashes: { field: string; columns: string[] }[]
  /** Rows that were looked at. */
  rows: number
}

/** A refused row or a value that was left out, with the correction that it has. */
export interface JobFinding {
  /** Its place among the findings, from 1. */
  place: number
  row: number
  line: number | null
  severity: Severity
  /** Null where the row as a whole is at fault. */
  field: string | null
  /** The field's column as the file writes it. */
  column: string | null
  reason: string
  /** What the file has there, cut; null of a private channel and where it has nothing. */
  value: string | null
  /** What the row is called: a name, as far as the file has one. */
  label: string | null
  /** Whether `field` is a private channel: its correction is never shown. */
  isPrivate: boolean
  /** What was corrected in this row: field → value, `HIDDEN` for a private channel. */
  corrections: Readonly<Record<string, string>>
}

/** What can't be done with a job, or with what was given; the message says why and what to do. */
export class JobRefused extends Error {
  override name = 'JobRefused'
  /** The column, field or setting that is at fault, where it is one. */
  readonly of: string | undefined

  constructor(reason: string, of?: string) {
    super(reason)
    this.of = of
  }
}
