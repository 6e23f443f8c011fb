/** X */
import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { type Act, type Actor, perform } from '../../console/acts/perform.ts'
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
import { exit } from '../../runtime.ts'
import { CannotListen } from '../service/server.ts'
import { WorkerFailed } from '../service/workers/supervisor.ts'
import { parseId, parseText } from './parsers.ts'

/** What a shell expects of a program that SIGINT ended. */
export const EXIT_INTERRUPTED = 130

/** For a command's statements: nobody has a request in hand, and one that is given up leaves open whether it was done. */
export const COMMAND_DEADLINE_MS = 30_000

/** The command can't be done; the message is the reason (exit 1). */
export class Refusal extends Error {
  override name = 'Refusal'
}

export interface Result {
  json: Record<string, unknown>
  /** What a person sees on stdout. */
  text: string
  exitCode?: number
  /** `text` goes to stderr: stdout holds a file. */
  isAside?: boolean
}

export interface Context {
  config: Config
  database: Database
  takeLongLock: TakeLongLock
  /** Whether no server is using the database: this command runs it, and none starts meanwhile. */
  isAlone: boolean
}

const REFUSALS = [
  Refusal,
  ChangeRefused,
  JobRefused,
  ConfigError,
  DataDirError,
  BackupError,
  SchemaTooNew,
  DatabaseUnavailable,
  CannotListen,
  WorkerFailed,
  MailNotSent,
]

/** Writes a message to stderr as it is: `console.error` of Bun paints it red on a terminal, as if something had failed. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Says that a command has migrated a database that was in use. */
function tellMigrated({ migrations, milliseconds, isNew }: Migrated): void {
  if (isNew || migrations.length === 0) return
  tell(`migrated the database in ${milliseconds} ms: ${migrations.join(', ')}`)
}

/** The runtime's own: of a service the others write to the log. */
const { log: print, error: printError } = console

/** Prints the one object of `--json`. A service that fails after it was ready has printed it: the reason is on stderr alone. */
export function printJson(json: Record<string, unknown>): void {
  if (!isPrinted) print(JSON.stringify(json))
  isPrinted = true
}

let isPrinted = false

/** An action that needs the database: opens it, runs, prints, closes. Refuses where there is none. */
export const withDatabase = <A extends unknown[]>(run: Run<A>) => onDatabase(run, true)

/** The same for an action that one may begin with: makes the database where there is none. */
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
 * An action that prints what `run` gives, then ends the process: an open pool must not keep it.
 * @param complain tells people why it is not done
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

/** Ends the process with a reason: told to people by `complain`, and in the one object of `--json`. */
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

/** Sets what happens to errors that nobody caught, in place of what was set before. */
export function onUncaught(handle: (error: unknown) => void) {
  for (const name of ['uncaughtException', 'unhandledRejection']) {
    process.removeAllListeners(name).on(name, handle)
  }
}

/**
 * Why a command ended with exit 1. Where a statement was sent whose end is not known, says that it may have been
 * done. An unforeseen error is shown with its stack, for a report.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable && error.isUnknown) {
    return `${error.message}. What the command changes may be changed: look before you repeat it`
  }
  return isForeseen(error) ? error.message : describeError(error)
}

/** Whether an error's message is the reason by itself. */
export const isForeseen = (error: unknown): error is Error =>
  REFUSALS.some((kind) => error instanceof kind)

/** A subcommand of `parent` with the options that all share. */
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

/** A subcommand on one account: its first argument is the account's id. */
export function accountCommand(parent: Command, usage: string, description: string): Command {
  return subcommand(parent, usage, description).argument('<id>', 'the account', parseId)
}

/** @throws Refusal where there is no such account. */
export async function accountOf(database: Database, id: string): Promise<Account> {
  return orNoAccount(await showAccount(database, id), id)
}

/** What was found of an account. @throws Refusal where nothing was, as there is no such account. */
export function orNoAccount<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Refusal(`there is no account ${id}`)
  return found
}

/** Rows under a name, for a person one a line, or `none` where there are no rows. */
export function listing<T>(
  name: string,
  rows: readonly T[],
  none: string,
  line: (row: T) => string,
) {
  return { json: { [name]: rows }, text: rows.map(line).join('\n') || none }
}

/** The system's error code → what is wrong with a file that a person named. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** For `catch`: the system's errors become a refusal that names the file; others pass. */
export function namingFile(file: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error) ?? ''
    if (error instanceof DatabaseUnavailable || !/^E[A-Z]+$/.test(code)) throw error
    throw new Refusal(`${file}: ${FILE_ERRORS[code] ?? `can't be used (${code})`}`)
  }
}

const SUDO_USER_LENGTH = 64

/** The user of this process as the system knows it. Bun's `userInfo()` reads $USER, which anybody can set. */
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
    // A container may run under a number that no user has, and lack the program.
  }
  return `uid ${uid}`
}

/**
 * Who makes a change, for the journal and the audit log: the system's user, with who called `sudo` beside it, and both beside a name
 * that was given: `root`, `root (sudo ada)`, `Olga (root, sudo ada)`. `BETWEEN_NAMES` finds each of them.
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

/** Whoever types a command, as the audit log names them. */
export const typist = (as?: string): Actor => ({
  ...{ via: 'command', userId: null, who: who(as), address: null },
})

/** Does an act; the audit log names the system's user. @returns undefined where there was nothing to do it to */
export const performed = <T>(database: Database, act: Act<T>): Promise<T | undefined> =>
  perform(database, typist(), act)

interface ConfirmOptions {
  yes?: boolean
  json?: boolean
}

/**
 * Asks on a terminal, unless `--yes` was given.
 * @param what as a sentence begins with it: "an erasure". @param question for somebody who reads it. @param undone what is said then
 * @throws Refusal where nobody says yes
 */
export async function confirm(
  { yes, json }: ConfirmOptions,
  { what, question, undone }: { what: string; question: string; undone: string },
): Promise<void> {
  if (yes) return
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
  if (!isTerminal || json) throw new Refusal(`${what} can’t be undone: repeat it with --yes`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} It can’t be undone. [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal(undone)
  } finally {
    terminal.close()
  }
}
