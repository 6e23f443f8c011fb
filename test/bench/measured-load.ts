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
const PART_SECONDS = 2
/** A part that makes this many times the calls of the best part before it says that the server is still getting faster. */
const STILL_RISING = 1.05
/** So many parts in a row that don't rise end the warm-up. */
const SETTLED_PARTS = 2

/**
 * Sends the requests until every one was sent and the calls a second have stopped rising, or `mostSeconds` are over: code
 * is compiled then, and each worker knows keys, plans and matches, as they are in service. Each worker fills memory of its own, so
 * two take twice as long as one; a warm-up of equal length would measure that.
 */
export async function warmUp(
  base: string,
  requests: readonly LoadRequest[],
  connections: number,
  mostSeconds: number,
): Promise<void> {
  let sent = 0
  let best = 0
  let settled = 0
  for (let seconds = 0; seconds < mostSeconds; seconds += PART_SECONDS) {
    // Where the last part ended the next one goes on.
    const rest = requests.slice(sent % requests.length)
    const part = (await loadServer(base, rest, connections, PART_SECONDS)).requests
    sent += part
    settled = part > best * STILL_RISING ? 0 : settled + 1
    best = Math.max(best, part)
    if (sent >= requests.length && settled >= SETTLED_PARTS) return
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
