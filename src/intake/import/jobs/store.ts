/** Import jobs in PostgreSQL: they are made, read, changed and deleted here; `drizzle/functions/intake/imports.sql` has the rules. */
import { Readable } from 'node:stream'
import type { Actor } from '../../../database/actor.ts'
import { type Database, errorCode } from '../../../database/client.ts'
import { type DiskPlace, freeBytes, MIN_FREE_BYTES } from '../../../database/disk.ts'
import { type Fragment, scalar } from '../../../database/scalar.ts'
import { holdsEmail } from '../fields/values.ts'
import { formatOf, type Source } from '../read.ts'
import type { KindName } from '../summary.ts'
import { REFUSED } from '../write.ts'
import {
  CHUNK_BYTES,
  type ImportJob,
  JobRefused,
  type JobSettings,
  type JobState,
  type JobWork,
  MOST_BYTES_TOGETHER,
  MOST_FILE_BYTES,
  MOST_JOBS,
} from './types.ts'

/** Long enough for statements that wait for each other, and to send a megabyte. */
export const DEADLINE = { deadlineMs: 30_000 }
const LONGEST_NAME = 200

/** Turns a refusal by the SQL of imports into JobRefused. */
export function withReason(error: unknown): never {
  if (errorCode(error) === REFUSED && error instanceof Error) throw new JobRefused(error.message)
  throw error
}

/** Calls a function of `imports.sql`. @throws JobRefused */
export const callImports = <T>(
  database: Database,
  call: (sql: Sql) => Fragment,
  deadline = DEADLINE,
): Promise<T | null> => database.use(({ sql }) => scalar<T>(call(sql)), deadline).catch(withReason)

type Sql = Parameters<Parameters<Database['use']>[0]>[0]['sql']

/**
 * Makes a job, whose file follows by `appendChunk`. An upload that isn't complete within ten minutes is deleted.
 * @param name the file's, with folders or without: its ending may name its format
 * @returns the job's id
 * @throws JobRefused where too many files wait
 */
export async function createJob(
  database: Database,
  { kind, name, by }: { kind: KindName; name: string; by: Actor },
): Promise<string> {
  const format = formatOf(name) ?? null
  const id = await callImports<string>(
    database,
    (sql) =>
      sql`select import_job_add(${kind}, ${fileName(name)}, ${format}, ${JSON.stringify(by)}::text::jsonb, ${MOST_JOBS})`,
  )
  return id ?? ''
}

/** File name for display: without folders and control characters, and without an e-mail address. */
export function fileName(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? ''
  const shown = base
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  if (shown === '' || holdsEmail(shown)) return 'file'
  return [...shown].slice(0, LONGEST_NAME).join('')
}

/**
 * Adds bytes to a job's file, in the order of the file.
 * @returns how many bytes the file has now
 * @throws JobRefused where it has too many, or the upload is no longer under way
 */
export async function appendChunk(
  database: Database,
  id: string,
  bytes: Uint8Array,
): Promise<number> {
  let total = 0
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const part = Buffer.from(bytes.subarray(from, from + CHUNK_BYTES))
    total =
      (await callImports<number>(
        database,
        (sql) =>
          sql`select import_job_append(${id}, ${part}, ${MOST_FILE_BYTES}, ${MOST_BYTES_TOGETHER})::float8`,
      )) ?? total
  }
  return total
}

/** SQL that ends an upload: `src/console/acts/imports.ts` runs it with its line of the audit log. */
export const uploadedCall = (sql: Sql, id: string): Fragment => sql`import_job_uploaded(${id})`

/** Row of a job. */
type JobRow = Omit<ImportJob, 'settings' | 'stopped' | 'state'> & {
  state: JobState
  settings: Partial<JobSettings>
  work: JobWork | null
  reason: string | null
}

export const listJobs = (database: Database): Promise<ImportJob[]> => readJobs(database, null)

/** Reads one job; undefined where it doesn't exist. */
export async function readJob(database: Database, id: string): Promise<ImportJob | undefined> {
  const [job] = await readJobs(database, id)
  return job
}

/** Id of the job whose imports are a change of the journal; undefined where no job made it. */
export async function jobOfChange(database: Database, change: number): Promise<string | undefined> {
  const [job] = await database.use(
    ({ sql }) => sql<{ id: string }[]>`select id from import_jobs where change = ${change}`,
    DEADLINE,
  )
  return job?.id
}

async function readJobs(database: Database, id: string | null): Promise<ImportJob[]> {
  const rows = await database.use(
    ({ sql }) => sql<JobRow[]>`
      select j.id, j.kind, j.file, j.bytes::float8 as bytes, import_job_state(j) as state, j.has_file as "hasFile", j.settings,
             (select count(*)::integer from import_job_corrections c where c.job_id = j.id) as corrections,
             coalesce(j.preview_version = j.version, false) as "isPreviewCurrent", j.preview, j.result, j.progress,
             j.work, j.reason, l.change::float8 as change,
             (select jsonb_build_object('change', u.change, 'who', u.who) from journal u where u.change = l.undone_by) as undone,
             j.added_by->>'who' as "addedBy", j.run_by->>'who' as "runBy",
             j.added_at as "addedAt", j.begun_at as "begunAt", j.ended_at as "endedAt"
        from import_jobs j left join journal l using (change)
       where ${id}::uuid is null or j.id = ${id}::uuid
       order by j.added_at desc, j.id`,
    DEADLINE,
  )
  return rows.map(({ work, reason, settings, ...job }) => ({
    ...job,
    settings: { map: {}, fill: {}, ...settings },
    stopped: job.state === 'stopped' && work ? { work, reason: reason ?? UNHEARD[work] } : null,
  }))
}

/** Reasons for a job whose process went silent. */
const UNHEARD: Readonly<Record<JobWork, string>> = {
  check: 'the process that did it ended, or never began: it can be checked again',
  import:
    'the process that did it ended, or never began; what it stored stays, and it can be run again',
  undo: 'the process that did it ended, or never began: nothing is taken back, and it can be undone again',
}

/** A job's file, read piece by piece. @throws where the file is gone, when it is read */
export function sourceOf(database: Database, { id, file }: Pick<ImportJob, 'id' | 'file'>): Source {
  async function* chunks() {
    for (let place = 0; ; place++) {
      const bytes = await callImports<Uint8Array>(
        database,
        (sql) =>
          sql`select bytes from import_job_chunks where job_id = ${id} and place = ${place}::integer`,
      )
      if (bytes === null) return
      yield Buffer.from(bytes)
    }
  }
  return { stream: Readable.from(chunks()), format: formatOf(file) }
}

/**
 * Deletes uploads that broke off, findings about erased people that a killed process left, and files after 7 days with
 * their findings.
 */
export async function cleanJobs(database: Database): Promise<void> {
  await callImports(database, (sql) => sql`select import_jobs_clean()`)
}

/**
 * Expects room on the disk for a file and its records: a full disk would stop the embedded database for everybody. Where
 * the system doesn't report free space, nothing is refused, because the operator could do nothing about it; `doctor`
 * reports that.
 * @param place undefined where the database is in memory
 * @param least bytes that stay free
 * @param read returns the free bytes
 * @throws JobRefused
 */
export async function expectRoom(
  place: DiskPlace | undefined,
  least = MIN_FREE_BYTES,
  read = freeBytes,
): Promise<void> {
  const free = place && (await read(place).catch(() => undefined))
  if (free === undefined || free >= least) return
  const [left, needed] = [free, least].map((bytes) => Math.floor(bytes / 1e6))
  throw new JobRefused(
    `the disk of DATA_DIR has ${left} MB left, and ${needed} MB stay free for the database: make room on it, and try again`,
  )
}
