/**
 * `bun run bench:workers [--people N] [--companies N] [--seconds S] [--rounds N] [--share S]`
 *
 * The mix of `bench:http` on one worker and on two, in turns, on a PostgreSQL that this starts (or BENCH_DATABASE_URL),
 * with what a call takes of the processors and what each process takes of memory.
 *
 * Where PostgreSQL and the load share the cores with the workers, two workers can't show what they would do on cores of
 * their own. So each worker gets `--share` of a core (0.3), by a control group of Linux, and the others what is left: it
 * is as on a machine whose cores are slower for workers alone. That needs root and /sys/fs/cgroup/cpu; else it is left out.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Server, serve } from '../helpers/command.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import { measureLoad, warmUp } from './measured-load.ts'
import { type LoadFigures, medians, rounded } from './medians.ts'
import { makeMix } from './requests.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    share: { type: 'string', default: '0.3' },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const SHARE = Number(options.share)
const CONNECTIONS = 64
const REQUESTS = 10_000
/** At most, for each server. */
const WARM_SECONDS = 60
const GROUPS = '/sys/fs/cgroup/cpu'
/** A worker is stopped and goes on within this, so that a call waits for little of it. */
const PERIOD_US = 5_000

const bench = await benchDatabase(Number(options.people), Number(options.companies))
try {
  const { keys } = await makeAccounts(bench.sql, REQUESTS)
  const mix = await makeMix(bench.sql, keys, REQUESTS)
  const env = { DATABASE_URL: bench.url, LOG_LEVEL: 'error' }
  const servers = [await serve(env), await serve(env, ['--workers', '2'])]
  for (const { apiUrl } of servers) await warmUp(apiUrl, mix, CONNECTIONS, WARM_SECONDS)
  console.table(servers.flatMap((server, index) => memoryOf(`${index + 1} asked for`, server)))

  const inTurns = async () => {
    const rows: LoadFigures[][] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, { apiUrl, pid }] of servers.entries()) {
        const processes = { server: pid, postgres: bench.server.pid }
        rows[index]?.push(await measureLoad(apiUrl, processes, mix, CONNECTIONS, SECONDS))
      }
    }
    return rows.map(medians)
  }
  show('all share all cores', await inTurns())
  const free = limitWorkers(servers)
  if (free) {
    show(`each worker has ${SHARE} of a core`, await inTurns())
    free()
  } else console.log(`skipped: ${GROUPS} can't be written, so workers can't be given a share`)
  await Promise.all(servers.map((server) => server.stop()))
} finally {
  await bench.close()
}

function show(how: string, [one, two]: readonly LoadFigures[]) {
  console.log(how)
  console.table({ '1 worker': one, '2 workers': two })
  if (!one || !two) return
  console.log(`2 workers over 1: ${rounded(two.perSecond / one.perSecond)} times`)
  // A worker is one thread: on a core of its own it answers as many calls as the core has microseconds for.
  const own = (2 * one.serverUs) / two.serverUs
  console.log(`on cores of their own, by what a call takes of them: ${rounded(own)} times`)
}

/** The processes of a service that serve. */
function workersOf({ pid }: Server): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const workers = children.split(' ').filter(Boolean).map(Number)
  return workers.length > 0 ? workers : [pid]
}

/** Proportional set size: what a process has alone, and its part of what it shares. */
function memoryOf(what: string, server: Server) {
  return [...new Set([server.pid, ...workersOf(server)])].map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const mb = (name: string) =>
      Math.round(Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(rollup)?.[1]) / 1024)
    const isSupervisor = pid === server.pid && workersOf(server)[0] !== pid
    const role = isSupervisor ? 'supervisor' : 'worker'
    return { workers: what, role, pssMb: mb('Pss'), rssMb: mb('Rss') }
  })
}

/** Gives each worker its share. @returns what takes the limits away; undefined where there are none. */
function limitWorkers(all: readonly Server[]): (() => void) | undefined {
  const pids = all.flatMap(workersOf)
  try {
    for (const pid of pids) {
      const group = `${GROUPS}/chainkin-bench-${pid}`
      mkdirSync(group)
      writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US))
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(PERIOD_US * SHARE))
      writeFileSync(`${group}/cgroup.procs`, String(pid))
    }
  } catch {
    return undefined
  }
  return () => {
    for (const pid of pids) {
      writeFileSync(`${GROUPS}/cgroup.procs`, String(pid))
      rmdirSync(`${GROUPS}/chainkin-bench-${pid}`)
    }
  }
}
