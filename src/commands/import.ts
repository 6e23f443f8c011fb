/** `chainkin import`: files of companies, people and funding rounds into the directory. */
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { type ImportOptions, ImportStopped, importFiles } from '../import/import.ts'
import type { Format, Source } from '../import/read.ts'
import { KINDS, type KindName, MOST_REFUSALS_KEPT, type Summary } from '../import/summary.ts'
import {
  type Context,
  EXIT_INTERRUPTED,
  namingFile,
  Refusal,
  type Result,
  subcommand,
  withDatabase,
} from './command.ts'

type Paths = Partial<Record<KindName, string>>

interface Options extends Paths {
  fast?: boolean
}

export function registerImport(program: Command): void {
  subcommand(program, 'import', 'import CSV or JSON files, also gzipped; - is stdin')
    .option('--companies <file>', 'companies: name, companyType and more')
    .option(
      '--people <file>',
      'people, each naming a company by id, externalId, slug, domain or name',
    )
    .option('--rounds <file>', 'funding rounds: company, investors and leadInvestors')
    .option('--fast', 'without pauses: twice as fast, but calls answered meanwhile take longer')
    .addHelpText('after', HELP)
    .hook('preAction', (command) => {
      const paths = command.opts<Paths>()
      const kinds = givenKinds(paths)
      if (kinds.length === 0)
        command.error('error: give at least one of --companies, --people, --rounds')
      if (kinds.filter((kind) => paths[kind] === '-').length > 1)
        command.error('error: only one file can be stdin (-)')
    })
    .action(withDatabase(run))
}

const HELP = `
CSV with commas, semicolons, tabs or bars, JSON Lines, JSON lists and answers of APIs around them are
read, in UTF-8 or UTF-16. Columns are matched to fields without case, blanks and marks, and by usual
other names. A record is known by id, else externalId, else slug; importing
again updates it. Rows without any of them are known by name and e-mail, LinkedIn, Telegram or X
handle, and refused where that doesn't tell one record from another. A field that a row leaves out keeps its value, null (a blank CSV cell) clears it.
Lists in a CSV cell have |, else ;, else , between their items or are JSON, objects are JSON text. A row that can't be
stored is named with its field and the reason; the others go in.`

const givenKinds = (paths: Paths) => KINDS.filter((kind) => paths[kind] !== undefined)

const log = (line: string) => console.error(line)

async function run({ database, isAlone }: Context, { fast, ...paths }: Options): Promise<Result> {
  const sources: Partial<Record<KindName, Source>> = {}
  let bytes = 0
  for (const kind of givenKinds(paths)) {
    const { source, size } = await openSource(paths[kind] ?? '')
    sources[kind] = source
    bytes += size
  }
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const reporter = process.stderr.isTTY ? reportWithBar(bytes) : reportLines(log)
  try {
    const summary = await importFiles(database, sources, {
      ...reporter.listeners,
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
    reporter.stop()
  }
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'csv',
}

/** @throws Refusal naming a file that can't be opened. */
async function openSource(path: string): Promise<{ source: Source; size: number }> {
  if (path === '-') return { source: { stream: process.stdin }, size: 0 }
  const file = await open(path).catch(namingFile(path))
  const stat = await file.stat()
  if (stat.isDirectory()) throw new Refusal(`${path}: a directory`)
  const stream: Readable = file.createReadStream()
  const format = FORMATS[extname(path.toLowerCase().replace(/\.gz$/, ''))]
  return { source: { stream, format }, size: stat.size }
}

interface Reporter {
  listeners: Pick<ImportOptions, 'onProgress' | 'onRefused' | 'onIgnoredField'>
  stop(): void
}

/** Reports refused rows and ignored fields, a line each; after many refusals only their number. */
function reportLines(say: (line: string) => void): Reporter {
  let refused = 0
  return {
    listeners: {
      onRefused(kind, { row, field, reason }) {
        if (++refused > MOST_REFUSALS_KEPT) return
        say(`${kind} row ${row}: ${field === null ? '' : `${field}: `}${reason}`)
      },
      onIgnoredField: (kind, field) => say(`${kind}: unknown field ignored: ${field}`),
    },
    stop() {
      const unsaid = refused - MOST_REFUSALS_KEPT
      if (unsaid > 0) say(`and ${unsaid} more refused rows`)
    },
  }
}

/** Shows a bar over the bytes of all files, and the lines once it has stopped. */
function reportWithBar(bytes: number): Reporter {
  const total = Math.max(bytes, 1)
  const waiting: string[] = []
  const lines = reportLines((line) => waiting.push(line))
  const format = '{bar} {percentage}%  {kind} {rows} rows'
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true })
  bar.start(total, 0, { kind: '', rows: 0 })
  let before = 0
  let latest = { kind: '', bytes: 0 }
  return {
    listeners: {
      ...lines.listeners,
      onProgress({ kind, bytes: read, rows }) {
        if (kind !== latest.kind) before += latest.bytes
        latest = { kind, bytes: read }
        bar.update(Math.min(before + read, total), { kind, rows })
      },
    },
    stop() {
      bar.stop()
      lines.stop()
      for (const line of waiting) log(line)
    },
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
