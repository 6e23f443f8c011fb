/** Reads all tables as they stand at one moment, part by part, while others go on writing. */
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { API_VERSION } from '../../contract/version.ts'
import type { Connection, Database } from '../client.ts'
import { migrationsOf, SchemaTooNew } from '../migrate.ts'
import { isTrue, scalar } from '../scalar.ts'
import {
  type AddPart,
  BackupError,
  FORMAT,
  type Head,
  type Manifest,
  type SavedTable,
  writeBackupFile,
} from './file.ts'
import {
  type FoundTable,
  findSequences,
  findTables,
  type Heap,
  listOf,
  quoted,
  SETTINGS,
  TABLE_NAMES,
} from './tables.ts'

/** Least text of a part before it is packed; memory holds a few times as much, and the largest row. */
const PART_BYTES = 1024 * 1024
/** Bytes of a table's pages that one statement reads. */
const PIECE_BYTES = 2 * 1024 * 1024
/** The same while a service answers calls: PostgreSQL copies so much in two milliseconds, and then a call that needs its core gets it. */
const GENTLE_PIECE_BYTES = 128 * 1024

/** A day. A PostgreSQL keeps rows that were deleted meanwhile until it is over. */
const DEADLINE_MS = 86_400_000

const LINE_END = 0x0a

const pack = promisify(gzip)

/** How the tables are read. */
interface Reading {
  signal?: AbortSignal | undefined
  /** Where it is given, pieces are small, and while it says so a rest after each is as long as it took, for those who are served meanwhile. */
  isGentle?: (() => Promise<boolean>) | undefined
}

export interface SaveOptions extends Reading {
  isScheduled?: boolean
}

/**
 * Writes a backup of a database that others use meanwhile. On the embedded database nobody else is served until it is written, so
 * where somebody is, it is given a copy.
 * @throws BackupError, SchemaTooNew, the system's errors, AbortError, DatabaseUnavailable. The file that was there stays then
 */
export function saveDatabase(
  database: Database,
  file: string,
  { isScheduled = false, ...options }: SaveOptions = {},
): Promise<{ bytes: number; manifest: Manifest }> {
  return database.use(
    async ({ sql }) => {
      const head = await headOf(sql, isScheduled)
      const tables = await tablesIn(sql)
      await sql.unsafe(`begin isolation level repeatable read read only; ${SETTINGS}`)
      try {
        // Before anything is read: that chooses the moment, and of it nobody sees the rows of a table that is truncated,
        // rewritten or dropped later.
        await sql.unsafe(`lock table ${listOf(tables)} in access share mode`)
        // A right that is missing is said before anything long.
        await findSequences(sql)
        const began = await transactionOf(sql)
        const saved = await writeBackupFile(file, head, async (add) => {
          const found = await savedOf(sql, add, options)
          // The driver connects again by itself, and what it then reads is of another moment.
          if ((await transactionOf(sql)) !== began) throw new Error('the connection was lost')
          return found
        })
        return saved
      } finally {
        await sql.unsafe('rollback').catch(() => {})
      }
    },
    { deadlineMs: DEADLINE_MS },
  )
}

/** Our tables that are there: an earlier version has fewer. @throws SchemaTooNew where there may be more than this one knows */
async function tablesIn(sql: Connection['sql']): Promise<string[]> {
  const { unknown } = await migrationsOf(sql)
  if (unknown.length > 0) throw new SchemaTooNew(unknown)
  const there = await sql<{ name: string }[]>`
    select tablename as name from pg_tables
     where schemaname = 'public' and tablename = any (${`{${TABLE_NAMES.join()}}`}::text::text[])`
  return there.map(({ name }) => name)
}

const transactionOf = (sql: Connection['sql']) =>
  scalar<string>(sql`select concat(pg_backend_pid(), ' ', extract(epoch from now()))`)

async function headOf(sql: Connection['sql'], isScheduled: boolean): Promise<Head> {
  const madeAt = new Date().toISOString()
  const database = await identityOf(sql)
  return { format: FORMAT, program: API_VERSION, madeAt, database, isScheduled }
}

/** Identity of a database: the microsecond in which its first migration ran. @throws BackupError where none ran */
export async function identityOf(sql: Connection['sql']): Promise<string> {
  if (!(await isTrue(sql`select to_regclass('chainkin_migrations') is not null`))) {
    throw new BackupError('there is nothing to back up: the database has no tables of this program')
  }
  const since = await scalar<string>(
    sql`select extract(epoch from min(applied_at))::text from chainkin_migrations`,
  )
  return since ?? ''
}

async function savedOf(
  sql: Connection['sql'],
  add: AddPart,
  options: Reading,
): Promise<Omit<Manifest, keyof Head>> {
  const tables: SavedTable[] = []
  for (const table of await findTables(sql)) {
    tables.push(await saveTable(sql, table, add, options))
  }
  const migrations = await sql<
    { name: string }[]
  >`select name from chainkin_migrations order by name`
  return {
    postgres: (await scalar<string>(sql`select current_setting('server_version')`)) ?? '',
    migrations: migrations.map(({ name }) => name),
    tables,
    // Read last: numbers that were given meanwhile are of rows that the backup lacks, and do no harm.
    sequences: await findSequences(sql),
  }
}

async function saveTable(
  sql: Connection['sql'],
  { name, columns, heaps, isPartitioned }: FoundTable,
  add: AddPart,
  { signal, isGentle }: Reading,
): Promise<SavedTable> {
  const hash = createHash('sha256')
  const parts: SavedTable['parts'] = []
  let rows = 0
  let pieces: Buffer[] = []
  let bytes = 0
  /** The part before is packed and written while the next one is read. */
  let written: Promise<void> = Promise.resolve()
  async function endPart() {
    const text = Buffer.concat(pieces)
    pieces = []
    bytes = 0
    if (text.length === 0) return
    hash.update(text)
    rows += linesIn(text)
    await written
    written = pack(text, { level: constants.Z_BEST_SPEED }).then(async (packed) => {
      parts.push(await add(name, packed))
    })
    // It is waited for where its error counts.
    written.catch(() => {})
  }
  for (const heap of heaps) {
    for (const [from, to] of pageRanges(heap, isGentle ? GENTLE_PIECE_BYTES : PIECE_BYTES)) {
      signal?.throwIfAborted()
      const startedAt = performance.now()
      await readRows(sql, heap.name, columns, from, to, async (text) => {
        pieces.push(text)
        bytes += text.length
        // Amid a page as well: a hundred pieces of files may be on it.
        if (bytes >= PART_BYTES && text.at(-1) === LINE_END) await endPart()
      })
      const tookMs = performance.now() - startedAt
      if (await isGentle?.()) await setTimeout(tookMs)
    }
    await endPart()
  }
  await written
  const partitions = heaps.map(({ name: of, bound, key }) => ({
    name: of,
    bound: bound ?? '',
    key,
  }))
  const sha256 = hash.digest('hex')
  return { name, columns, rows, sha256, parts, ...(isPartitioned && { partitions }) }
}

/** Line breaks inside of values are written otherwise. */
function linesIn(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(LINE_END); at >= 0; at = text.indexOf(LINE_END, at + 1)) lines++
  return lines
}

/** Pages from and to, without the latter; null: up to the end. */
function* pageRanges(
  { bytes, pages }: Heap,
  stepBytes: number,
): Generator<[from: number, to: number | null]> {
  const step = Math.max(1, Math.floor(stepBytes / (bytes / Math.max(1, pages))))
  for (let from = 0; from < pages; from += step) {
    yield [from, from + step < pages ? from + step : null]
  }
}

/**
 * Reads the rows on these pages as COPY writes them: tab-separated columns, a line each. PostgreSQL waits while much of it waits here.
 * @param take gets the text piece by piece; where it fails the rest is read and dropped, because the session goes on behind it
 * @throws what `take` throws
 */
async function readRows(
  sql: Connection['sql'],
  heap: string,
  columns: readonly string[],
  from: number,
  to: number | null,
  take: (text: Buffer) => Promise<void>,
): Promise<void> {
  const until = to === null ? '' : ` and ctid < '(${to},0)'`
  const rows = `select ${listOf(columns)} from only ${quoted(heap)} where ctid >= '(${from},0)'${until}`
  const stream = await sql.unsafe(`copy (${rows}) to stdout`).readable()
  let taken = Promise.resolve()
  for await (const text of stream) {
    taken = taken.then(() => take(text))
    await taken.catch(() => {})
  }
  // The driver pauses its socket while much waits to be read, and forgets to resume it where nothing comes after that.
  stream._read(0)
  await taken
}
