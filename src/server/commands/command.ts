/**
 * Shared parts of the commands: results on stdout (one JSON object with `--json`), messages for people on stderr, exit 0 done,
 * 1 refused with a reason, 2 wrong usage.
 */
import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { ActRefused } from '../../console/acts/act.ts'
import type { Actor } from '../../database/actor.ts'
import { BackupError } from '../../database/backup/file.ts'
import {
  type Database,
  DatabaseUnavailable,
  describeError,
  errorCode,
} from '../../database/client.ts'
import { DataDirError } from '../../database/data-dir.ts'
import type { TakeLongLock } from '../../database/long-lock.ts'
import { type Migrated, SchemaTooNew } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open.ts'
import { ChangeRefused } from '../../intake/editing/records.ts'
import { JobRefused } from '../../intake/import/jobs/types.ts'
import { type Account, showAccount } from '../../money/accounts/accounts.ts'
import { MailNotSent } from '../../people/users/mail.ts'
import { findUser } from '../../people/users/repository.ts'
import { FieldError } from '../../people/users/validation.ts'
import { exit } from '../../runtime.ts'
import { CannotListen } from '../service/server.ts'
import { WorkerFailed } from '../service/workers/supervisor.ts'
import { parseId, parseText } from './parsers.ts'

/** Exit code after SIGINT. */
export const EXIT_INTERRUPTED = 130

/** A signal that SIGINT and SIGTERM abort. */
export function interruption(): AbortSignal {
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort())
  return interrupted.signal
}

/** Deadline of a command's statements: long, because giving one up leaves its outcome unknown. */
export const COMMAND_DEADLINE_MS = 30_000

/** A reason why the command can't be done (exit 1). */
export class Refusal extends Error {
  override name = 'Refusal'
}

export interface Result {
  json: Record<string, unknown>
  /** The output for people. */
  text: string
  exitCode?: number
  /** True sends `text` to stderr, because stdout holds a file. */
  isAside?: boolean
}

export interface Context {
  config: Config
  database: Database
  takeLongLock: TakeLongLock
  /** True while this command runs the embedded database by itself: no server can start meanwhile. */
  isAlone: boolean
}

const REFUSALS = [
  Refusal,
  ActRefused,
  ChangeRefused,
  JobRefused,
  FieldError,
  ConfigError,
  DataDirError,
  BackupError,
  SchemaTooNew,
  DatabaseUnavailable,
  CannotListen,
  WorkerFailed,
  MailNotSent,
]

/** Writes a message to stderr, without the red of Bun's `console.error`. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

function tellMigrated({ migrations, milliseconds, isNew }: Migrated): void {
  if (isNew || migrations.length === 0) return
  tell(`migrated the database in ${milliseconds} ms: ${migrations.join(', ')}`)
}

/** The runtime's own functions: `serve` replaces those of `console` by the log's. */
const { log: print, error: printError } = console

/** Prints the one object of `--json`. A service that fails after it was ready has printed its object: the reason is on stderr alone. */
export function printJson(json: Record<string, unknown>): void {
  if (!isPrinted) print(JSON.stringify(json))
  isPrinted = true
}

let isPrinted = false

/** An action on an existing database: opens it, runs, prints, closes. */
export const withDatabase = <A extends unknown[]>(run: Run<A>) => onDatabase(run, true)

/** An action that makes the database where there is none. */
export const makingDatabase = <A extends unknown[]>(run: Run<A>) => onDatabase(run, false)

type Run<A extends unknown[]> = (context: Context, ...args: A) => Promise<Result>

function onDatabase<A extends unknown[]>(run: Run<A>, mustExist: boolean) {
  return reporting(async (...args: A) => {
    const config = readConfig(process.env)
    const { isOwned, close, ...opened } = await openDatabase(config, {
      deadlineMs: COMMAND_DEADLINE_MS,
      mustExist,
      onMigrated: tellMigrated,
    })
    try {
      return await run({ config, ...opened, isAlone: isOwned }, ...args)
    } finally {
      await close()
    }
  })
}

/**
 * An action that prints the result of `run`, then ends the process, which an open pool would keep alive.
 * @param complain tells people the reason of a failure
 */
export function reporting<A extends unknown[]>(
  run: (...args: A) => Promise<Result>,
  complain: (text: string) => void = printError,
) {
  return async function action(this: Command, ...args: A): Promise<void> {
    const asJson = this.optsWithGlobals<{ json?: boolean }>().json === true
    const failed = (error: unknown) => fail(` ${this.name()}`, error, asJson, complain)
    isPrinted = false
    onUncaught(failed)
    try {
      const { json, text, exitCode = 0, isAside = false } = await run(...args)
      if (asJson) printJson(json)
      else if (text !== '') (isAside ? tell : print)(text)
      exit(exitCode)
    } catch (error) {
      failed(error)
    }
  }
}

/** Ends the process with a reason, in the one object of `--json` and by `complain` for people. */
export function fail(
  name: string,
  error: unknown,
  asJson: boolean,
  complain: (text: string) => void = printError,
): never {
  const reason = reasonOf(error)
  if (asJson) printJson({ error: reason })
  complain(`chainkin${name}: ${reason}`)
  exit(1)
}

/** Replaces the handler of uncaught errors. */
export function onUncaught(handle: (error: unknown) => void) {
  for (const name of ['uncaughtException', 'unhandledRejection']) {
    process.removeAllListeners(name).on(name, handle)
  }
}

/**
 * The reason of exit 1. After a statement whose end is unknown it says that the change may have been made. An unforeseen
 * error has its stack, for a report.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable && error.isUnknown) {
    return `${error.message}. What the command changes may be changed: look before you repeat it`
  }
  return isForeseen(error) ? error.message : describeError(error)
}

/** True where the error's message is the whole reason. */
export const isForeseen = (error: unknown): error is Error =>
  REFUSALS.some((kind) => error instanceof kind)

/** A subcommand with `--json`. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON object on stdout')
}

/** A subcommand whose change the journal names, with `--as`. */
export function changingCommand(parent: Command, usage: string, description: string): Command {
  return subcommand(parent, usage, description).option(
    '--as <name>',
    "who changes it, for the journal (default: the system's user)",
    parseText,
  )
}

/** A subcommand whose first argument is an account's id. */
export function accountCommand(parent: Command, usage: string, description: string): Command {
  return subcommand(parent, usage, description).argument('<id>', 'the account', parseId)
}

/** @throws Refusal where there is no such account. */
export async function accountOf(database: Database, id: string): Promise<Account> {
  return existing(await showAccount(database, id), 'account', id)
}

/** @throws Refusal where `found` is undefined, because there is none. */
export function existing<T>(found: T | undefined, noun: string, id: string): T {
  if (found === undefined) throw new Refusal(`there is no ${noun} ${id}`)
  return found
}

/** @throws Refusal where nobody has this address. */
export async function userOf(database: Database, email: string) {
  const user = await findUser(database, email)
  if (!user) throw new Refusal(`nobody has signed up as ${email}`)
  return user
}

/** A result of rows: as JSON under a name, as text a line each, or `none`. */
export function listing<T>(
  name: string,
  rows: readonly T[],
  none: string,
  line: (row: T) => string,
) {
  return { json: { [name]: rows }, text: rows.map(line).join('\n') || none }
}

/** Messages about files by the system's error code. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** For `catch`: turns the system's errors into a refusal that names the file. */
export function namingFile(file: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error) ?? ''
    if (error instanceof DatabaseUnavailable || !/^E[A-Z]+$/.test(code)) throw error
    throw new Refusal(`${file}: ${FILE_ERRORS[code] ?? `can't be used (${code})`}`)
  }
}

const SUDO_USER_LENGTH = 64

/** The system's name of this process's user. Bun's `userInfo()` reads $USER, which anybody can set. */
function systemUser(): string {
  const uid = process.geteuid?.()
  if (uid === undefined) return userInfo().username
  try {
    const name = execFileSync('/usr/bin/id', ['-un'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    if (name !== '' && name !== String(uid)) return name
  } catch {
    // A container may lack the program, and run under a number that no user has.
  }
  return `uid ${uid}`
}

/**
 * The author of a change for the journal and the audit log: the system's user, the caller of `sudo`, and the name of `--as`:
 * `root`, `root (sudo ada)`, `Olga (root, sudo ada)`. `BETWEEN_NAMES` finds each of them.
 */
export function who(given: string | undefined): string {
  const user = systemUser()
  const caller = process.env.SUDO_USER?.slice(0, SUDO_USER_LENGTH)
  const beside = [
    ...(given === undefined || given === user ? [] : [user]),
    ...(caller && caller !== user ? [`sudo ${caller}`] : []),
  ]
  return `${given ?? user}${beside.length > 0 ? ` (${beside.join(', ')})` : ''}`
}

/** The actor of a command in the audit log. */
export const typist = (as?: string): Actor => ({
  via: 'command',
  userId: null,
  who: who(as),
  address: null,
})

interface ConfirmOptions {
  yes?: boolean
  json?: boolean
}

/**
 * Asks on a terminal, unless `--yes` was given.
 * @param what the beginning of a sentence: "an erasure". @param undone the message after a no
 * @throws Refusal after a no, and where there is no terminal to ask at
 */
export async function confirm(
  { yes, json }: ConfirmOptions,
  { what, question, undone }: { what: string; question: string; undone: string },
): Promise<void> {
  if (yes) return
  if (!hasTerminal() || json) throw new Refusal(`${what} can’t be undone: repeat it with --yes`)
  if (!(await isAgreed(`${question} It can’t be undone.`))) throw new Refusal(undone)
}

export const hasTerminal = (): boolean =>
  process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks on the terminal. @returns true after a yes; Ctrl-C and Ctrl-D are a no */
export async function isAgreed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    tell('')
    return false
  } finally {
    terminal.close()
  }
}
