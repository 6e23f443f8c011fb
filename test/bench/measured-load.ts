/** A load with what each call took of the processors: of the server, of PostgreSQL and of the tool that asks. */
import { cpuSeconds } from './cpu.ts'
import { type LoadRequest, type LoadResult, loadServer } from './http-load.ts'

/** Processes whose CPU time is counted, with their descendants. */
export interface Processes {
  /** None where PostgreSQL is asked directly. */
  server?: number
  postgres: number
}

/** Microseconds of CPU for each call. NaN where the system has no /proc. */
export interface CallCost {
  serverUs: number
  postgresUs: number
  loadUs: number
}

export interface MeasuredLoad extends LoadResult, CallCost {}

export async function measureLoad(
  base: string,
  processes: Processes,
  requests: readonly LoadRequest[],
  connections: number,
  seconds: number,
): Promise<MeasuredLoad> {
  const costs = countCosts(processes)
  const load = await loadServer(base, requests, connections, seconds)
  return { ...load, ...costs(load.requests, load.cpuSeconds) }
}

/** Of one part of a warm-up. */
const WARM_SECONDS = 2

/**
 * Sends every request once or more, as far as `mostSeconds` allow: code is compiled then, and keys, plans and matches are
 * known, as they are in service.
 */
export async function warmUp(
  base: string,
  requests: readonly LoadRequest[],
  connections: number,
  mostSeconds: number,
): Promise<void> {
  let left = requests.length
  for (let seconds = 0; seconds < mostSeconds && left > 0; seconds += WARM_SECONDS) {
    // Where the last part ended the next one goes on.
    const rest = requests.slice(-left)
    left -= (await loadServer(base, rest, connections, WARM_SECONDS)).requests
  }
}

/**
 * Begins to count.
 * @returns what each of so many calls took since then; `loadSeconds` is the CPU time of whatever made them, this process
 *   unless it is given.
 */
export function countCosts({ server, postgres }: Processes) {
  const usedBy = (pid: number | undefined) => (pid === undefined ? 0 : cpuSeconds(pid))
  const before = { server: usedBy(server), postgres: usedBy(postgres), own: process.cpuUsage() }
  return (calls: number, loadSeconds = ownSeconds(before.own)): CallCost => ({
    serverUs: perCall(usedBy(server) - before.server, calls),
    postgresUs: perCall(usedBy(postgres) - before.postgres, calls),
    loadUs: perCall(loadSeconds, calls),
  })
}

function ownSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

/** Microseconds, rounded to a tenth. */
function perCall(seconds: number, calls: number): number {
  return Math.round((seconds / calls) * 1e7) / 10
}
