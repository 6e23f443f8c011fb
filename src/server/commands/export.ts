/** `chainkin export`: the directory as files that `chainkin import` reads. */
import { extname, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { watchCalls } from '../../database/calls.ts'
import { exportFiles, type Format, type Target } from '../../intake/export/export.ts'
import { FileRefused } from '../../intake/export/files.ts'
import { ChangedMeanwhile } from '../../intake/export/moment.ts'
import { KINDS, type KindName } from '../../intake/import/summary.ts'
import {
  type Context,
  EXIT_INTERRUPTED,
  namingFile,
  Refusal,
  type Result,
  subcommand,
  withDatabase,
} from './command.ts'

interface Options extends Partial<Record<KindName, string>> {
  format?: Format
  withChannels?: boolean
  force?: boolean
  json?: boolean
}

/** Exit code after SIGTERM. */
const EXIT_TERMINATED = 143

type Targets = Partial<Record<KindName, Target>>

export function registerExport(program: Command): void {
  subcommand(program, 'export', 'write the directory to files that import reads; - is stdout')
    .option('--companies <file>', 'companies')
    .option('--people <file>', 'people, without their private channels')
    .option('--rounds <file>', 'funding rounds with their investors')
    .addOption(
      new Option('--format <format>', 'of files whose name does not say it').choices([
        'jsonl',
        'csv',
      ]),
    )
    .option('--with-channels', 'people with e-mail, phone, telegram and linkedinUrl; see below')
    .option('--force', 'replace files that are there')
    .addHelpText('after', HELP)
    .hook('preAction', (command) => {
      const problem = problemOf(command.opts<Options>())
      if (problem) command.error(`error: ${problem}`)
    })
    .action(withDatabase(run))
}

const HELP = `
A name ends in .jsonl, .ndjson or .csv, and in .gz after that where the file is to be compressed.
Each row carries id, externalId, slug and every other field that import knows; references are ids.
All files are of one moment, in the order of the ids: the same directory gives the same bytes. Files
appear when all of them are whole; one that is there is replaced with --force only.

With --with-channels the file of people holds what accounts pay for and what people keep private.
Only its owner may read it (mode 0600). Keep it as you keep the database: encrypt it before it leaves
this machine, and delete it when it has done its work. Without, an import of the file leaves the
channels of people whom it finds as they are, and people whom it makes have none.`

/** Formats by file extension. */
const FORMATS: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
}

/** The contradiction between the options, if there is one. */
function problemOf(options: Options): string | undefined {
  const given = KINDS.filter((kind) => options[kind] !== undefined)
  if (given.length === 0) return 'give at least one of --companies, --people, --rounds'
  if (options.withChannels && options.people === undefined)
    return '--with-channels is about people: give --people too'
  if (options.json && given.some((kind) => options[kind] === '-'))
    return '--json prints on stdout: give a file instead of -'
  const paths = given.map((kind) => options[kind] ?? '')
  const twice = paths.find((path, i) => paths.findIndex((it) => isSame(it, path)) < i)
  if (twice !== undefined) return `two files are to be ${twice}: name each differently`
  for (const kind of given) {
    if (!targetOf(options[kind] ?? '', options.format))
      return `--${kind} ${options[kind]}: ${wrongName(options)}`
  }
}

const isSame = (a: string, b: string) => a === b || resolve(a) === resolve(b)

const wrongName = ({ format }: Options) =>
  format
    ? `the name says another format than --format ${format}: leave one of them out`
    : 'let the name end in .jsonl or .csv (each also .gz), or give --format jsonl or --format csv'

/** @returns undefined where name and option contradict each other, or neither names a format */
function targetOf(path: string, format: Format | undefined): Target | undefined {
  if (path === '-') return { path, format: format ?? 'jsonl', isGzipped: false }
  const isGzipped = /\.gz$/i.test(path)
  const said = FORMATS[extname(isGzipped ? path.slice(0, -3) : path).toLowerCase()]
  const chosen = said ?? format
  if (!chosen || (format && chosen !== format)) return undefined
  return { path, format: chosen, isGzipped }
}

async function run({ database, config, isAlone }: Context, options: Options): Promise<Result> {
  const targets: Targets = {}
  for (const kind of KINDS) {
    const path = options[kind]
    const target = path === undefined ? undefined : targetOf(path, options.format)
    if (target) targets[kind] = target
  }
  const { withChannels = false, force = false } = options
  const interrupted = new AbortController()
  let exitCode = EXIT_INTERRUPTED
  process.once('SIGINT', () => interrupted.abort())
  // SIGTERM may come twice (`timeout` does that), and a partial file that stayed would stop the next export.
  process.on('SIGTERM', () => {
    exitCode = EXIT_TERMINATED
    interrupted.abort()
  })
  try {
    const counts = await exportFiles(database, targets, {
      withChannels,
      force,
      isSliced: config.databaseUrl === undefined,
      isGentle: isAlone ? undefined : watchCalls(database),
      signal: interrupted.signal,
    })
    const lines = KINDS.flatMap((kind) => {
      const rows = counts[kind]
      return rows === undefined ? [] : [`${kind}: ${rows} in ${nameOf(targets[kind])}`]
    })
    const isPrinted = Object.values(targets).some(({ path }) => path === '-')
    return { json: { ...counts, withChannels }, text: lines.join('\n'), isAside: isPrinted }
  } catch (error) {
    if (interrupted.signal.aborted) {
      const text = 'interrupted: no file was written'
      return { json: { error: text }, text, exitCode, isAside: true }
    }
    if (error instanceof FileRefused || error instanceof ChangedMeanwhile)
      throw new Refusal(error.message)
    return namingFile(pathIn(error))(error)
  }
}

const nameOf = (target: Target | undefined) =>
  target?.path === '-' ? 'stdout' : (target?.path ?? '')

/** The path in a system error. */
function pathIn(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path.replace(/\.partial$/, '')
    : 'a file of the export'
}
