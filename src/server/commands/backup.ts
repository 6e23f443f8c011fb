/** `backup`: either database as one file, or as the newest of those in a directory. */
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { makeBackup } from '../../console/acts/backups.ts'
import { backUp } from '../../database/backup/backup.ts'
import type { Manifest } from '../../database/backup/file.ts'
import {
  isDue,
  isNameOfBackup,
  keepNewest,
  keptBackups,
  nameOfBackup,
  removePartialsOf,
} from '../../database/backup/kept.ts'
import { identityOf } from '../../database/backup/save.ts'
import { watchCalls } from '../../database/calls.ts'
import type { Database } from '../../database/client.ts'
import { migrationState } from '../../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { durationOf } from '../../duration.ts'
import {
  COMMAND_DEADLINE_MS,
  EXIT_INTERRUPTED,
  namingFile,
  Refusal,
  type Result,
  reporting,
  subcommand,
} from './command.ts'
import { parseDuration, parseKept } from './parsers.ts'
import { performed } from './performed.ts'

interface Options {
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
      parseKept,
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
    .action(reporting(run))
}

async function run(file: string, { keep, every, asked }: Options): Promise<Result> {
  const config = readConfig(process.env)
  if (every !== undefined && keep === undefined) throw new Refusal('--every expects --keep')
  const signal = interruption()
  // It changes nothing: an earlier version's tables are saved as they are.
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
  // First, because they take the room that this one needs.
  await removePartialsOf(file)
  const { bytes, manifest } = await backUp(database, config, file, { signal, isAlone })
  const text = `${file}: ${bytes} bytes, ${contentsOf(manifest)}`
  return noted(database, file, { json: { file, bytes, ...countsOf(manifest) }, text })
}

/**
 * Adds the line of the audit log. A backup is good without it: of an earlier version's tables, of a standby, or by a role that may only
 * read there is none, and the result says so.
 */
async function noted(database: Database, file: string, result: Result): Promise<Result> {
  const isNoted = await isNotedIn(database, file).catch(() => false)
  if (isNoted) return result
  const text = `${result.text}; the audit log could not take a line of it`
  return { ...result, json: { ...result.json, isAudited: false }, text }
}

async function isNotedIn(database: Database, file: string): Promise<boolean> {
  if ((await migrationState(database)).missing.length > 0) return false
  return (await performed(database, makeBackup(file))) === true
}

/** Several processes may do so at once: one of them writes, and of a schedule's others none fails. */
async function writeNext(
  dir: string,
  config: Config,
  { database, isOwned: isAlone, takeLongLock }: OpenDatabase,
  { keep, every, asked, signal }: Options & { keep: number; signal: AbortSignal },
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
    // Nobody waits for what a schedule or a page asks for.
    const isGentle = asked !== undefined || every !== undefined ? watchCalls(database) : undefined
    const options = { signal, isAlone, isScheduled: true, isGentle }
    const { bytes, manifest } = await backUp(database, config, path, options)
    const deleted = (await keepNewest(dir, identity, keep)).length
    const { madeAt } = manifest
    const text = `${path}: ${bytes} bytes, ${contentsOf(manifest)}; ${deleted} older ones deleted`
    const made = { json: { isNew: true, path, madeAt, bytes, deleted }, text }
    // What a timer asks for, as the schedule's, is no act of anybody's.
    return asked !== undefined || every !== undefined ? made : await noted(database, path, made)
  } finally {
    await lock.release()
  }
}

function parseName(name: string): string {
  if (isNameOfBackup(name)) return name
  throw new InvalidArgumentError(`Expected a name like ${nameOfBackup(new Date(0))}.`)
}

/** How many rows there are, and the place in the schema's history. */
export function countsOf({ tables, migrations }: Manifest) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return { tables: tables.length, rows, schema: migrations.at(-1) ?? 'none' }
}

export function contentsOf(manifest: Manifest): string {
  const { tables, rows, schema } = countsOf(manifest)
  return `${rows} rows of ${tables} tables, at ${schema}`
}

/** Aborted by Ctrl-C, and by what stops a service and all that it started. */
export function interruption(): AbortSignal {
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort())
  return interrupted.signal
}

export function interruptedResult(text: string): Result {
  return { json: { error: text }, text, exitCode: EXIT_INTERRUPTED }
}
