/** `doctor`, `config`, `ready`: whether and how the service runs. */
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import { addressOf, type Config, readConfig } from '../../config.ts'
import {
  checkBackups,
  checkClock,
  checkDisk,
  checkLedger,
  checkMails,
  type Finding,
  failed,
  ok,
  skipped,
} from '../../console/acts/checks.ts'
import {
  programFacts,
  type SettingNow,
  settingsNow,
  settingWarnings,
  systemFacts,
} from '../../console/acts/settings.ts'
import { type Database, describeError, errorCode } from '../../database/client.ts'
import { expectDatabase } from '../../database/data-dir.ts'
import { migrationState, SchemaTooNew } from '../../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { scalar } from '../../database/scalar.ts'
import { cureOf, differences, sessionFacts } from '../../database/session-settings.ts'
import { droppedParameters } from '../../database-url.ts'
import { logBounds } from '../../directory/records/changes.ts'
import { checkBooks } from '../../money/charge/books.ts'
import { openMailServer } from '../../people/users/mail.ts'
import { isForeseen, Refusal, type Result, reasonOf, reporting, subcommand } from './command.ts'

/** Time that a server has to follow a change: twice the two seconds that it promises. */
const FOLLOW_MS = 4_000
const ASK_MS = 2_000

export function registerDoctor(program: Command) {
  subcommand(
    program,
    'doctor',
    'check configuration, database, disk, clock, books and index',
  ).action(reporting(examine))
}

async function examine(): Promise<Result> {
  const findings: Record<string, Finding> = {}
  const config = await look(findings, 'configuration', async () => {
    const read = readConfig(process.env)
    return [ok(placeText(read)), read] as const
  })
  if (config) {
    await look(findings, 'disk', async () => [await checkDisk(config)])
    await look(findings, 'mail', async () => [await reachMailServer(config)])
    const open = await look(findings, 'database', () => reach(config))
    if (open) {
      const { database, close } = open
      await look(findings, 'settings', async () => [await checkSettings(open)])
      const isCurrent = await look(findings, 'migrations', () => checkMigrations(database))
      await look(findings, 'clock', async () => [await checkClock(database)])
      if (isCurrent) {
        await look(findings, 'books', async () => [await compareBooks(database)])
        await look(findings, 'ledger', async () => [await checkLedger(database, config)])
        await look(findings, 'index', async () => [await checkIndex(database, config)])
        await look(findings, 'backups', async () => [await checkBackups(database, config)])
        await look(findings, 'mails', async () => [await checkMails(database, config)])
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

/** Runs a check and notes its finding; an error is a failed check. @returns the check's value for later ones */
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
  const open = await openDatabase(config, { connections: 1, mustExist: true, skipMigrations: true })
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

/** Connects to the mail server and signs in, without a mail. */
async function reachMailServer(config: Config): Promise<Finding> {
  const server = await openMailServer(config)
  if (!server) return skipped('SMTP_URL is not set, so no mail is sent')
  await server.verify()
  return ok('the server takes mails: mail test ADDRESS sends one')
}

function placeText(config: Config): string {
  if (!config.databaseUrl) return `DATA_DIR=${config.dataDir}`
  const dropped = droppedParameters(config)
  return dropped.length === 0
    ? 'DATABASE_URL'
    : `DATABASE_URL, of which these parameters change nothing here: ${dropped.join(', ')}`
}

/** Compares session settings that the SQL relies on, with and without the ones that each session sets. */
async function checkSettings({ database, plainSession }: OpenDatabase): Promise<Finding> {
  const facts = await database.use(({ sql }) => sessionFacts(sql))
  if (facts.deviations.length > 0) {
    return failed(`${differences(facts.deviations)}: ${cureOf(facts.deviations, facts)}`)
  }
  const { deviations } = await plainSession()
  return deviations.length === 0
    ? ok('as they are needed')
    : ok(`as they are needed, set by each session against the defaults: ${differences(deviations)}`)
}

async function checkMigrations(database: Database): Promise<readonly [Finding, true?]> {
  const { missing, unknown } = await migrationState(database)
  if (unknown.length > 0) {
    return [failed(new SchemaTooNew(unknown).message)]
  }
  if (missing.length > 0) {
    return [failed(`not applied: ${missing.join(', ')}; migrate applies them`)]
  }
  return [ok('all applied'), true]
}

async function compareBooks(database: Database): Promise<Finding> {
  const { accounts, wrong } = await checkBooks(database)
  if (wrong.length === 0) return ok(`${accounts} accounts, each balance is its ledger's sum`)
  return failed(`the balance is not the ledger's sum for ${naming(wrong)}`)
}

/** The first five names and the number of the others. */
function naming(all: readonly string[]): string {
  const others = all.length > 5 ? ` and ${all.length - 5} more` : ''
  return `${all.slice(0, 5).join(', ')}${others}`
}

/** Compares the change log with the position of the server that this configuration starts. */
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

/** Parts of the answer of `/health`. */
interface Health {
  position?: number
  /** Changed records that the server could not load: their number and the first ids. */
  setAside?: { count: number; ids: readonly string[] }
}

/** @returns {} where no Chainkin server answers */
async function healthAt(url: string): Promise<Health> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ASK_MS) })
    const body: Health = await response.json()
    return typeof body.position === 'number' ? body : {}
  } catch {
    return {}
  }
}

const NO_SUCH_TABLE = '42P01'

export function registerConfig(program: Command) {
  subcommand(
    program,
    'config',
    'each setting with its value and where it is from, without secrets',
  ).action(reporting(showConfig))
}

async function showConfig(): Promise<Result> {
  const config = readConfig(process.env)
  const settings = settingsNow(config)
  const warnings = settingWarnings(process.env, config)
  const system = await factsOf(config).catch((error: unknown) => ({
    ...programFacts(config),
    unavailable: reasonOf(error),
  }))
  const facts = Object.entries(system).map(([name, value]) => `${name.padEnd(24)}${value}`)
  const warned = warnings.map(
    ({ message, fields }) => `warning: ${message} ${JSON.stringify(fields)}`,
  )
  const text = [...facts, '', ...settings.map(settingLine), ...warned].join('\n')
  return { json: { system, settings, warnings }, text }
}

/** Reads facts about the running system without making a database or tables. */
async function factsOf(config: Config) {
  if (!config.databaseUrl) expectDatabase(config.dataDir)
  const { database, close } = await openDatabase(config, { skipMigrations: true })
  try {
    return await systemFacts(database, config)
  } catch (error) {
    if (errorCode(error) !== NO_SUCH_TABLE) throw error
    throw new Refusal('the database is empty: the first start makes its tables')
  } finally {
    await close()
  }
}

function settingLine({ name, value, isSet, default: byDefault }: SettingNow): string {
  const said = isSet ? (value ?? 'set') : byDefault === '' ? 'not set' : `${byDefault} (default)`
  return `${name.padEnd(24)}${said}`
}

/** Timeout of the request: longer than the server's own for its database. */
const READY_MS = 3_000

export function registerReady(program: Command) {
  subcommand(program, 'ready', 'whether the server on APP_PORT is ready: exit 0, or 1 and why not')
    .addHelpText(
      'after',
      '\nIt asks /health/ready of HOST and APP_PORT on this machine, as the health check of a container does.',
    )
    .action(reporting(askWhetherReady))
}

/** The answer of `/health/ready`; both fields are absent where another program answers. */
interface Answer {
  status?: unknown
  reasons?: unknown
}

async function askWhetherReady(): Promise<Result> {
  const { host, appPort } = readConfig(process.env)
  if (appPort === 0) throw new Refusal('APP_PORT=0: nobody knows where the server is')
  const url = `${addressOf(host, appPort)}/health/ready`
  const { status, reasons } = await answerOf(url)
  if (status === 'ready') return { json: { ready: true, reasons: [] }, text: `${url}: ready` }
  const isOurs = Array.isArray(reasons) && reasons.length > 0
  const why = isOurs ? reasons.map(String) : ['another program answers there']
  return {
    json: { ready: false, reasons: why },
    text: `${url}: not ready, ${why.join('; ')}`,
    exitCode: 1,
  }
}

async function answerOf(url: string): Promise<Answer> {
  const signal = AbortSignal.timeout(READY_MS)
  try {
    const answer: unknown = JSON.parse(await textAt(url, signal))
    return typeof answer === 'object' && answer !== null ? answer : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    return {
      reasons: [signal.aborted ? `no answer within ${READY_MS / 1_000} s` : 'no server answers'],
    }
  }
}

/** GETs a text without `fetch`, which would use the proxy of HTTP_PROXY. */
function textAt(url: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) => text(answer).then(resolve, reject)
    get(url, { signal, agent: false }, onAnswer).once('error', reject)
  })
}
