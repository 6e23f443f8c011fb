/** `imports` and `sources`: files that are kept in the database until they are imported, as on the pages of `/operator/imports`, and where records came from. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { cancelImport, endUpload, runImport, undoImport } from '../../console/acts/imports.ts'
import { perform } from '../../console/acts/perform.ts'
import { onCopyOfDatabase } from '../../database/backup/base-backup.ts'
import type { Database } from '../../database/client.ts'
import { writePrivateFile } from '../../database/private-file.ts'
import { targetText } from '../../intake/import/column-meanings.ts'
import type { DateOrder } from '../../intake/import/fields/date-orders.ts'
import { correct, readFindings, reportOf } from '../../intake/import/jobs/findings.ts'
import { readColumns, setMapping } from '../../intake/import/jobs/mapping.ts'
import {
  appendChunk,
  createJob,
  expectRoom,
  listJobs,
  readJob,
} from '../../intake/import/jobs/store.ts'
import {
  CHUNK_BYTES,
  type ImportJob,
  type JobColumns,
  type JobFinding,
  JobRefused,
  type JobSettings,
} from '../../intake/import/jobs/types.ts'
import { askCheck, workOn } from '../../intake/import/jobs/work.ts'
import { type ListedSource, listSources, refusedText } from '../../intake/import/sources.ts'
import { KINDS, type KindName, placeOf } from '../../intake/import/summary.ts'
import {
  type Context,
  changingCommand,
  EXIT_INTERRUPTED,
  existing,
  interruption,
  listing,
  makingDatabase,
  namingFile,
  type Result,
  subcommand,
  typist,
  withDatabase,
} from './command.ts'
import {
  expectFiles,
  type MapOptions,
  pairOf,
  readMappings,
  withDateOrder,
  withFast,
  withFillOption,
  withMapOptions,
} from './import-options.ts'
import { paceBeside, reportProgress } from './import-progress.ts'
import { summaryText } from './import-result.ts'
import { parseCount, parseId, parseWhole } from './parsers.ts'

type Files = Partial<Record<KindName, string>>

interface Named {
  as?: string
}

interface MapGiven extends MapOptions {
  fill?: readonly string[]
  dateOrder?: DateOrder
}

export function registerImports(program: Command) {
  const imports = program
    .command('imports')
    .description('files to import, kept until they are imported: to map, check, correct and undo')
  const commands: JobCommands = {
    reading: (name, description) =>
      subcommand(imports, name, description).argument('<id>', 'the import', parseId),
    acting: (name, description) =>
      changingCommand(imports, name, description).argument('<id>', 'the import', parseId),
  }
  registerMapping(imports, commands)
  registerWork(commands)
}

/** Commands on one import job: `acting` ones take `--as` and are in the audit log. */
type JobCommands = Record<'reading' | 'acting', (name: string, description: string) => Command>

function registerMapping(imports: Command, { reading }: JobCommands) {
  imports
    .command('list', { isDefault: true })
    .description('all of them, the newest first')
    .option('--json', 'print one JSON object on stdout')
    .action(
      withDatabase(async ({ database }) =>
        listing('imports', await listJobs(database), 'none', jobText),
      ),
    )

  changingCommand(imports, 'add', 'keep files to import; nothing of them is imported yet')
    .option('--companies <file>', 'a file of companies, as import reads it')
    .option('--people <file>', 'a file of people')
    .option('--rounds <file>', 'a file of funding rounds')
    .hook('preAction', expectFiles)
    .action(makingDatabase(add))

  reading('show', 'how far one is, and the first rows that were refused or stored without a value')
    .option('--limit <n>', 'how many rows', parseCount, 50)
    .action(withDatabase(show))

  const mapping = reading('map', 'what its columns mean; with no option, what they mean now')
  for (const add of [withMapOptions, withFillOption, withDateOrder]) add(mapping)
  mapping.action(withDatabase(map))
}

function registerWork({ reading, acting }: JobCommands) {
  withFast(reading('check', 'what importing it would do; nothing is written')).action(
    withDatabase(checkJob),
  )

  reading('correct', 'what cells should say; field= clears one, a field alone takes it back')
    .argument('<row>', 'the number of the row', parseWhole(1))
    .argument('<field=value...>', 'fields of the row')
    .action(withDatabase(correctRow))

  withFast(acting('run', 'import it; one that stopped goes on safely'))
    .option('--asked', 'only what a page asked for, in its operator’s name')
    .action(withDatabase(runJob))

  reading('report', 'write every refused row and every value left out to a CSV file')
    .argument('<file>', 'the file to write')
    .action(
      withDatabase(async ({ database }, id: string, file: string) => {
        const job = await jobOf(database, id)
        await writePrivateFile(file, reportOf(database, job)).catch(namingFile(file))
        return { json: { id, file }, text: `written: ${file}` }
      }),
    )

  acting('undo', 'take back all that it changed').action(withDatabase(undoJob))
}

const jobOf = async (database: Database, id: string): Promise<ImportJob> =>
  existing(await readJob(database, id), 'import', id)

async function add({ database, config }: Context, { as, ...files }: Files & Named) {
  const by = typist(as)
  const jobs: ImportJob[] = []
  for (const kind of KINDS) {
    const path = files[kind]
    if (path === undefined) continue
    const id = await createJob(database, { kind, name: path, by })
    try {
      const bytes: Readable = createReadStream(path, { highWaterMark: CHUNK_BYTES })
      for await (const chunk of bytes) {
        await expectRoom(config)
        await appendChunk(database, id, chunk)
      }
      await endUpload(database, by, id)
    } catch (error) {
      await perform(database, by, cancelImport, id).catch(() => {})
      namingFile(path)(error)
    }
    jobs.push(await jobOf(database, id))
  }
  return listing('imports', jobs, '', jobText)
}

async function show({ database }: Context, id: string, { limit }: { limit: number }) {
  const job = await jobOf(database, id)
  const findings = await readFindings(database, job, { limit })
  const text = [jobText(job), ...findings.map(findingText)].join('\n')
  return { json: { ...job, findings }, text }
}

/** Sets the mapping anew, or shows it where no option is given. */
async function map({ database }: Context, id: string, { fill, dateOrder, ...maps }: MapGiven) {
  const job = await jobOf(database, id)
  const isAsking = !(maps.map || maps.mapFile || fill || dateOrder)
  const columns: JobColumns = isAsking
    ? await readColumns(database, job, job.settings)
    : await setMapping(database, job, {
        ...(await settingsOf(maps, fill, dateOrder)),
        sheet: job.settings.sheet,
      })
  return { json: { id, ...columns }, text: columnsText(columns) }
}

async function settingsOf(
  maps: MapOptions,
  fill: readonly string[] = [],
  dateOrder?: DateOrder,
): Promise<JobSettings> {
  const mappings = await readMappings(maps)
  return {
    map: Object.fromEntries(
      mappings.map(({ column, field, factor }) => [
        column,
        field === null ? null : targetText({ field, factor }),
      ]),
    ),
    fill: Object.fromEntries(fill.map(pairOf)),
    dateOrder,
  }
}

async function correctRow({ database }: Context, id: string, row: number, given: string[]) {
  const job = await jobOf(database, id)
  for (const one of given) {
    const end = one.indexOf('=')
    const field = end < 0 ? one : one.slice(0, end)
    await correct(database, job, { row, field, value: end < 0 ? null : one.slice(end + 1) })
  }
  const { corrections } = await jobOf(database, id)
  return { json: { id, corrections }, text: `${corrections} cells corrected; check it again` }
}

export interface WorkOptions {
  fast?: boolean
  /** Does the work that a page asked for, in the name of its operator. */
  asked?: boolean
  as?: string
  json?: boolean
}

export async function checkJob(context: Context, id: string, options: WorkOptions) {
  await askCheck(context.database, id)
  return worked(context, id, options)
}

export async function runJob(context: Context, id: string, options: WorkOptions) {
  const { database } = context
  const by = typist(options.as)
  if (!options.asked)
    existing(await perform(database, by, runImport, id, { checked: '' }), 'import', id)
  return worked(context, id, options)
}

export async function undoJob(context: Context, id: string, options: WorkOptions) {
  existing(await perform(context.database, typist(options.as), undoImport, id), 'import', id)
  return worked(context, id, options)
}

async function worked(
  { database, config, isAlone, takeLongLock }: Context,
  id: string,
  { fast, json }: WorkOptions,
): Promise<Result> {
  const signal = interruption()
  const before = await readJob(database, id)
  const isCheck = before?.state === 'checking'
  const kind = before?.kind ?? 'companies'
  const reporter = reportProgress({ [kind]: before?.bytes ?? 0 })
  const isGentle = paceBeside(
    { database, isAlone },
    {
      isFast: fast,
      isDryRun: isCheck,
      isOnCopy: isCheck && !config.databaseUrl,
      // An undo is one statement, without a pace.
      say: json || before?.state === 'undoing' ? () => {} : reporter.say,
    },
  )
  const job = await workOn(database, id, {
    takeLongLock,
    isGentle,
    signal,
    // A dry run's transaction would block the only session of an embedded database.
    onCopy: config.databaseUrl
      ? undefined
      : (work, until) => onCopyOfDatabase(database, config.dataDir, work, until),
    onProgress: (progress) => reporter.listeners.onProgress({ kind, ...progress }),
  }).finally(() => reporter.stop())
  if (!job) throw new JobRefused('nothing is asked for it, or another process does it')
  return ended(job, signal.aborted)
}

function ended(job: ImportJob, isInterrupted: boolean): Result {
  const { stopped, kind, state } = job
  const isCheck = state === 'checked' || stopped?.work === 'check'
  const summary = stopped?.work === 'undo' ? null : isCheck ? job.preview : job.result
  const counts = summary ? summaryText({ [kind]: { ...summary, refusals: [], warnings: [] } }) : ''
  if (state === 'undone') {
    return { json: { ...job }, text: `undone; take this back with: undo ${job.undone?.change}` }
  }
  if (!stopped) return { json: { ...job }, text: `${state}\n${counts}` }
  console.error(`chainkin imports: ${stopped.reason}`)
  const exitCode = isInterrupted ? EXIT_INTERRUPTED : 1
  return { json: { ...job, error: stopped.reason }, text: counts, exitCode }
}

const MB = 1_048_576

/** A job on one line. */
export function jobText({ id, kind, file, bytes, ...job }: ImportJob): string {
  const { state, stopped, progress, addedAt, addedBy, corrections, hasFile } = job
  const said = [
    stopped && `the ${stopped.work} stopped: ${stopped.reason}`,
    (state === 'checking' || state === 'importing') && progress && `${progress.rows} rows so far`,
    corrections > 0 && `${corrections} cells corrected`,
    !hasFile && state === 'waiting' && 'its file is gone',
  ].filter((part) => typeof part === 'string')
  const size = bytes < MB ? `${Math.ceil(bytes / 1_024)} KB` : `${(bytes / MB).toFixed(1)} MB`
  const head = `${id}  ${addedAt}  ${state}  ${kind}  ${file} (${size}, ${addedBy})`
  return [head, ...said].join('; ')
}

/** The columns of a file, a line each, and the problems with them. */
export function columnsText({ columns, missing, clashes }: JobColumns): string {
  const lines = columns.map(({ name, field, factor, likely, isLeftOut, values }) => {
    const target = field === null ? null : targetText({ field, factor })
    const meant = isLeftOut ? 'left out' : (target ?? (likely ? `nothing (${likely}?)` : 'nothing'))
    return `${name} = ${meant}  (${values.join(', ')})`
  })
  const clashing = clashes.map(
    ({ field, columns: [first, second] }) =>
      `"${first}" and "${second}" both mean ${field}: leave one out`,
  )
  return [...lines, ...clashing, ...missing.map((field) => `no column means ${field}`)].join('\n')
}

/** A refused row or an omitted value. */
export function findingText({
  row,
  line,
  field,
  reason,
  severity,
  label,
  value,
}: JobFinding): string {
  const place = placeOf({ row, line: line ?? undefined })
  const cell = field === null ? '' : `${field}${value === null ? '' : ` (${value})`}: `
  const name = label === null ? '' : ` ${label}:`
  return `${severity} ${place}:${name} ${cell}${reason}`
}

export function registerSources(program: Command) {
  subcommand(
    program,
    'sources',
    'the sources of imports: how many records each has, its last run',
  ).action(
    withDatabase(async ({ database }) =>
      listing('sources', await listSources(database), 'no sources', sourceText),
    ),
  )
}

function sourceText({
  source,
  refusedColumns,
  companies,
  people,
  rounds,
  lastRun,
}: ListedSource): string {
  const { at, endedAt, change, files, synced } = lastRun
  const state = endedAt === null ? 'not ended' : synced.length > 0 ? 'synced' : 'imported'
  const names = Object.entries(files).map(([kind, file]) => `${kind} ${file}`)
  return [
    `${source}: ${companies} companies, ${people} people, ${rounds} rounds`,
    `    last run ${at}  ${state}  change ${change}  ${names.join(', ')}`,
    ...(refusedColumns
      ? refusedText(refusedColumns).map((text) => `    refused for its columns  ${text}`)
      : []),
  ].join('\n')
}
