/** Puts a backup into a data directory, or into an empty PostgreSQL. Nothing is replaced before the backup has proven to start. */
import { rm } from 'node:fs/promises'
import type { Connection, Database } from '../client.ts'
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
import { clearLinkedinPages, migrate } from '../migrate.ts'
import { isTrue } from '../scalar.ts'
import { endLog, freeRows, rewriteTables } from '../scrub.ts'
import { unpackBaseBackup } from './base-backup.ts'
import { BackupError, formatOf, type Manifest, openBackup } from './file.ts'
import { isOfThisVersion, loadBackup } from './load.ts'
import { identityOf } from './save.ts'

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
      await source.fill(database)
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
  /** Makes of it what the file holds, in this version's tables. */
  fill(database: Database): Promise<unknown>
}

/** Reads all of a file where it can be checked beforehand. @throws BackupError */
async function sourceOf(file: string, signal: AbortSignal | undefined): Promise<Source> {
  if ((await formatOf(file)) === 'files') {
    return {
      unpack: (folder) => unpackBaseBackup(file, folder),
      fill: migrate,
      async [Symbol.asyncDispose]() {},
    }
  }
  const backup = await openBackup(file)
  return {
    manifest: backup.manifest,
    unpack: unpackImage,
    async fill(database) {
      // The image is of this version, and the backup's tables may be of an earlier one.
      const isPrepared = isOfThisVersion(backup.manifest)
      await (isPrepared ? migrate : emptySchema)(database)
      await loadBackup(database, backup, { isPrepared, signal, onPart: checkpoints() })
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
