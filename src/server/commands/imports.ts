/** `imports`: files to import as the pages of `/operator/imports` treat them: kept in the database, checked, corrected, imported, undone. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Command, InvalidArgumentError } from 'commander'
import { cancel, deleteJob, endUpload } from '../../console/acts/imports.ts'
import type { Database } from '../../database/client.ts'
import { writePrivateFile } from '../../database/private-file.ts'
import { targetText } from '../../intake/import/column-meanings.ts'
import { DATE_ORDERS, type DateOrder } from '../../intake/import/fields/date-orders.ts'
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
  type JobSettings,
} from '../../intake/import/jobs/types.ts'
import { KINDS, type KindName } from '../../intake/import/summary.ts'
import { type MapOptions, readMappings, withMapOptions } from './column-maps.ts'
import {
  type Context,
  listing,
  makingDatabase,
  namingFile,
  Refusal,
  subcommand,
  withDatabase,
} from './command.ts'
import { pairOf, withFillOption } from './fill-options.ts'
import { columnsText, findingText, jobText } from './imports-text.ts'
import { checkJob, runJob, undoJob, type WorkOptions } from './imports-work.ts'
import { parseChoice, parseId, parseKept } from './parsers.ts'
import { typist } from './performed.ts'
import { changingCommand } from './record.ts'

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
  /** On one job. */
  const reading = (name: string, description: string) =>
    subcommand(imports, name, description).argument('<id>', 'the import', parseId)
  const acting = (name: string, description: string) =>
    changingCommand(imports, name, description).argument('<id>', 'the import', parseId)

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
    .hook('preAction', (command) => {
      const given: Files = command.opts()
      if (!KINDS.some((kind) => given[kind] !== undefined))
        command.error('error: give at least one of --companies, --people, --rounds')
    })
    .action(makingDatabase(add))

  reading('show', 'how far one is, and the first rows that were refused or stored without a value')
    .option('--limit <n>', 'how many rows', parseKept, 50)
    .action(withDatabase(show))

  withFillOption(
    withMapOptions(reading('map', 'what its columns mean; with no option, what they mean now')),
  )
    .option(
      '--date-order <order>',
      `the order of dates like 3/5/24: ${DATE_ORDERS.join(', ')} (day, month, year)`,
      parseChoice(DATE_ORDERS),
    )
    .action(withDatabase(map))

  reading('check', 'what importing it would do; nothing is written')
    .option('--fast', 'at full speed, also while a service answers calls: they take longer then')
    .action(
      withDatabase((context, id: string, options: WorkOptions) => checkJob(context, id, options)),
    )

  reading('correct', 'what cells should say; field= clears one, a field alone takes it back')
    .argument('<row>', 'the number of the row', parseRow)
    .argument('<field=value...>', 'fields of the row')
    .action(withDatabase(correctRow))

  acting('run', 'import it; one that stopped goes on safely')
    .option('--fast', 'at full speed, also while a service answers calls: they take longer then')
    .option('--asked', 'only what a page asked for, in its operator’s name')
    .action(
      withDatabase((context, id: string, options: WorkOptions) => runJob(context, id, options)),
    )

  reading('report', 'write every refused row and every value left out to a CSV file')
    .argument('<file>', 'the file to write')
    .action(
      withDatabase(async ({ database }, id: string, file: string) => {
        const job = await jobOf(database, id)
        await writePrivateFile(file, reportOf(database, job)).catch(namingFile(file))
        return { json: { id, file }, text: `written: ${file}` }
      }),
    )

  acting('cancel', 'end its upload, check or import after the batch in hand').action(
    withDatabase(async ({ database }, id: string, { as }: Named) => {
      await cancel(database, typist(as), id)
      return { json: { id }, text: 'cancelled: it ends after the batch in hand' }
    }),
  )

  acting('undo', 'take back all that it changed').action(
    withDatabase((context, id: string, options: Named) => undoJob(context, id, options)),
  )

  acting('delete', 'forget it and its file; what it imported stays').action(
    withDatabase(async ({ database }, id: string, { as }: Named) => {
      await deleteJob(database, typist(as), id)
      return { json: { id }, text: 'deleted' }
    }),
  )
}

/** @throws Refusal where there is none. */
async function jobOf(database: Database, id: string): Promise<ImportJob> {
  const job = await readJob(database, id)
  if (!job) throw new Refusal(`there is no import ${id}`)
  return job
}

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
      await cancel(database, by, id).catch(() => {})
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

/** Replaces everything that was set before. */
async function map({ database }: Context, id: string, { fill, dateOrder, ...maps }: MapGiven) {
  const job = await jobOf(database, id)
  const isAsking = !(maps.map || maps.mapFile || fill || dateOrder)
  const found: JobColumns = isAsking
    ? await readColumns(database, job, job.settings)
    : await setMapping(database, job, await settingsOf(maps, fill, dateOrder))
  return { json: { id, ...found }, text: columnsText(found) }
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

function parseRow(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Expected the number of a row.')
  return Number(value)
}
