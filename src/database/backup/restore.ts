/** Puts a backup into a data directory, or into an empty PostgreSQL. Nothing is replaced before the backup has proven to start. */

import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { type Connection, type Database, errorCode, isConnectionLost } from '../client.ts'
import {
  DataDirError,
  databaseFolders,
  hasDatabase,
  makeDataDir,
  putInPlace,
  reasonOf,
  takeLock,
  unpackImage,
} from '../data-dir.ts'
import { withDatabaseIn } from '../embedded.ts'
import { applyErasures, type Erased, type ErasureList, readErasures } from '../erasures.ts'
import { clearLinkedinPages, lockMigrations, migrate, migrateWithin } from '../migrate.ts'
import { currentNames, MIGRATIONS } from '../migrations.ts'
import { isTrue, scalar } from '../scalar.ts'
import { endLog, freeRows, rewriteTables } from '../scrub.ts'
import { unpackBaseBackup } from './base-backup.ts'
import {
  type Backup,
  BackupError,
  formatOf,
  type Manifest,
  openBackup,
  type SavedTable,
} from './file.ts'
import { identityOf } from './save.ts'
import { listOf, quoted, SETTINGS } from './tables.ts'

/** Bytes of text between two checkpoints of the embedded database, whose log grows without an end otherwise. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024

export interface Restored {
  /** People whom restoring erased again; null where it was nobody. */
  erased: Erased | null
  /** The file's manifest; undefined for the earlier format. */
  manifest?: Manifest | undefined
}

interface Options {
  /** People whom the backup must not bring back; default: those whom the replaced database has erased. */
  erasures?: ErasureList | undefined
  /** For the journal. */
  who?: string
  signal?: AbortSignal | undefined
  /** Looks at the restored database before anybody uses it. */
  examine?: ((database: Database) => Promise<void>) | undefined
}

/**
 * Puts the database of a backup in the data directory once it has started and migrated, and forgotten whom it must not
 * bring back.
 * @param options `force`: replaces a database that is there
 * @throws DataDirError where a process runs the database there, where there is one already and `force` is
 * not set, and where its erasures can't be read; BackupError where the file is no whole backup; SchemaTooNew; AbortError. The
 * database that was there stays then.
 */
export async function restoreIntoDataDir(
  file: string,
  dataDir: string,
  { force, erasures, who = 'a restore', signal, examine }: Options & { force: boolean },
): Promise<Restored> {
  const { current, coming } = databaseFolders(dataDir)
  await makeDataDir(dataDir)
  using lock = takeLock(dataDir)
  if (!lock) {
    throw new DataDirError(`a server or a command is running on ${dataDir}: stop it first`)
  }
  try {
    const isThere = await hasDatabase(dataDir)
    if (isThere && !force) {
      throw new DataDirError(`there is a database in ${dataDir} already: --force replaces it`)
    }
    await using source = await sourceOf(file, signal)
    const known =
      erasures ?? (isThere ? await erasuresIn(current, dataDir, source.manifest) : NOBODY)
    await source.unpack(coming)
    const restored = await withDatabaseIn(coming, dataDir, async (database) => {
      await source.fill(database, coming)
      const erased = await eraseAgain(database, known, who)
      if (erased) {
        await rewriteTables(database)
        await endLog(database, coming)
      }
      await examine?.(database)
      return { erased, manifest: source.manifest }
    })
    signal?.throwIfAborted()
    await putInPlace(dataDir)
    return restored
  } finally {
    await rm(coming, { recursive: true, force: true })
  }
}

/**
 * Fills an empty PostgreSQL, in one transaction that forgets whom it must not bring back as well.
 * @throws BackupError where the file is no whole backup, or of the embedded database's files, and where the database isn't
 * empty; SchemaTooNew; DatabaseUnavailable; AbortError. Nothing is changed then.
 */
export async function restoreIntoPostgres(
  file: string,
  database: Database,
  { erasures = NOBODY, who = 'a restore', signal, examine }: Options,
): Promise<Restored> {
  if ((await formatOf(file)) === 'files') {
    throw new BackupError(
      `${file} is of an earlier version, which copied the embedded database's files: restore it without DATABASE_URL into a data directory, make a backup of that, and restore the new one here`,
    )
  }
  await using backup = await openBackup(file)
  let erased: Erased | null = null
  const within = async (own: Database) => {
    erased = await eraseAgain(own, erasures, who)
  }
  await loadBackup(database, backup, { signal, within })
  await migrate(database)
  await clearLinkedinPages(database)
  if (erased) await freeRows(database)
  await database.use(({ sql }) => sql`analyze`, { deadlineMs: 600_000 })
  await examine?.(database)
  return { erased, manifest: backup.manifest }
}

/** For a restore that asks nobody whom to forget. */
export const NOBODY: ErasureList = { keys: [], erasures: [], marks: [] }

function eraseAgain(database: Database, known: ErasureList, who: string): Promise<Erased | null> {
  return known.erasures.length > 0 ? applyErasures(database, known, who) : Promise.resolve(null)
}

/** A file, and how it becomes a database. */
interface Source extends AsyncDisposable {
  manifest?: Manifest
  /** Makes the folder of a database that starts. */
  unpack(folder: string): Promise<void>
  /** Makes of it what the file holds, in this version's tables. @param folder that of `unpack` */
  fill(database: Database, folder: string): Promise<unknown>
}

/** Reads all of a file where it can be checked beforehand. @throws BackupError */
async function sourceOf(file: string, signal: AbortSignal | undefined): Promise<Source> {
  if ((await formatOf(file)) === 'files') {
    return {
      unpack: (folder) => unpackBaseBackup(file, folder),
      fill: (database) => migrate(database),
      async [Symbol.asyncDispose]() {},
    }
  }
  const backup = await openBackup(file)
  return {
    manifest: backup.manifest,
    unpack: unpackImage,
    async fill(database, folder) {
      // The image is of this version, and the backup's tables may be of an earlier one.
      const isPrepared = isOfThisVersion(backup.manifest)
      await (isPrepared ? migrate : emptySchema)(database)
      await loadBackup(database, backup, { isPrepared, signal, folder, onPart: checkpoints() })
      await migrate(database)
      await clearLinkedinPages(database)
      await database.use(({ sql }) => sql`analyze`, { deadlineMs: 600_000 })
    },
    [Symbol.asyncDispose]: () => backup[Symbol.asyncDispose](),
  }
}

function emptySchema(database: Database): Promise<unknown> {
  return database.use(
    ({ sql }) =>
      sql.unsafe(`drop schema public cascade;
        create schema public authorization pg_database_owner;
        grant usage on schema public to public`),
    { deadlineMs: 60_000 },
  )
}

/** Takes a checkpoint from time to time. */
function checkpoints() {
  let since = 0
  return async (sql: Connection['sql'], bytes: number) => {
    since += bytes
    if (since < CHECKPOINT_BYTES) return
    since = 0
    await sql`checkpoint`
  }
}

/**
 * Reads the people whom the replaced database has erased. One that began after the backup was made, and knows of nobody, is no witness: it may
 * have been made by a service that started on an empty disk.
 * @throws DataDirError
 */
async function erasuresIn(
  folder: string,
  dataDir: string,
  backup: Manifest | undefined,
): Promise<ErasureList> {
  const { list, began } = await withDatabaseIn(folder, dataDir, async (database) => {
    // It may be of a version that knew none.
    const hasAny = await database.use(({ sql }) =>
      isTrue(sql`select to_regclass('erasures') is not null`),
    )
    return {
      list: hasAny ? await readErasures(database) : NOBODY,
      began: Number(await database.use(({ sql }) => identityOf(sql))) * 1_000,
    }
  }).catch((error: unknown) => {
    throw new DataDirError(
      `whom the database in ${dataDir} has erased can't be read (${reasonOf(error)}): give --erasures FILE, a list that "erasures save" wrote, or --without-erasures to bring everybody back`,
    )
  })
  if (backup && list.erasures.length === 0 && began > Date.parse(backup.madeAt)) {
    throw new DataDirError(
      `the database in ${dataDir} began after the backup was made at ${backup.madeAt}, and has erased nobody, so it can't say whom the backup must not bring back: give --erasures FILE, a list that "erasures save" wrote, or --without-erasures`,
    )
  }
  return list
}

const DEADLINE_MS = 86_400_000
const WRITE_BYTES = 64 * 1024

const unpack = promisify(gunzip)

interface LoadOptions {
  /** The database has this version's tables and nobody's rows, as a new one of the image; otherwise it has nothing. */
  isPrepared?: boolean
  signal?: AbortSignal | undefined
  /** The embedded database's folder; undefined for a PostgreSQL. */
  folder?: string | undefined
  /** Called after so many bytes of text. */
  onPart?: ((sql: Connection['sql'], bytes: number) => Promise<void>) | undefined
  /** Further work of the same transaction, once the database is of this version. */
  within?: ((database: Database) => Promise<void>) | undefined
}

/**
 * Fills a database from a backup, in one transaction. The tables are made by the migrations that had made them there, filled
 * while no trigger watches, and brought to this version by the rest.
 * @param database one where this role may make tables
 * @throws BackupError where the database is not empty or does not take the rows, DatabaseUnavailable, AbortError.
 * Nothing is changed then, but where DatabaseUnavailable says that it is not known.
 */
export async function loadBackup(
  database: Database,
  backup: Backup,
  { isPrepared = false, signal, folder, onPart, within }: LoadOptions = {},
): Promise<void> {
  const { manifest } = backup
  const made = migrationsOf(manifest)
  const ended = await database.use(
    async (connection) => {
      const { sql } = connection
      await sql.unsafe(`begin; ${SETTINGS}`)
      try {
        const transaction = await scalar<string>(sql`select pg_current_xact_id()::text`)
        await lockMigrations(sql)
        if (!isPrepared) {
          await expectEmpty(sql)
          await migrateWithin(sql, made, false)
        }
        const tables = manifest.tables.map(({ name }) => name)
        await sql.unsafe(tables.map((name) => setTriggers(name, 'disable')).join(';'))
        for (const table of manifest.tables) await makePartitions(sql, table)
        // Migrations put rows of their own into new tables.
        await sql.unsafe(`truncate ${listOf(tables)} cascade`)
        for (const table of manifest.tables)
          await fill(sql, backup, table, { signal, folder, onPart })
        for (const [name, last] of Object.entries(manifest.sequences)) {
          if (last !== null)
            await sql`select setval(${quoted(name)}::text::regclass, ${last}::text::bigint)`
        }
        await sql.unsafe(tables.map((name) => setTriggers(name, 'enable')).join(';'))
        // Functions come with the triggers of partitions: those that were made here have none yet.
        await sql`delete from chainkin_functions`
        await migrateWithin(sql, MIGRATIONS.slice(made.length), true)
        const own: Database = { ...database, use: (work) => work(connection) }
        await within?.(own)
        signal?.throwIfAborted()
        await sql.unsafe('commit')
        return transaction
      } catch (error) {
        await sql.unsafe('rollback').catch(() => {})
        throw error
      }
    },
    { deadlineMs: DEADLINE_MS },
  )
  await expectCommitted(database, ended)
}

const setTriggers = (table: string, to: 'enable' | 'disable') =>
  `alter table ${quoted(table)} ${to} trigger user`

/** The driver connects again by itself: a COMMIT on another connection ends well, and nothing is there. */
async function expectCommitted(database: Database, transaction: string | null): Promise<void> {
  const status = await database.use(({ sql }) =>
    scalar<string>(sql`select pg_xact_status(${transaction}::text::xid8)`),
  )
  if (status !== 'committed') {
    throw new BackupError('the connection was lost: nothing was restored, repeat it')
  }
}

/** True if the tables of a backup are those of this build. */
function isOfThisVersion({ migrations }: Manifest): boolean {
  return currentNames(migrations).join() === MIGRATIONS.map(({ name }) => name).join()
}

/** @throws BackupError */
function migrationsOf({ migrations }: Manifest): typeof MIGRATIONS {
  const recorded = currentNames(migrations)
  const made = MIGRATIONS.slice(0, recorded.length)
  const gap = made.find(({ name }, place) => recorded[place] !== name)
  if (gap) throw new BackupError(`the backup is of a database that lacks the migration ${gap.name}`)
  return made
}

/** @throws BackupError */
async function expectEmpty(sql: Connection['sql']): Promise<void> {
  const there = await scalar<string[]>(sql`
    select coalesce(json_agg(name order by name), '[]')
      from (select c.relname::text as name from pg_class c
             where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
               and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
             order by 1 limit 5) found`)
  if (there && there.length > 0) {
    throw new BackupError(
      `the database is not empty, it has ${there.join(', ')}: name a new one (createdb), because nothing is replaced there`,
    )
  }
}

/** The words of a bound, as PostgreSQL writes them for a time, a date or a number. */
const BOUND =
  /^(DEFAULT|FOR VALUES FROM \((MINVALUE|'[\w :.+-]+')\) TO \((MAXVALUE|'[\w :.+-]+')\))$/

const KEY = /^PRIMARY KEY \(\w+(, \w+)*\)$/

/** Gives a table the partitions that it had, in place of those that migrations make for today. */
async function makePartitions(sql: Connection['sql'], { name, partitions }: SavedTable) {
  if (!partitions) return
  const others = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${quoted(name)}::text::regclass`
  for (const other of others) await sql.unsafe(`drop table ${quoted(other.name)}`)
  for (const partition of partitions) {
    const { bound, key } = partition
    if (!BOUND.test(bound) || (key !== null && !KEY.test(key))) {
      throw new BackupError(`the backup names a partition of ${name} that can't be made`)
    }
    await sql.unsafe(
      `create table ${quoted(partition.name)} partition of ${quoted(name)} ${key ? `(${key})` : ''} ${bound}`,
    )
  }
}

/** Copies a table's rows in, and looks whether all are there. @throws BackupError */
async function fill(
  sql: Connection['sql'],
  backup: Backup,
  { name, columns, rows, sha256, parts }: SavedTable,
  { signal, folder, onPart }: LoadOptions,
): Promise<void> {
  const hash = createHash('sha256')
  for (const place of parts) {
    signal?.throwIfAborted()
    const text = await unpack(await backup.part(place))
    hash.update(text)
    await copyIn(sql, name, columns, text, folder)
    await onPart?.(sql, text.length)
  }
  const count = await scalar<string>(sql.unsafe(`select count(*)::text from ${quoted(name)}`))
  if (hash.digest('hex') !== sha256 || Number(count) !== rows) {
    throw new BackupError(`the rows of ${name} are not those that were saved`)
  }
}

/** @throws BackupError without any value of a row, which the server's own error may repeat */
async function copyIn(
  sql: Connection['sql'],
  table: string,
  columns: readonly string[],
  text: Buffer,
  folder: string | undefined,
): Promise<void> {
  const copy = `copy ${quoted(table)} (${listOf(columns)}) from`
  try {
    await (folder === undefined ? copyStream(sql, copy, text) : copyFile(sql, copy, text, folder))
  } catch (error) {
    if (isConnectionLost(error)) throw error
    const code = errorCode(error) ?? 'no code'
    const isFull = code === '53100' || code === 'ENOSPC'
    const reason = isFull ? 'the disk is full' : `error ${code}`
    throw new BackupError(`the database does not take the rows of ${table}: ${reason}`)
  }
}

const PART_NAME = 'restored-part'

/** Copies from a file in the database's folder, because PGlite takes a COPY's rows only together with its statement. */
async function copyFile(sql: Connection['sql'], copy: string, text: Buffer, folder: string) {
  const file = join(folder, PART_NAME)
  try {
    await writeFile(file, text, { mode: 0o600 })
    await sql.unsafe(`${copy} '${PGlite.paths.PGDATA}/${PART_NAME}'`)
  } finally {
    // It may hold private channels.
    await rm(file, { force: true })
  }
}

async function copyStream(sql: Connection['sql'], copy: string, text: Buffer) {
  const query = sql.unsafe(`${copy} stdin`)
  const failed = failureOf(query)
  const stream = await query.writable()
  await Promise.race([pipeline(Readable.from(slices(text)), stream), failed])
}

/** An error after the last byte was sent is told to the query alone, which has answered with its stream by then. */
function failureOf(query: object): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const told = query as { reject(error: unknown): void }
  const tell = told.reject
  told.reject = (error) => {
    reject(error)
    tell(error)
  }
  return promise
}

function* slices(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; at += WRITE_BYTES) yield text.subarray(at, at + WRITE_BYTES)
}
