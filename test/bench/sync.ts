/**
 * `bun run bench:sync [--people N] [--companies N] [--rate N] [--seconds S] [--out F]`
 *
 * A nightly sync beside callers: a real server on a PostgreSQL that this starts, asked a steady number of billed calls a second (the
 * mix of `bench:http`) while nothing happens, and while `import --source --sync` takes all people as the source's file has them, of
 * whom 1 % changed, some are new and some are gone. How long a committed change takes to show meanwhile. At last the quiet again.
 *
 * PostgreSQL, the import and this bench share the machine's cores with the server: see `bench:refresh` for what that alone costs.
 */
import { writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { inventCompanies } from '../../src/server/demo/companies.ts'
import { inventPeople } from '../../src/server/demo/people.ts'
import { run, temporaryDirectory } from '../helpers/command.ts'
import { benchDatabase, COMPANIES_SEED, makeAccounts, PEOPLE_SEED } from './bench-database.ts'
import { cpuSeconds } from './cpu.ts'
import type { LoadRequest } from './http-load.ts'
import { type ProbedServer, serveProbed } from './probed-server.ts'
import { makeMix } from './requests.ts'
import { startSteadyLoad } from './steady-load.ts'
import { timesToShow } from './visibility.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '110000' },
    companies: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '150' },
    seconds: { type: 'string', default: '20' },
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-sync.json') },
  },
})
const PEOPLE = Number(options.people)
const COMPANIES = Number(options.companies)
const ACCOUNTS = 10_000
const WARM_UP_MS = 5_000
/** Of a hundred rows: one is changed, of a thousand one is new and one is gone. */
const CHANGED_EVERY = 100
const GONE_EVERY = 1_000

const bench = await benchDatabase(PEOPLE, COMPANIES)
const folder = await temporaryDirectory()
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  await makeSourced()
  const { path: file, gone } = await nightlyFile()
  // Whoever the sync removes is asked for by nobody: that would be no failure.
  const mix = (await makeMix(bench.sql, keys, ACCOUNTS)).filter(
    ({ path }) => !gone.some((id) => path.includes(id)),
  )
  const server = await serveProbed({ DATABASE_URL: bench.url, LOG_LEVEL: 'info' })
  await underLoad('warm-up', server, mix, () => pause(WARM_UP_MS))
  const phases: Awaited<ReturnType<typeof underLoad>>[] = []
  const shown: unknown[] = []
  const watch = { sql: bench.sql, instances: [server.apiUrl], keys }
  async function phase<T>(name: string, work: () => Promise<T>): Promise<T> {
    let isOver = false
    const worked = Promise.withResolvers<T>()
    const figures = await underLoad(name, server, mix, async () => {
      const working = work().finally(() => {
        isOver = true
      })
      worked.resolve(working)
      shown.push(await timesToShow(name, watch, () => !isOver))
      await working
    })
    phases.push(figures)
    return worked.promise
  }
  const quiet = () => pause(Number(options.seconds) * 1_000)
  await phase('quiet', quiet)
  const summary = await phase('sync', () => sync(file))
  await phase('quiet again', quiet)
  console.table(phases)
  console.table(shown)
  console.log(JSON.stringify(summary))
  await writeFile(options.out, JSON.stringify({ options, phases, shown, summary }, null, 2))
  console.log(`on ${availableParallelism()} cores; written to ${options.out}`)
  await server.stop()
} finally {
  await bench.close()
  await folder.remove()
}

/** The people as if the source had brought them the night before. */
async function makeSourced() {
  const [last] = await bench.sql`
    insert into import_runs (source, at, ended_at, change, files, synced)
    values ('night', now(), now(), 0, '{}', '{person}') returning run`
  await bench.sql`
    insert into record_sources (record_id, source, kind, first_run, run)
    select id, 'night', 'person', ${last?.run}, ${last?.run} from people`
  await bench.sql`vacuum analyze record_sources`
}

/** All people as JSON Lines, a few changed, new and gone. */
async function nightlyFile(): Promise<{ path: string; gone: string[] }> {
  const path = join(folder.path, 'night.jsonl')
  const types = [...inventCompanies(COMPANIES, COMPANIES_SEED)].map(
    ({ companyType }) => companyType,
  )
  const gone: string[] = []
  let lines = ''
  let position = 0
  for (const row of inventPeople(PEOPLE + PEOPLE / GONE_EVERY, PEOPLE_SEED, types)) {
    position++
    if (position <= PEOPLE && position % GONE_EVERY === 1) {
      gone.push(row.id)
      continue
    }
    const isChanged = position % CHANGED_EVERY === 2
    lines += `${JSON.stringify(isChanged ? { ...row, jobTitle: 'Tonight' } : row)}\n`
  }
  await writeFile(path, lines)
  return { path, gone }
}

async function sync(file: string) {
  const args = ['import', '--source', 'night', '--sync', '--people', file, '--json']
  const ended = await run(args, { env: { DATABASE_URL: bench.url } })
  if (ended.code !== 0) throw new Error(`import ended with ${ended.code}: ${ended.stderr}`)
  return ended.json()
}

async function underLoad(
  name: string,
  server: ProbedServer,
  mix: readonly LoadRequest[],
  work: () => Promise<unknown>,
) {
  const at = Date.now()
  const before = processorTime(server)
  const load = startSteadyLoad(server.apiUrl, mix, Number(options.rate))
  await work()
  const seconds = (Date.now() - at) / 1_000
  const figures = await load.stop()
  const after = processorTime(server)
  const used = after.map((time, part) => Number((time - (before[part] ?? 0)).toFixed(2)))
  const [serverCpu, postgresCpu, loadCpu, importCpu] = used
  const { stallMs } = server.since(at)
  return { name, seconds, ...figures, stallMs, serverCpu, postgresCpu, loadCpu, importCpu }
}

/** Seconds so far: of the server, of PostgreSQL, of this process, and of the processes that it has run and that ended. */
function processorTime(server: ProbedServer): number[] {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1e6
  const serving = cpuSeconds(server.pid)
  return [serving, cpuSeconds(bench.server.pid), own, cpuSeconds(process.pid) - own - serving]
}
