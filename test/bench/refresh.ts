/**
 * `bun run bench:refresh [--people N] [--companies N] [--rate N] [--seconds S] [--out F]`
 *
 * What callers feel while the directory changes: a real server on a PostgreSQL that this starts,
 * asked a steady number of billed calls a second (the mix of `bench:http`) while nothing happens,
 * while 100,000 rows come in by the `import` command, half of them new and half changed, and while
 * `index build` has the server load everything anew. Then how long a committed change takes to show
 * in lists, search and single reads of two instances: at rest, during an import, and after 30
 * seconds without a database.
 *
 * PostgreSQL, the import and this bench share the machine's cores with the server. What that alone
 * costs shows the phase 'import elsewhere': the same import into a database that no server follows.
 *
 * A stall is the longest turn of the server's event loop, by three clocks (`server-probe.ts`). `stallMs` is
 * what a caller may have waited, by the clock on the wall. `heldMs` leaves out the time in which the
 * thread could have run and had no core: what is left is its own, or it waited for the garbage collector's threads.
 * `ownMs` is its own processor time alone, which hardly depends on what else the machine does.
 */
import { writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { inventCompanies } from '../../src/server/demo/companies.ts'
import { inventPeople } from '../../src/server/demo/people.ts'
import { run, temporaryDirectory } from '../helpers/command.ts'
import {
  benchDatabase,
  COMPANIES_SEED,
  createDatabase,
  makeAccounts,
  PEOPLE_SEED,
} from './bench-database.ts'
import type { LoadRequest } from './http-load.ts'
import { type ProbedServer, serveProbed } from './probed-server.ts'
import { makeMix } from './requests.ts'
import type { LongestTurn } from './server-probe.ts'
import { type SteadyFigures, startSteadyLoad } from './steady-load.ts'
import { timesToShow } from './visibility.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    rows: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '150' },
    seconds: { type: 'string', default: '20' },
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-refresh.json') },
  },
})
const PEOPLE = Number(options.people)
const COMPANIES = Number(options.companies)
const SECONDS = Number(options.seconds)
const ROWS = Number(options.rows)
const ACCOUNTS = 10_000
const WARM_UP_MS = 5_000
/** Committed one after the other where nothing else says when to end. */
const CHANGES = 20
const OUTAGE_MS = 30_000

const bench = await benchDatabase(PEOPLE, COMPANIES)
const folder = await temporaryDirectory()
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const mix = await makeMix(bench.sql, keys, ACCOUNTS)
  const [first, second] = [await importFile('Changed'), await importFile('Changed again')]
  const elsewhere = await createDatabase(bench.server, 'elsewhere')
  await prepareElsewhere(elsewhere)

  const one = await serveProbed({ DATABASE_URL: bench.url, LOG_LEVEL: 'info' })
  const start = { readyMs: Math.round(one.readyMs), rssMb: Math.round(one.rssMb()) }
  console.table({ start })
  const phases: Phase[] = []
  const during = async (name: string, work: () => Promise<unknown>) => {
    phases.push(await underLoad(name, one, mix, work))
    console.table(phases.slice(-1))
  }
  await underLoad('warm-up', one, mix, () => pause(WARM_UP_MS))
  await during('quiet', () => pause(SECONDS * 1_000))
  await during('import elsewhere', () => importInto(elsewhere, first))
  await during('import', () => importInto(bench.url, first))
  await during('full rebuild', () => rebuild(one))

  const two = await serveProbed({ DATABASE_URL: bench.url, LOG_LEVEL: 'error' })
  const watch = { sql: bench.sql, instances: [one.apiUrl, two.apiUrl], keys }
  const shown = [await timesToShow('at rest', watch, (done) => done < CHANGES)]
  let isImporting = true
  const imported = importInto(bench.url, second).finally(() => {
    isImporting = false
  })
  shown.push(await timesToShow('during an import', watch, () => isImporting))
  await imported
  await bench.server.crash()
  await pause(OUTAGE_MS)
  await bench.server.restart()
  shown.push(await timesToShow('after 30 s without a database', watch, (done) => done < 1))
  console.table(phases)
  console.table(shown)
  await writeFile(options.out, JSON.stringify({ options, start, phases, shown }, null, 2))
  console.log(`on ${availableParallelism()} cores; written to ${options.out}`)
  await Promise.all([one.stop(), two.stop()])
} finally {
  await bench.close()
  await folder.remove()
}

interface Phase extends SteadyFigures, LongestTurn {
  name: string
  seconds: number
  rssMb: number
  /** Of one core, by the server alone. */
  cpuShare: number
}

async function underLoad(
  name: string,
  server: ProbedServer,
  mix: readonly LoadRequest[],
  work: () => Promise<unknown>,
): Promise<Phase> {
  const at = Date.now()
  const load = startSteadyLoad(server.apiUrl, mix, Number(options.rate))
  await work()
  const seconds = (Date.now() - at) / 1_000
  const figures = { name, seconds, ...(await load.stop()), ...server.since(at) }
  return rounded(figures)
}

function rounded<F extends object>(figures: F): F {
  const round = (value: unknown) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, round(value)]),
  ) as F
}

/** People as JSON Lines: half of them known, with another title, half of them new. */
async function importFile(title: string): Promise<string> {
  const file = join(folder.path, `${title}.jsonl`)
  const half = Math.floor(ROWS / 2)
  const employers = [...inventCompanies(COMPANIES, COMPANIES_SEED)]
  const types = employers.map(({ companyType }) => companyType)
  let lines = ''
  let position = 0
  for (const row of inventPeople(PEOPLE + half, PEOPLE_SEED, types)) {
    const isKnown = position++ < PEOPLE
    if (isKnown && position > half) continue
    lines += `${JSON.stringify(isKnown ? { ...row, jobTitle: title } : row)}\n`
  }
  await writeFile(file, lines)
  return file
}

/** A database that nobody follows, with the companies that the file's people name. */
async function prepareElsewhere(url: string) {
  const database = connect({ url, connections: 2 })
  await migrate(database)
  await importRows(database, 'companies', inventCompanies(COMPANIES, COMPANIES_SEED))
  await database.close()
}

async function importInto(url: string, file: string) {
  const { code, stderr } = await run(['import', '--people', file], { env: { DATABASE_URL: url } })
  if (code !== 0) throw new Error(`import ended with ${code}: ${stderr}`)
}

async function rebuild(server: ProbedServer) {
  const { code, stderr } = await run(['index', 'build'], { env: { DATABASE_URL: bench.url } })
  if (code !== 0) throw new Error(`index build ended with ${code}: ${stderr}`)
  await server.said('directory rebuilt')
}
