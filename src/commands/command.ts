/**
 * What every command shares: results on stdout (one JSON object with `--json`), messages for people
 * on stderr, exit 0 done, 1 refused with a reason, 2 wrong usage.
 */
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { type Database, DatabaseUnavailable, describeError } from '../database/client.ts'
import { DataDirError } from '../database/data-dir.ts'
import { SchemaTooNew } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { DURATION_EXPECTED, secondsOf } from '../duration.ts'
import { exit } from '../runtime.ts'
import { CannotListen } from '../service/server.ts'

/** What a shell expects of a program that SIGINT ended. */
export const EXIT_INTERRUPTED = 130

/** The command can't be done; the message is the reason (exit 1). */
export class Refusal extends Error {
  override name = 'Refusal'
}

export interface Result {
  json: Record<string, unknown>
  /** What a person sees on stdout. */
  text: string
  exitCode?: number
}

export interface Context {
  config: Config
  database: Database
  /** Whether no server is using the database: this command runs it, and none starts meanwhile. */
  isAlone: boolean
  /** A message for people, on stderr. */
  log: (line: string) => void
}

type Run<A extends unknown[]> = (context: Context, ...args: A) => Promise<Result>

const REFUSALS = [
  Refusal,
  ConfigError,
  DataDirError,
  SchemaTooNew,
  DatabaseUnavailable,
  CannotListen,
]

/** An action that needs the database: opens it, runs, prints, closes. */
export function withDatabase<A extends unknown[]>(run: Run<A>) {
  return function action(this: Command, ...args: A): Promise<void> {
    return report(this, async () => {
      const config = readConfig(process.env)
      const { database, isOwned, close } = await openDatabase(config, { connections: 4 })
      const log = (line: string) => console.error(line)
      try {
        return await run({ config, database, isAlone: isOwned, log }, ...args)
      } finally {
        await close()
      }
    })
  }
}

/** Runs a command's work and prints what came of it. Ends the process: an open pool must not keep it. */
export async function report(command: Command, work: () => Promise<Result>): Promise<void> {
  const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true
  try {
    const { json, text, exitCode = 0 } = await work()
    console.log(asJson ? JSON.stringify(json) : text)
    exit(exitCode)
  } catch (error) {
    // What nobody foresaw is shown with its stack: whoever runs the command is who must report it.
    const isRefusal = error instanceof Error && REFUSALS.some((kind) => error instanceof kind)
    const reason = isRefusal ? error.message : describeError(error)
    if (asJson) console.log(JSON.stringify({ error: reason }))
    console.error(`chainkin ${command.name()}: ${reason}`)
    exit(1)
  }
}

/** A subcommand of `parent` with the options that all share. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON object on stdout')
}

// Parsers for arguments: each throws what commander shows as wrong usage, naming what is allowed.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function parseId(value: string): string {
  if (!UUID.test(value)) throw new InvalidArgumentError('Expected an id (a UUID).')
  return value.toLowerCase()
}

/** Text for a person's or company's name: 1 to 200 characters after trimming, no control characters. */
export function parseText(value: string): string {
  const text = value.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (text === '' || text.length > 200 || /[\u0000-\u001f\u007f]/.test(text)) {
    throw new InvalidArgumentError('Expected 1 to 200 characters on one line.')
  }
  return text
}

export function parseChoice<T extends string>(choices: readonly T[]) {
  return (value: string): T => {
    const choice = choices.find((known) => known === value)
    if (choice === undefined)
      throw new InvalidArgumentError(`Expected one of ${choices.join(', ')}.`)
    return choice
  }
}

export function parseCredits(value: string): number {
  const credits = Number(value)
  if (!/^\d+$/.test(value) || credits < 1 || credits > 1_000_000_000) {
    throw new InvalidArgumentError('Expected a whole number of credits from 1 to 1000000000.')
  }
  return credits
}

/** `90s`, `15m`, `12h` or `7d`, in seconds. */
export function parseDuration(value: string): number {
  const seconds = secondsOf(value)
  if (seconds === undefined) throw new InvalidArgumentError(`Expected ${DURATION_EXPECTED}.`)
  return seconds
}
