/** CPU time of processes that are running, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** /proc counts in hundredths of a second (`getconf CLK_TCK`, the same on every Linux of today). */
const TICKS_PER_SECOND = 100

/**
 * Seconds of CPU that a process and all its descendants have used, also those that ended and were waited for.
 * NaN where there is no /proc.
 */
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

interface Process {
  pid: number
  parent: number
  ticks: number
}

function readProcesses(): Process[] {
  const found: Process[] = []
  for (const name of processNames()) {
    const stat = read(`/proc/${name}/stat`)
    // The second field is the command in parentheses, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields.length < 15) continue
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
    found.push({
      pid: Number(name),
      parent: Number(fields[1]),
      ticks: (user ?? 0) + (system ?? 0) + (childUser ?? 0) + (childSystem ?? 0),
    })
  }
  return found
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** @returns '' where the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
