/**
 * A directory of any size: `bun run bench:scale [--people 100000,1000000,5000000] [--requests 1000] [--from tables,snapshot]`
 *
 * For each size, from the tables and from a snapshot: the time from the process's start to its ready line and the processor time that
 * this took, what it holds of the machine's memory then and held at most, and what searches and lists take that nobody asked for
 * before, and the same asked again, one call at a time over HTTP, charge included: by the clock, and processor time of the thread
 * that answers. `src/SCALE.md` has the figures. 30,000 companies. With `BENCH_DATABASE_URL` each size is made once and stays; five
 * million people take 1.3 GB of disk, and the copy that is measured as much.
 */
import { existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { Chance } from '../../src/server/demo/random.ts'
import {
  type Environment,
  type Server,
  serve,
  start,
  temporaryDirectory,
} from '../helpers/command.ts'
import { benchDatabase, createDatabase, makeAccounts } from './bench-database.ts'
import { FIRST_PEOPLE, grow, noteFirstPeople } from './grown-directory.ts'
import { rounded } from './medians.ts'
import type { HeldMemory } from './memory-probe.ts'
import { requestKinds } from './requests.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000,1000000,5000000' },
    requests: { type: 'string', default: '1000' },
    from: { type: 'string', default: 'tables,snapshot' },
  },
})
const COMPANIES = 30_000
const ACCOUNTS = 2_000
const REQUESTS = Number(options.requests)
/** After the garbage of the load is gone. */
const REST_MS = 20_000
const LOOK_MS = 200
const PROBE = join(import.meta.dirname, 'memory-probe.ts')
/** Of processor time in `/proc`. */
const TICKS_PER_SECOND = 100

const folder = await temporaryDirectory()
const snapshot = join(folder.path, 'snapshot')
const memoryFile = join(folder.path, 'memory')
const bench = await benchDatabase(FIRST_PEOPLE, COMPANIES)
try {
  await noteFirstPeople(bench)
  const starts: object[] = []
  const calls: object[] = []
  let database = 'bench'
  for (const people of options.people.split(',').map(Number)) {
    database = await grow(bench, database, people)
    console.log(`${people} people are there`)
    const url = await createDatabase(bench.server, `measured_${people}`, database)
    const sql = postgres(url, { max: 4, onnotice: () => {} })
    const { keys } = await makeAccounts(sql, ACCOUNTS)
    const kinds = await requestKinds(sql)
    const asked = {
      search: kinds.search,
      misspelt: kinds.misspelt,
      list: kinds.anyPeopleList,
      beginning: kinds.beginning,
    }
    for (const from of options.from.split(',')) {
      if (from === 'snapshot') starts.push(say({ people, ...(await built(url)) }))
      const source = from === 'snapshot' ? { INDEX_SNAPSHOT: snapshot } : {}
      const { server, ...figures } = await started({ DATABASE_URL: url, ...source })
      starts.push(say({ people, what: `serve, from ${from}`, ...figures }))
      for (const [what, draw] of Object.entries(asked)) {
        const first = await timesOf(server, keys, draw)
        // The same calls: what was made for the first ones is kept as far as there is room.
        const again = await timesOf(server, keys, draw)
        calls.push(say({ people, from, what, asked: 'first', ...first }))
        calls.push(say({ people, from, what, asked: 'again', ...again }))
      }
      starts.push(say({ people, what: 'after the calls', ...heldMb(server) }))
      await server.stop('SIGINT')
    }
    await sql.end()
  }
  console.table(starts)
  console.table(calls)
} finally {
  await bench.close()
  await folder.remove()
}

function say<T extends object>(row: T): T {
  console.log(JSON.stringify(row))
  return row
}

/** `index build --out`, in a process of its own. */
async function built(url: string) {
  const startedMs = performance.now()
  const { child, finished } = start(['index', 'build', '--out', snapshot, '--json'], {
    env: { DATABASE_URL: url },
  })
  const pid = child.pid ?? 0
  let seen = { 'cpu s': 0, 'most MB': 0 }
  const look = setInterval(() => {
    // A process that has ended holds nothing.
    const most = statusMb(pid, 'VmHWM')
    if (most > 0) seen = { 'cpu s': rounded(cpuSecondsOf(pid)), 'most MB': most }
  }, LOOK_MS)
  const { code, stderr } = await finished
  clearInterval(look)
  if (code !== 0) throw new Error(`index build ended with ${code}: ${stderr}`)
  const { size } = await stat(snapshot)
  const seconds = rounded((performance.now() - startedMs) / 1_000)
  return { what: 'index build', 'ready s': seconds, ...seen, 'file MB': Math.round(size / 2 ** 20) }
}

async function started(environment: Environment) {
  const startedMs = performance.now()
  const server = await serve({
    LOG_LEVEL: 'warn',
    ...environment,
    BENCH_MEMORY_FILE: memoryFile,
    BUN_OPTIONS: `--preload ${PROBE}`,
  })
  const readySeconds = rounded((performance.now() - startedMs) / 1_000)
  const cpuSeconds = rounded(cpuSecondsOf(server.pid))
  const most = statusMb(server.pid, 'VmHWM')
  await pause(REST_MS)
  if (server.output.stderr) console.log(server.output.stderr.trimEnd())
  return {
    server,
    'ready s': readySeconds,
    'cpu s': cpuSeconds,
    'most MB': most,
    ...heldMb(server),
  }
}

/** What it holds now. */
function heldMb(server: Server) {
  const rest = { 'rest MB': statusMb(server.pid, 'VmRSS') }
  if (!existsSync(memoryFile)) return rest
  const { heapUsed, arrayBuffers }: HeldMemory = JSON.parse(readFileSync(memoryFile, 'utf8'))
  const mb = (bytes: number) => Math.round(bytes / 2 ** 20)
  return { ...rest, 'heap MB': mb(heapUsed), 'of it arrays MB': mb(arrayBuffers) }
}

type Draw = Awaited<ReturnType<typeof requestKinds>>['search']

async function timesOf({ apiUrl, pid }: Server, keys: readonly string[], draw: Draw) {
  const chance = new Chance(5)
  const took: number[] = []
  const worked: number[] = []
  for (let n = 0; n < REQUESTS; n++) {
    const key = chance.pick(keys)
    const path = draw(chance, key)
    const workedMs = threadMs(pid)
    const askedMs = performance.now()
    const response = await fetch(apiUrl + path, { headers: { authorization: `Bearer ${key}` } })
    await response.arrayBuffer()
    took.push(performance.now() - askedMs)
    worked.push(threadMs(pid) - workedMs)
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  }
  const at = (times: number[], share: number) =>
    rounded(times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN)
  return {
    'p50 ms': at(took, 0.5),
    'p99 ms': at(took, 0.99),
    'p50 cpu ms': at(worked, 0.5),
    'p99 cpu ms': at(worked, 0.99),
  }
}

/** @returns 0 where the process has ended. */
function statusMb(pid: number, field: string): number {
  const [, kb = ''] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(proc(pid, 'status')) ?? []
  return Math.round(Number(kb) / 1_024)
}

/** User and system, of all threads. */
function cpuSecondsOf(pid: number): number {
  const fields = proc(pid, 'stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Of the main thread, in milliseconds: `stat` counts in hundredths of a second. */
function threadMs(pid: number): number {
  return Number(proc(pid, 'schedstat').split(' ')[0]) / 1e6
}

/** @returns '' where the process has ended. */
function proc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
