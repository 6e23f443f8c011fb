/** `import`: files of companies, people and funding rounds into the directory. */
import { open, realpath } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Command, Help } from 'commander'
import { onCopyOfDatabase } from '../../database/backup/base-backup.ts'
import type { Database } from '../../database/client.ts'
import type { TakeLongLock } from '../../database/long-lock.ts'
import type { DateOrder } from '../../intake/import/fields/date-orders.ts'
import type { Field } from '../../intake/import/fields/types.ts'
import { importFiles, type SourceOptions } from '../../intake/import/import.ts'
import { FIELDS } from '../../intake/import/kinds.ts'
import { formatOf, type Source } from '../../intake/import/read.ts'
import { openReport, questionLine, type Report, reportLine } from '../../intake/import/report.ts'
import { KINDS, type KindName } from '../../intake/import/summary.ts'
import {
  type Context,
  changingCommand,
  hasTerminal,
  interruption,
  isAgreed,
  makingDatabase,
  namingFile,
  Refusal,
  type Result,
  tell,
  who,
} from './command.ts'
import {
  expectFiles,
  type MapOptions,
  readFill,
  readMaps,
  withDateOrder,
  withFast,
  withFillOption,
  withMapOptions,
} from './import-options.ts'
import { paceBeside, reportProgress, type Sizes } from './import-progress.ts'
import {
  reportFailed,
  resultOf,
  sayEmptyFiles,
  stoppedResult,
  tooManyRefused,
} from './import-result.ts'
import { parsePercent, parseText } from './parsers.ts'

type Paths = Partial<Record<KindName, string>>

interface Options extends Paths, MapOptions, SyncOptions {
  fast?: boolean
  fields?: boolean
  strict?: boolean
  dryRun?: boolean
  report?: string
  dateOrder?: DateOrder
  sheet?: string
  fill?: readonly string[]
  maxRefused: number
  as?: string
  json?: boolean
}

const MOST_REFUSED_PERCENT = 5

export function registerImport(program: Command): void {
  const command = changingCommand(program, 'import', 'import Excel, CSV or JSON files; - is stdin')
  for (const add of [withMapOptions, withFillOption, withSyncOptions, withFast, withDateOrder])
    add(command)
  command
    .option('--companies <file>', 'companies: name, companyType and more')
    .option(
      '--people <file>',
      'people, each naming a company by id, externalId, slug, domain or name',
    )
    .option('--rounds <file>', 'funding rounds: company, investors and leadInvestors')
    .option('--sheet <name>', 'the sheet of a workbook; the first one, unless given')
    .option('--strict', 'refuse a row for any bad value, instead of storing it without the value')
    .option('--dry-run', 'say what would happen, with the first differences, and write nothing')
    .option('--report <file>', 'write every refused row and every value left out to a CSV file')
    .option(
      '--max-refused <percent>',
      'exit 1 where more rows than this are refused',
      parsePercent,
      MOST_REFUSED_PERCENT,
    )
    .option('--fields', 'with --help: every field of the three files')
    .addHelpText('after', ({ command }) => (command.opts<Options>().fields ? fieldsText() : HELP))
    .hook('preAction', (command) => {
      const { fields, ...paths } = command.opts<Options>()
      if (fields) command.help()
      expectFiles(command)
      if (KINDS.filter((kind) => paths[kind] === '-').length > 1)
        command.error('error: only one file can be stdin (-)')
      const problem = syncProblem(command.opts<Options>())
      if (problem !== undefined) command.error(`error: ${problem}`)
    })
    .action(makingDatabase(importGiven))
}

const HELP = `
Workbooks (XLSX), CSV with commas, semicolons, tabs or bars, JSON Lines, JSON lists and answers of APIs
around them are read, also gzipped, text in UTF-8 or UTF-16. Columns are matched to fields without case, blanks and marks, by usual other
names (--help --fields lists all of them), or as --map says, also in which unit: --map "Raised=amountUsd*1e6";
--fill says what all rows without a value
have, as companyType=project. A record is known by id, else externalId,
else slug; importing again updates it. Rows without any of them are known by name and e-mail, LinkedIn,
Telegram or X handle, and refused where that doesn't tell one record from another. A field that a row
leaves out keeps its value, null (a blank CSV cell) clears it.
Lists in a CSV cell have |, else ;, else , between their items or are JSON, objects are JSON text.

A value that can't be stored is left out and named; the rest of its row is stored, and what the record
had in that field stays. Dates like 3/5/24 read several ways, and are left out until --date-order says
whether the day, the month or the year comes first, in all files. A row is refused whose key, name, company type or, for a round, company can't
be stored; the others go in. Exit 1 where more than --max-refused percent of a file's rows were refused.

With --source NAME --sync the files are all that NAME has of the kinds given: records that only NAME had
and that they no longer hold are removed, after all rows are in. What another source or nobody's has stays.
Fields changed by hand (company|person|round set) are left as they are, until unpin.`

async function importGiven(
  { config, database, takeLongLock, isAlone }: Context,
  options: Options,
): Promise<Result> {
  const {
    fast,
    strict,
    dryRun = false,
    as,
    report: reportPath,
    maxRefused,
    map,
    mapFile,
    json,
  } = options
  const kinds = KINDS.filter((kind) => options[kind] !== undefined)
  const columnMap = await readMaps({ map, mapFile }, kinds)
  const fill = readFill(options.fill, kinds)
  const paths: Paths = {}
  const sources: Partial<Record<KindName, Source>> = {}
  const sizes: Sizes = {}
  for (const kind of kinds) {
    paths[kind] = options[kind] ?? ''
    const { source, size } = await openSource(paths[kind])
    sources[kind] = { ...source, sheet: options.sheet }
    sizes[kind] = size
  }
  const report = reportPath === undefined ? undefined : await openReportAt(reportPath, paths)
  const signal = interruption()
  // A dry run's transaction would block the only session of an embedded database that serves.
  const needsCopy = dryRun && !config.databaseUrl && !isAlone
  const reporter = reportProgress(sizes)
  const isGentle = paceBeside(
    { database, isAlone },
    { isFast: fast, isDryRun: dryRun, isOnCopy: needsCopy, say: json ? () => {} : reporter.say },
  )
  let stopReporting = () => {
    stopReporting = () => {}
    reporter.stop()
  }
  const nameOf = (kind: KindName) => (paths[kind] === '-' ? 'stdin' : (paths[kind] ?? ''))
  const importInto = (into: Database) =>
    importFiles(into, sources, {
      ...reporter.listeners,
      onFinding(kind, finding) {
        reporter.listeners.onFinding(kind, finding)
        return report?.add(reportLine(nameOf(kind), finding))
      },
      onQuestion: (kind, question) => report?.add(questionLine(nameOf(kind), question)),
      columnMap,
      dateOrder: options.dateOrder,
      fill,
      who: who(as),
      isStrict: strict,
      isDryRun: dryRun,
      isGentle,
      signal,
      source: sourceOf(options, paths, takeLongLock, () => stopReporting()),
    })
  const ended = needsCopy
    ? onCopyOfDatabase(database, config.dataDir, importInto)
    : importInto(database)
  let reportFailure: string | undefined
  try {
    const summary = await ended.finally(async () => {
      stopReporting()
      reportFailure = await report?.close().then(undefined, reportFailed(reportPath ?? ''))
    })
    sayEmptyFiles(summary, tell)
    const failures = [tooManyRefused(summary, maxRefused), reportFailure].filter(Boolean)
    return resultOf(summary, tell, dryRun, failures.join('; ') || undefined)
  } catch (error) {
    if (reportFailure !== undefined) tell(`chainkin import: ${reportFailure}`)
    return stoppedResult(error, tell, dryRun)
  }
}

/** @throws Refusal where the file can't be written or is imported */
async function openReportAt(path: string, paths: Paths): Promise<Report> {
  const own = await realpath(path).catch(() => undefined)
  for (const kind of KINDS) {
    const source = paths[kind]
    const isFile = source !== undefined && source !== '-'
    if (own !== undefined && isFile && own === (await realpath(source))) {
      throw new Refusal(`--report ${path}: this is the file of --${kind}`)
    }
  }
  return openReport(path).catch(namingFile(path))
}

/** @throws Refusal naming a file that can't be opened. */
async function openSource(path: string): Promise<{ source: Source; size: number }> {
  if (path === '-') return { source: { stream: process.stdin }, size: 0 }
  const file = await open(path).catch(namingFile(path))
  const stat = await file.stat()
  if (stat.isDirectory()) throw new Refusal(`${path}: a directory`)
  const stream: Readable = file.createReadStream()
  return { source: { stream, format: formatOf(path) }, size: stat.size }
}

export interface SyncOptions {
  source?: string
  sync?: boolean
  confirmColumns?: boolean
  maxRemoved?: number
  yes?: boolean
}

const MOST_REMOVED_PERCENT = 10

export const withSyncOptions = (command: Command): Command =>
  command
    .option(
      '--source <name>',
      'what the files come from: their records are noted as its own',
      parseText,
    )
    .option('--sync', 'the files are all that the source has of these kinds: remove what they lack')
    .option(
      '--confirm-columns',
      'take columns that are missing or new since the source’s last file',
    )
    .option(
      '--max-removed <percent>',
      `remove nothing where more of the source's records than this are missing (default: ${MOST_REMOVED_PERCENT})`,
      parsePercent,
    )
    .option('--yes', 'remove however many are missing')

/** The contradiction between the options, if there is one. */
export function syncProblem({
  source,
  sync,
  confirmColumns,
  maxRemoved,
  yes,
}: SyncOptions): string | undefined {
  if (sync && source === undefined)
    return '--sync is about the records of a source: give --source too'
  if (confirmColumns && source === undefined)
    return '--confirm-columns is about the files of a source: give --source too'
  if (!sync && maxRemoved !== undefined) return '--max-removed goes with --sync'
  if (!sync && yes) return '--yes goes with --sync'
}

/**
 * The source of an import; undefined without `--source`.
 * @param takeLongLock keeps other runs of the source away
 * @param beforeAsking leaves the terminal to the question
 */
export function sourceOf(
  options: SyncOptions & { maxRefused: number; dryRun?: boolean; json?: boolean },
  paths: Partial<Record<KindName, string>>,
  takeLongLock: TakeLongLock,
  beforeAsking: () => void,
): SourceOptions | undefined {
  const { source: name, sync = false, maxRemoved = MOST_REMOVED_PERCENT, yes } = options
  if (name === undefined) return undefined
  const given = KINDS.filter((kind) => paths[kind] !== undefined)
  const isAsked =
    hasTerminal() && !options.dryRun && !options.json && given.every((kind) => paths[kind] !== '-')
  return {
    name,
    files: paths,
    isSync: sync,
    areColumnsConfirmed: options.confirmColumns,
    takeLongLock,
    mostRemoved: maxRemoved,
    mostRefused: options.maxRefused,
    confirm: yes ? async () => true : isAsked ? asking(beforeAsking) : undefined,
  }
}

const asking = (beforeAsking: () => void) => (what: string) => {
  beforeAsking()
  return isAgreed(`\n${what}. Remove them?`)
}

const WIDTH = 96
const INDENT = '      '

/** Text of `import --help --fields`: a paragraph for each field of the three files. */
export function fieldsText(): string {
  return KINDS.map((kind) => {
    const fields = Object.entries(FIELDS[kind]).map(([name, field]) => paragraph(name, field))
    return `\nFields of --${kind}:\n\n${fields.join('\n\n')}`
  }).join('\n')
}

function paragraph(name: string, { type, meaning, cleans, example, aliases, isPrivate }: Field) {
  const lines = [
    isPrivate ? `${meaning} Private: shown only to accounts that have unlocked it.` : meaning,
    `Read: ${cleans}`,
    `Example: ${example}`,
    `Other names: ${aliases.join(', ')}`,
  ]
  return [`  ${name} (${type})`, ...lines.map(indented)].join('\n').replaceAll('`', '')
}

function indented(line: string): string {
  const wrapped = new Help().boxWrap(line, WIDTH - INDENT.length)
  return wrapped.replace(/^/gm, INDENT)
}
