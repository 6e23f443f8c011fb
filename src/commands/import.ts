/** `chainkin import`: files of companies, people and funding rounds into the directory. */
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { type ImportOptions, ImportStopped, importFiles } from '../import/import.ts'
import type { Format, Source } from '../import/rows.ts'
import { KINDS, type KindName, MOST_REFUSALS_KEPT, type Summary } from '../import/summary.ts'
import {
  type Context,
  EXIT_INTERRUPTED,
  Refusal,
  type Result,
  subcommand,
  withDatabase,
} from './command.ts'
import { namingFile } from './files.ts'

type Paths = Partial<Record<KindName, string>>

interface Options extends Paths {
  fast?: boolean
}

export function registerImport(program: Command): void {
  const command: Command = subcommand(
    program,
    'import',
    'import JSON Lines or CSV files; - is stdin',
  )
    .option('--companies <file>', 'companies: name, companyType and more')
    .option('--people <file>', 'people, each naming a company by id, externalId or slug')
    .option('--rounds <file>', 'funding rounds: company, and investors as [{"investor", "isLead"}]')
    .option('--fast', 'without rests: twice as fast, and felt by whoever is served meanwhile')
    .addHelpText('after', HELP)
    .hook('preAction', () => {
      const paths = command.opts<Paths>()
      if (givenKinds(paths).length === 0) {
        command.error('error: give at least one of --companies, --people, --rounds', {
          exitCode: 2,
        })
      }
      if (givenKinds(paths).filter((kind) => paths[kind] === '-').length > 1) {
        command.error('error: only one file can be stdin (-)', { exitCode: 2 })
      }
    })
    .action(withDatabase((context, options: Options) => run(context, options)))
}

const HELP = `
Fields are the API's record names. A record is known by id, else externalId, else slug; importing
again updates it. A field that a row leaves out keeps its value, null (a blank CSV cell) clears it.
Lists in a CSV cell have | or ; between their items, objects are JSON text. A row that can't be
stored is named with its field and the reason; the others go in.`

const givenKinds = (paths: Paths) => KINDS.filter((kind) => paths[kind] !== undefined)

type Log = (line: string) => void

async function run(
  { database, isAlone, log }: Context,
  { fast, ...paths }: Options,
): Promise<Result> {
  const sources: Partial<Record<KindName, Source>> = {}
  let bytes = 0
  for (const kind of givenKinds(paths)) {
    const { source, size } = await openSource(paths[kind] ?? '')
    sources[kind] = source
    bytes += size
  }
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  const display = process.stderr.isTTY ? new Bar(bytes, log) : new Lines(log)
  try {
    const summary = await importFiles(database, sources, {
      ...display.listeners,
      isGentle: !fast && !isAlone,
      signal: interrupted.signal,
    })
    return { json: summary, text: asText(summary) }
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error
    log(`chainkin import: ${error.message}; whole batches stored before it stay`)
    return {
      json: { ...error.summary, error: error.message },
      text: asText(error.summary),
      exitCode: error.interrupted ? EXIT_INTERRUPTED : 1,
    }
  } finally {
    display.stop()
    process.off('SIGINT', interrupt)
  }
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'jsonl',
  '.csv': 'csv',
}

/** @throws Refusal naming a file that can't be opened. */
async function openSource(path: string): Promise<{ source: Source; size: number }> {
  if (path === '-') return { source: { stream: process.stdin }, size: 0 }
  const file = await open(path).catch(namingFile(path))
  const stat = await file.stat()
  if (stat.isDirectory()) throw new Refusal(`${path}: a directory`)
  const stream: Readable = file.createReadStream()
  const format = FORMATS[extname(path).toLowerCase()]
  return { source: { stream, format }, size: stat.size }
}

type Listeners = Pick<ImportOptions, 'onProgress' | 'onRefused' | 'onIgnoredField'>

/** Refused rows and ignored fields, a line each; after many refusals only their number. */
class Lines {
  readonly listeners: Listeners
  readonly #log: Log
  #refused = 0

  constructor(log: Log) {
    this.#log = log
    this.listeners = {
      onRefused: (kind, { row, field, reason }) => {
        this.#refused++
        if (this.#refused > MOST_REFUSALS_KEPT) return
        log(`${kind} row ${row}: ${field === null ? '' : `${field}: `}${reason}`)
      },
      onIgnoredField: (kind, field) => log(`${kind}: unknown field ignored: ${field}`),
    }
  }

  stop() {
    const unsaid = this.#refused - MOST_REFUSALS_KEPT
    if (unsaid > 0) this.#log(`and ${unsaid} more refused rows`)
  }
}

/** A bar over the bytes of all files; the lines wait until it is gone. */
class Bar {
  readonly listeners: Listeners
  readonly #bar: SingleBar
  readonly #lines: Lines
  readonly #waiting: string[] = []
  readonly #log: Log

  constructor(bytes: number, log: Log) {
    this.#log = log
    this.#lines = new Lines((line) => this.#waiting.push(line))
    this.#bar = new SingleBar({
      format: '{bar} {percentage}%  {kind} {rows} rows',
      stream: process.stderr,
      hideCursor: true,
    })
    this.#bar.start(Math.max(bytes, 1), 0, { kind: '', rows: 0 })
    let before = 0
    let latest = { kind: '', bytes: 0 }
    this.listeners = {
      ...this.#lines.listeners,
      onProgress: ({ kind, bytes: read, rows }) => {
        if (kind !== latest.kind) before += latest.bytes
        latest = { kind, bytes: read }
        this.#bar.update(Math.min(before + read, Math.max(bytes, 1)), { kind, rows })
      },
    }
  }

  stop() {
    this.#bar.stop()
    this.#lines.stop()
    for (const line of this.#waiting) this.#log(line)
  }
}

function asText(summary: Summary): string {
  return KINDS.flatMap((kind) => {
    const done = summary[kind]
    if (!done) return []
    const { read, created, updated, unchanged, refused } = done
    return `${kind}: ${read} read, ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`
  }).join('\n')
}
