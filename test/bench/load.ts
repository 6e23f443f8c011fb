/** A closed-loop load by `wrk`, and what each call took of the processors. */
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '../helpers/command.ts'
import { median, rounded } from './figures.ts'

export interface LoadRequest {
  method: 'GET'
  path: string
  headers: Record<string, string>
}

/** Processes whose processor time is counted, with their descendants. */
export interface Processes {
  /** Undefined where PostgreSQL is called directly. */
  server?: number
  postgres: number
}

/** Microseconds of processor time for each call. NaN where the system has no /proc. */
export interface CallCost {
  serverUs: number
  postgresUs: number
  /** Of the tool that makes the calls. */
  loadUs: number
}

export interface LoadFigures extends CallCost {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

export interface LoadResult extends LoadFigures {
  /** Share of answers that were a 200, from 0 to 1. */
  share200: number
  requests: number
}

/** Requests are ready-made text, so that the tool takes as little of the machine as it can. */
const SCRIPT = `
local requests, next = {}, 0
function init()
  local host = wrk.headers['Host']
  for line in io.lines(os.getenv('BENCH_REQUESTS')) do
    local path, authorization = line:match('^(%S+)\\t(.*)$')
    requests[#requests + 1] = wrk.format('GET', path, { Host = host, Authorization = authorization })
  end
end
function request()
  next = next % #requests + 1
  return requests[next]
end
function done(summary, latency)
  io.write(string.format('RESULT %d %d %d %d %d\\n', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), summary.errors.status))
end`

/** Sends the requests in turn over so many connections. @throws where `wrk` is not installed */
export async function loadServer(
  base: string,
  processes: Processes,
  requests: readonly LoadRequest[],
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const directory = await temporaryDirectory()
  try {
    const [script, list] = [join(directory.path, 'load.lua'), join(directory.path, 'requests')]
    await writeFile(script, SCRIPT)
    const lines = requests.map(({ path, headers }) => `${path}\t${headers.authorization ?? ''}`)
    await writeFile(list, lines.join('\n'))
    const costs = countCosts(processes)
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script]
    const wrk = Bun.spawn(['wrk', ...options, base], {
      env: { ...process.env, BENCH_REQUESTS: list },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = await new Response(wrk.stdout).text()
    await wrk.exited
    const result = /RESULT (.*)/.exec(output)?.[1]
    if (!result) throw new Error(`wrk printed no result: ${output}`)
    const [count = 0, durationUs = 1, p50 = 0, p99 = 0, failed = 0] = result.split(' ').map(Number)
    return {
      perSecond: Math.round(count / (durationUs / 1e6)),
      p50Ms: p50 / 1_000,
      p99Ms: p99 / 1_000,
      share200: 1 - failed / count,
      requests: count,
      ...costs(count, Number(wrk.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e6),
    }
  } finally {
    await directory.remove()
  }
}

const PART_SECONDS = 2
/** A part with this many times the calls of the best one so far shows that the server is still getting faster. */
const STILL_RISING = 1.05
const SETTLED_PARTS = 2

/**
 * Sends the requests until every one was sent and the calls a second have stopped rising, or `mostSeconds` are over: code
 * is compiled then, and each worker knows keys, plans and matches.
 */
export async function warmUp(
  base: string,
  processes: Processes,
  requests: readonly LoadRequest[],
  connections: number,
  mostSeconds: number,
): Promise<void> {
  let sent = 0
  let best = 0
  let settled = 0
  for (let seconds = 0; seconds < mostSeconds; seconds += PART_SECONDS) {
    // Each part goes on where the last one ended.
    const rest = requests.slice(sent % requests.length)
    const load = await loadServer(base, processes, rest, connections, PART_SECONDS)
    sent += load.requests
    settled = load.requests > best * STILL_RISING ? 0 : settled + 1
    best = Math.max(best, load.requests)
    if (sent >= requests.length && settled >= SETTLED_PARTS) return
  }
}

/**
 * Starts to count processor time.
 * @returns a function that gives the cost of each of so many calls since then; `loadSeconds` is the processor time of the
 *   tool that made them, this process unless given
 */
export function countCosts({ server, postgres }: Processes) {
  const usedBy = (pid: number | undefined) => (pid === undefined ? 0 : cpuSeconds(pid))
  const before = { server: usedBy(server), postgres: usedBy(postgres), own: process.cpuUsage() }
  const perCall = (seconds: number, calls: number) => Math.round((seconds / calls) * 1e7) / 10
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

/** The median of each figure over all rounds. */
export function medians(rounds: readonly LoadFigures[]): LoadFigures {
  const of = (figure: keyof LoadFigures) => rounded(median(rounds.map((one) => one[figure])))
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    serverUs: of('serverUs'),
    postgresUs: of('postgresUs'),
    loadUs: of('loadUs'),
  }
}

/** /proc counts in hundredths of a second on every Linux of today. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time of a process and its descendants, ended ones included. NaN where the system has no /proc. */
export function cpuSeconds(pid: number): number {
  const processes = readProcesses()
  const childrenOf = Map.groupBy(processes, ({ parent }) => parent)
  let ticks = 0
  const open = processes.filter((one) => one.pid === pid)
  for (const one of open) {
    ticks += one.ticks
    open.push(...(childrenOf.get(one.pid) ?? []))
  }
  return open.length > 0 ? ticks / TICKS_PER_SECOND : Number.NaN
}

function readProcesses(): { pid: number; parent: number; ticks: number }[] {
  const pids =
    process.platform === 'linux' ? readdirSync('/proc').filter((it) => /^\d+$/.test(it)) : []
  return pids.flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`)
    // The second field is the command in parentheses, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields.length < 15) return []
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks }]
  })
}

/** @returns '' where the process has ended meanwhile */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
