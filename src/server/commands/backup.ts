/** `backup` and `restore`: either database as one file, and a database of a file. */
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { makeBackup } from '../../console/acts/backups.ts'
import { perform } from '../../console/acts/perform.ts'
import { backUp } from '../../database/backup/backup.ts'
import { BackupError, formatOf, type Manifest, openBackup } from '../../database/backup/file.ts'
import {
  erasuresSince,
  isDue,
  isNameOfBackup,
  keepNewest,
  keptBackups,
  nameOfBackup,
  removePartialsOf,
  type UnknownErasures,
} from '../../database/backup/kept.ts'
import {
  NOBODY,
  type Restored,
  restoreIntoDataDir,
  restoreIntoPostgres,
} from '../../database/backup/restore.ts'
import { identityOf } from '../../database/backup/save.ts'
import { watchCalls } from '../../database/calls.ts'
import type { Database } from '../../database/client.ts'
import { isDatabaseIn } from '../../database/data-dir.ts'
import type { ErasureList } from '../../database/erasures.ts'
import { migrationState } from '../../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { durationOf } from '../../duration.ts'
import { checkBooks } from '../../money/charge/books.ts'
import {
  COMMAND_DEADLINE_MS,
  EXIT_INTERRUPTED,
  interruption,
  namingFile,
  Refusal,
  type Result,
  reporting,
  subcommand,
  typist,
  who,
} from './command.ts'
import { readErasureFile } from './erasures.ts'
import { parseCount, parseDuration } from './parsers.ts'

interface BackupOptions {
  keep?: number | undefined
  every?: number | undefined
  asked?: string | undefined
}

export function registerBackup(program: Command) {
  subcommand(
    program,
    'backup <file>',
    'write the database to a file (.tar), also while servers run: the embedded one and PostgreSQL alike',
  )
    .option(
      '--keep <n>',
      'the file is a directory: write a new one in it, and delete all but the newest of those that were made so',
      parseCount,
    )
    .option(
      '--every <duration>',
      'with --keep: only where the newest is older than this',
      parseDuration,
    )
    .option(
      '--asked <name>',
      'with --keep: a page asked for it, and the audit log has a file of this name already',
      parseName,
    )
    .action(reporting(backup))
}

async function backup(file: string, { keep, every, asked }: BackupOptions): Promise<Result> {
  const config = readConfig(process.env)
  if (every !== undefined && keep === undefined) throw new Refusal('--every expects --keep')
  const signal = interruption()
  // A backup changes nothing: an earlier version's tables are saved as they are.
  const open = await openDatabase(config, {
    deadlineMs: COMMAND_DEADLINE_MS,
    mustExist: true,
    skipMigrations: true,
  })
  try {
    return keep === undefined
      ? await writeOne(file, config, open, signal)
      : await writeNext(file, config, open, { keep, every, asked, signal })
  } catch (error) {
    if (!signal.aborted) return namingFile(file)(error)
    return interruptedResult(`${file}: not written, interrupted`)
  } finally {
    await open.close()
  }
}

async function writeOne(
  file: string,
  config: Config,
  { database, isOwned: isAlone }: OpenDatabase,
  signal: AbortSignal,
): Promise<Result> {
  if ((await stat(file).catch(() => undefined))?.isDirectory()) {
    throw new Refusal(`${file} is a directory: --keep N makes a new file in it`)
  }
  // Partial files go first, because they take the room that this one needs.
  await removePartialsOf(file)
  const { bytes, manifest } = await backUp(database, config, file, { signal, isAlone })
  const text = `${file}: ${bytes} bytes, ${contentsOf(manifest)}`
  return noted(database, file, { json: { file, bytes, ...countsOf(manifest) }, text })
}

/**
 * Adds the line of the audit log. There is none for an earlier version's tables, on a standby or for a role that may only read:
 * the result says so, and the backup is good without it.
 */
async function noted(database: Database, file: string, result: Result): Promise<Result> {
  const isNoted = await isNotedIn(database, file).catch(() => false)
  if (isNoted) return result
  const text = `${result.text}; the audit log could not take a line of it`
  return { ...result, json: { ...result.json, isAudited: false }, text }
}

async function isNotedIn(database: Database, file: string): Promise<boolean> {
  if ((await migrationState(database)).missing.length > 0) return false
  return (await perform(database, typist(), makeBackup, file)) === true
}

/** Writes the next backup of a directory. Of several processes at once one writes; a scheduled one that comes second doesn't fail. */
async function writeNext(
  dir: string,
  config: Config,
  { database, isOwned: isAlone, takeLongLock }: OpenDatabase,
  { keep, every, asked, signal }: BackupOptions & { keep: number; signal: AbortSignal },
): Promise<Result> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const identity = await database.use(({ sql }) => identityOf(sql))
  const lock = await takeLongLock(`backups in ${resolve(dir)}`)
  if (!lock) {
    const text = `another process is making a backup in ${dir}`
    if (every === undefined) throw new Refusal(text)
    const [newest] = await keptBackups(dir, identity)
    return { json: { isNew: false, isBusy: true, ...newest, deleted: 0 }, text }
  }
  try {
    const [newest] = await keptBackups(dir, identity)
    if (newest && every !== undefined && !isDue(newest, every)) {
      const text = `${newest.path} is not ${durationOf(every)} old: nothing was written`
      return { json: { isNew: false, ...newest, deleted: 0 }, text }
    }
    const path = join(dir, asked ?? nameOfBackup(new Date()))
    // A scheduled backup, or one begun on a page, may take its time.
    const isGentle = asked !== undefined || every !== undefined ? watchCalls(database) : undefined
    const options = { signal, isAlone, isScheduled: true, isGentle }
    const { bytes, manifest } = await backUp(database, config, path, options)
    const deleted = (await keepNewest(dir, identity, keep)).length
    const { madeAt } = manifest
    const text = `${path}: ${bytes} bytes, ${contentsOf(manifest)}; ${deleted} older ones deleted`
    const made = { json: { isNew: true, path, madeAt, bytes, deleted }, text }
    // A scheduled backup is no operator's act.
    return asked !== undefined || every !== undefined ? made : await noted(database, path, made)
  } finally {
    await lock.release()
  }
}

function parseName(name: string): string {
  if (isNameOfBackup(name)) return name
  throw new InvalidArgumentError(`Expected a name like ${nameOfBackup(new Date(0))}.`)
}

/** Numbers of tables and rows, and the newest migration. */
export function countsOf({ tables, migrations }: Manifest) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return { tables: tables.length, rows, schema: migrations.at(-1) ?? 'none' }
}

export function contentsOf(manifest: Manifest): string {
  const { tables, rows, schema } = countsOf(manifest)
  return `${rows} rows of ${tables} tables, at ${schema}`
}

export function interruptedResult(text: string): Result {
  return { json: { error: text }, text, exitCode: EXIT_INTERRUPTED }
}

export function registerRestore(program: Command) {
  subcommand(
    program,
    'restore <file>',
    'put a backup in DATA_DIR, where no server may run, or into the empty database of DATABASE_URL',
  )
    .option('--force', 'replace the database that is in DATA_DIR', false)
    .option(
      '--check',
      'look whether the file is whole, say what it holds, and change nothing',
      false,
    )
    .option(
      '--erasures <file>',
      'whom it must not bring back, as "erasures save" wrote it (default: whom the database that is replaced has erased)',
    )
    .option(
      '--without-erasures',
      'bring back whoever was erased since the backup was made, and say how many are known',
      false,
    )
    .action(reporting(restore))
}

interface RestoreChoices {
  force: boolean
  check: boolean
  erasures?: string
  withoutErasures: boolean
}

async function restore(file: string, choices: RestoreChoices): Promise<Result> {
  if (choices.check) return check(file).catch(namingFile(file))
  const { databaseUrl, dataDir } = readConfig(process.env)
  if (databaseUrl && choices.force) {
    throw new Refusal('--force is for DATA_DIR: a restore into PostgreSQL takes an empty database')
  }
  const erasures = await erasuresFor(file, choices, !databaseUrl && isDatabaseIn(dataDir))
  const signal = interruption()
  const unknown =
    erasures === NOBODY ? await erasuresSince(file).catch(namingFile(file)) : undefined
  const examined: Examined = { accounts: 0, wrong: [], unknown }
  const examine = async (database: Database) => {
    Object.assign(examined, await checkBooks(database))
  }
  const options = { who: who(undefined), signal, examine, ...(erasures && { erasures }) }
  try {
    if (!databaseUrl) {
      const restored = await restoreIntoDataDir(file, dataDir, { ...options, force: choices.force })
      return restoredResult(file, dataDir, { dataDir }, restored, examined)
    }
    const { database, close } = await openDatabase(
      { databaseUrl, dataDir },
      { deadlineMs: COMMAND_DEADLINE_MS, skipMigrations: true },
    )
    try {
      const restored = await restoreIntoPostgres(file, database, options)
      return restoredResult(file, 'the database of DATABASE_URL', {}, restored, examined)
    } finally {
      await close()
    }
  } catch (error) {
    if (!signal.aborted) return namingFile(file)(error)
    return interruptedResult(`${file}: not restored, interrupted: what was there is as it was`)
  }
}

/**
 * Erasures to apply after the restore; undefined means those of the replaced database.
 * @throws Refusal where neither an option nor a replaced database has them
 */
async function erasuresFor(
  file: string,
  { erasures: list, withoutErasures }: RestoreChoices,
  isThere: boolean,
): Promise<ErasureList | undefined> {
  if (withoutErasures || list === 'none') {
    if (list === undefined || list === 'none') return NOBODY
    throw new Refusal('give --erasures or --without-erasures, not both')
  }
  if (list !== undefined) return readErasureFile(list)
  if (isThere) return undefined
  const unknown = await erasuresSince(file).catch(namingFile(file))
  throw new Refusal(
    `${unknownText(unknown)} after this restore. Give --erasures LIST, which "erasures save" wrote, or --without-erasures`,
  )
}

function unknownText({ since, atLeast }: UnknownErasures): string {
  const time = since === undefined ? '' : ` at ${since}`
  const known = atLeast > 0 ? ` (${atLeast} at least, as a newer backup beside it knows)` : ''
  return `whoever was erased since the backup was made${time} is back${known}`
}

async function check(file: string): Promise<Result> {
  if ((await formatOf(file)) === 'files') {
    throw new BackupError(
      `${file} is of an earlier version, and can't be checked but by restoring it`,
    )
  }
  await using backup = await openBackup(file)
  const { manifest, bytes } = backup
  const text = `${file}: whole, made at ${manifest.madeAt}, ${contentsOf(manifest)}`
  return { json: { file, bytes, madeAt: manifest.madeAt, ...countsOf(manifest) }, text }
}

interface Examined {
  accounts: number
  /** Accounts whose balance is not the sum of their ledger. */
  wrong: string[]
  /** Erasures since the backup, where none was applied again. */
  unknown?: UnknownErasures | undefined
}

function restoredResult(
  file: string,
  place: string,
  json: Record<string, unknown>,
  { erased, manifest }: Restored,
  { accounts, wrong, unknown }: Examined,
): Result {
  const isWell = wrong.length === 0
  const books = isWell
    ? `${accounts} accounts, each balance is its ledger's sum`
    : `the books are wrong for ${wrong.slice(0, 5).join(', ')}, ${wrong.length} in all: they were so when the backup was made, look at doctor`
  const text = [
    `${place} holds what ${file} held${manifest ? `: ${contentsOf(manifest)}` : ''}`,
    books,
    ...(erased
      ? [`but for ${erased.records} people, erased again: they had asked to be forgotten`]
      : []),
    ...(unknown ? [`${unknownText(unknown)}: "erasures apply LIST" erases them again`] : []),
  ].join('\n')
  return {
    json: {
      file,
      ...json,
      ...(manifest && countsOf(manifest)),
      accounts,
      wrong,
      ...(erased && { erased: erased.records }),
      ...(unknown && { unknownErasures: unknown }),
    },
    text,
    exitCode: isWell ? 0 : 1,
  }
}
