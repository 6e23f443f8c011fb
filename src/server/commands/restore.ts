/** `restore`: a file becomes a database again. */
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { BackupError, formatOf, openBackup } from '../../database/backup/file.ts'
import { erasuresSince, type UnknownErasures } from '../../database/backup/kept.ts'
import {
  NOBODY,
  type Restored,
  restoreIntoDataDir,
  restoreIntoPostgres,
} from '../../database/backup/restore.ts'
import type { Database } from '../../database/client.ts'
import { isDatabaseIn } from '../../database/data-dir.ts'
import type { ErasureList } from '../../database/erasures.ts'
import { openDatabase } from '../../database/open.ts'
import { checkBooks } from '../../money/charge/books.ts'
import { wrongLedgerDays } from '../../money/charge/ledger-days.ts'
import { contentsOf, countsOf, interruptedResult, interruption } from './backup.ts'
import {
  COMMAND_DEADLINE_MS,
  namingFile,
  Refusal,
  type Result,
  reporting,
  subcommand,
} from './command.ts'
import { readErasureFile } from './erasures.ts'
import { who } from './performed.ts'

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
  const found: Examined = { accounts: 0, wrong: [], unknown }
  const examine = async (database: Database) => {
    Object.assign(found, await examineBooks(database))
  }
  const options = { who: who(undefined), signal, examine, ...(erasures && { erasures }) }
  try {
    if (!databaseUrl) {
      const restored = await restoreIntoDataDir(file, dataDir, { ...options, force: choices.force })
      return restoredResult(file, dataDir, { dataDir }, restored, found)
    }
    const { database, close } = await openDatabase(
      { databaseUrl, dataDir },
      { deadlineMs: COMMAND_DEADLINE_MS, skipMigrations: true },
    )
    try {
      const restored = await restoreIntoPostgres(file, database, options)
      return restoredResult(file, 'the database of DATABASE_URL', {}, restored, found)
    } finally {
      await close()
    }
  } catch (error) {
    if (!signal.aborted) return namingFile(file)(error)
    return interruptedResult(`${file}: not restored, interrupted: what was there is as it was`)
  }
}

/**
 * The list of whom the backup must not bring back; undefined: the one that the replaced database has.
 * @throws Refusal where nobody says whom, and no database is replaced that knows it
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
  /** Accounts whose balance, or whose daily sums, are not their ledger's. */
  wrong: string[]
  /** Given where nobody was to be erased again. */
  unknown?: UnknownErasures | undefined
}

/** The books as `doctor` looks at them. */
async function examineBooks(database: Database): Promise<Omit<Examined, 'unknown'>> {
  const { accounts, wrong } = await checkBooks(database)
  const wrongDays = await wrongLedgerDays(database)
  return { accounts, wrong: [...new Set([...wrong, ...wrongDays])] }
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
