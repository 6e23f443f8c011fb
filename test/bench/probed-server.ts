/** A real server in a process of its own, with what `server-probe.ts` writes about it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, type Server, serve, temporaryDirectory } from '../helpers/command.ts'
import type { LongestTurn, ProbeLine } from './server-probe.ts'

export interface ProbedServer extends Server {
  /** From the process's start to its ready line. */
  readyMs: number
  /** What was written from then (milliseconds since the epoch) until now. */
  since(at: number): LongestTurn & { rssMb: number; cpuShare: number }
  /** Resident now. */
  rssMb(): number
}

const PROBE = join(import.meta.dirname, 'server-probe.ts')

export async function serveProbed(env: Environment): Promise<ProbedServer> {
  const directory = await temporaryDirectory()
  const file = join(directory.path, 'probe')
  const startedAt = performance.now()
  const server = await serve({
    LOG_LEVEL: 'error',
    ...env,
    BENCH_PROBE_FILE: file,
    BUN_OPTIONS: `--preload ${PROBE}`,
  })
  const readyMs = performance.now() - startedAt
  const lines = (): ProbeLine[] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return {
    ...server,
    readyMs,
    since(at) {
      const seen = lines().filter((line) => line.at > at)
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
      return {
        stallMs: Math.max(...seen.map(({ stallMs }) => stallMs)),
        heldMs: Math.max(...seen.map(({ heldMs }) => heldMs)),
        ownMs: Math.max(...seen.map(({ ownMs }) => ownMs)),
        rssMb: Math.max(...seen.map(({ rssBytes }) => rssBytes)) / 2 ** 20,
        cpuShare: sum(seen.map(({ cpuMs }) => cpuMs)) / (Date.now() - at),
      }
    },
    rssMb: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)])) / 2 ** 10,
    async stop(signal) {
      const finished = await server.stop(signal)
      await directory.remove()
      return finished
    },
  }
}
