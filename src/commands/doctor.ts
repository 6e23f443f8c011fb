/** `doctor`: what an operator would look at first, a line each. Without `--repair` it changes nothing, and never the schema. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import { addressOf, type Config, readConfig } from '../config.ts'
import { keptBackups } from '../database/backup/kept.ts'
import { identityOf } from '../database/backup/save.ts'
import { type Database, describeError } from '../database/client.ts'
import { expectDatabase } from '../database/data-dir.ts'
import { migrationState } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { scalar } from '../database/scalar.ts'
import { logBounds } from '../directory/changes.ts'
import { checkSnapshot } from '../directory/snapshot/snapshot.ts'
import { durationOf } from '../duration.ts'
import { checkBooks } from '../metering/books.ts'
import { ledgerState } from '../metering/ledger-archive.ts'
import { refoldLedger, wrongLedgerDays } from '../metering/ledger-days.ts'
import { isForeseen, type Result, reporting, subcommand } from './command.ts'

interface Finding {
  /** `skipped`: nothing to find out from here, and the text says why. */
  state: 'ok' | 'failed' | 'skipped'
  text: string
}

const ok = (text: string): Finding => ({ state: 'ok', text })
const failed = (text: string): Finding => ({ state: 'failed', text })
const skipped = (text: string): Finding => ({ state: 'skipped', text })

const MIN_FREE_BYTES = 256 * 1024 * 1024
const MAX_CLOCK_MS = 2_000
/** A change shows in a running server within two seconds (D38); a busy one gets some more. */
const FOLLOW_MS = 4_000
const ASK_MS = 2_000

export function registerDoctor(program: Command) {
  subcommand(program, 'doctor', 'check configuration, database, disk, clock, books and index')
    .option('--repair', 'make daily sums that are wrong anew, from the ledger')
    .action(reporting(examine))
}

async function examine({ repair }: { repair?: boolean }): Promise<Result> {
  const findings: Record<string, Finding> = {}
  const config = await look(findings, 'configuration', async () => {
    const read = readConfig(process.env)
    return [ok(read.databaseUrl ? 'DATABASE_URL' : `DATA_DIR=${read.dataDir}`), read] as const
  })
  if (config) {
    await look(findings, 'disk', async () => [await checkDisk(config)])
    const open = await look(findings, 'database', () => reach(config))
    if (open) {
      const { database, close } = open
      const isCurrent = await look(findings, 'migrations', () => checkMigrations(database))
      await look(findings, 'clock', async () => [await checkClock(database)])
      if (isCurrent) {
        await look(findings, 'books', async () => [await compareBooks(database)])
        await look(findings, 'ledger', async () => [await checkLedger(database, config)])
        await look(findings, 'sums', async () => [await compareDays(database, repair)])
        await look(findings, 'index', async () => [await checkIndex(database, config)])
        await look(findings, 'backups', async () => [await checkBackups(database, config)])
        await look(findings, 'snapshot', async () => [await checkFile(database, config)])
      }
      await close()
    }
  }
  const isWell = Object.values(findings).every(({ state }) => state !== 'failed')
  const lines = Object.entries(findings).map(
    ([name, { state, text }]) => `${state.padEnd(7)} ${name}: ${text}`,
  )
  return { json: { ok: isWell, ...findings }, text: lines.join('\n'), exitCode: isWell ? 0 : 1 }
}

/** Notes what a check finds; one that throws has failed. @returns what the check hands on. */
async function look<T>(
  findings: Record<string, Finding>,
  name: string,
  check: () => Promise<readonly [Finding, T?]>,
): Promise<T | undefined> {
  try {
    const [finding, result] = await check()
    findings[name] = finding
    return result
  } catch (error) {
    const [firstLine = ''] = describeError(error).split('\n')
    findings[name] = failed(isForeseen(error) ? error.message.replaceAll('\n', '; ') : firstLine)
    return undefined
  }
}

async function reach(config: Config) {
  if (!config.databaseUrl) expectDatabase(config.dataDir)
  const open = await openDatabase(config, { connections: 1, skipMigrations: true })
  try {
    const version = await open.database.use(({ sql }) =>
      scalar<string>(sql`select split_part(version(), ' on ', 1)`),
    )
    return [ok(version ?? 'unknown'), open] as const
  } catch (error) {
    await open.close()
    throw error
  }
}

async function checkDisk({ databaseUrl, dataDir }: Config): Promise<Finding> {
  if (databaseUrl) return skipped('that of DATABASE_URL is not seen from here')
  const { bavail, bsize } = await statfs(existsSync(dataDir) ? dataDir : '.')
  const free = bavail * bsize
  const text = `${Math.floor(free / 1e6)} MB free for ${dataDir}`
  return free < MIN_FREE_BYTES ? failed(`${text}, fewer than ${MIN_FREE_BYTES / 1e6}`) : ok(text)
}

async function checkMigrations(database: Database): Promise<readonly [Finding, true?]> {
  const { missing, unknown } = await migrationState(database)
  if (unknown.length > 0) {
    return [failed(`made by a newer version (${unknown.join(', ')}): start that one`)]
  }
  if (missing.length > 0) {
    return [failed(`not applied: ${missing.join(', ')}; any command but this one applies them`)]
  }
  return [ok('all applied'), true]
}

/** The meter's only clock is the database's; this one dates the logs. */
async function checkClock(database: Database): Promise<Finding> {
  const before = Date.now()
  const answer = await database.use(({ sql }) =>
    scalar<number>(sql`select (extract(epoch from clock_timestamp()) * 1000)::float8`),
  )
  // Somewhere between asking and the answer.
  const after = Date.now()
  const there = answer ?? Number.NaN
  const difference = Math.round(Math.max(before - there, there - after, 0))
  const text = `${difference} ms from the database's`
  return difference <= MAX_CLOCK_MS ? ok(text) : failed(`${text}: set this machine's or that one's`)
}

async function compareBooks(database: Database): Promise<Finding> {
  const { accounts, wrong } = await checkBooks(database)
  if (wrong.length === 0) return ok(`${accounts} accounts, each balance is its ledger's sum`)
  return failed(`the balance is not the ledger's sum for ${naming(wrong)}`)
}

async function checkLedger(database: Database, { ledgerMonths }: Config): Promise<Finding> {
  const { tables, strays, late, hasThisMonth, due } = await ledgerState(database, ledgerMonths)
  if (!hasThisMonth) return failed('there is no table for this month: a running server makes it')
  if (strays > 0) {
    return failed(`${strays} entries are of months without a table, as of a clock that was wrong`)
  }
  const older = due > 0 ? `, ${due} older than LEDGER_MONTHS: "ledger archive" takes them out` : ''
  const behind = late > 0 ? `, ${late} entries of a clock that was set back to months in files` : ''
  return ok(`${tables} tables of months${older}${behind}`)
}

async function compareDays(database: Database, repair = false): Promise<Finding> {
  const wrong = await wrongLedgerDays(database)
  if (wrong.length === 0) return ok("each is the sum of its ledger's entries")
  const text = `wrong for ${naming(wrong)}`
  if (!repair) return failed(`${text}: doctor --repair makes them anew`)
  await refoldLedger(database, wrong)
  return ok(`${text}, and made anew`)
}

/** The first of these accounts, and how many there are more. */
function naming(accounts: readonly string[]): string {
  const others = accounts.length > 5 ? ` and ${accounts.length - 5} more` : ''
  return `${accounts.slice(0, 5).join(', ')}${others}`
}

/** Asks the server that this configuration starts, where one runs, how far it has followed the change log. */
async function checkIndex(database: Database, config: Config): Promise<Finding> {
  const { last } = await database.use(({ sql }) => logBounds(sql))
  if (!config.appUrl && config.appPort === 0)
    return skipped('APP_PORT=0: nobody knows where a server would be')
  const url = `${config.appUrl ?? addressOf(config.host, config.appPort)}/health`
  const deadline = performance.now() + FOLLOW_MS
  for (;;) {
    const { position, setAside } = await healthAt(url)
    if (position === undefined) return skipped(`no server answers at ${url}`)
    if (setAside && position >= last) {
      const { count, ids } = setAside
      return failed(
        `${url} could not take in ${count} changed records, and shows them as they were: ${ids.join(', ')}. The log says why; they are tried again`,
      )
    }
    if (position >= last) {
      const { last: now } = await database.use(({ sql }) => logBounds(sql))
      return position <= now
        ? ok(`in step with the change log, at ${position}`)
        : failed(`${url} is at ${position} of another database's change log`)
    }
    if (performance.now() > deadline) {
      return failed(`${url} is at ${position} of the change log, which ends at ${last}`)
    }
    await setTimeout(200)
  }
}

/** As `/health` answers. */
interface Health {
  position?: number
  /** Changed records that could not be taken in, the first of them by their ids. */
  setAside?: { count: number; ids: readonly string[] }
}

/** Nothing where no server of ours answers. */
async function healthAt(url: string): Promise<Health> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ASK_MS) })
    const body: Health = await response.json()
    return typeof body.position === 'number' ? body : {}
  } catch {
    return {}
  }
}

/** One is late where it would have been due a whole time ago. */
async function checkBackups(
  database: Database,
  { backups: { dir, everySeconds } }: Config,
): Promise<Finding> {
  if (!dir) return skipped('BACKUP_DIR is not set')
  const identity = await database.use(({ sql }) => identityOf(sql))
  const kept = await keptBackups(dir, identity)
  const [newest] = kept
  const every = durationOf(everySeconds)
  if (!newest) return failed(`none of this database in ${dir}, one is due every ${every}`)
  const text = `${kept.length} in ${dir}, the newest is of ${newest.madeAt}`
  const isLate = Date.now() - Date.parse(newest.madeAt) > 2 * everySeconds * 1_000
  return isLate ? failed(`${text}, one is due every ${every}: the log says why`) : ok(text)
}

async function checkFile(database: Database, { indexSnapshot }: Config): Promise<Finding> {
  if (!indexSnapshot) return skipped('INDEX_SNAPSHOT is not set')
  try {
    const position = await checkSnapshot(database, indexSnapshot)
    return ok(`${indexSnapshot} is at ${position} of the change log`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    return failed(`${indexSnapshot} is refused (${reason}): make it again with index build --out`)
  }
}
