/**
 * Preloaded by `bun test` (bunfig.toml). Each test and hook gets the time of `limit.ts` unless it names more, and
 * `bun test` by itself, the whole suite, goes on as a run in several processes: one for each core. Both are options
 * of the command line, so the run goes on as another one that has them, and that has the environment of `QUICK`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { TIMEOUT } from './limit.ts'

/**
 * WebAssembly is compiled for the last time where it has run ten times as long as the runtime would wait for: a test's database
 * seldom runs so long, and of what a test computes a fourth was this compiling. The quick compiling before it is as ever.
 */
const QUICK = { BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: '500000' }

/** The arguments of this process, which `process.argv` doesn't hold in a test. */
function args(): string[] {
  try {
    return readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(1, -1)
  } catch {
    const line = execFileSync('ps', ['-o', 'args=', '-p', String(process.pid)], {
      encoding: 'utf8',
    })
    return line.trim().split(/\s+/).slice(1)
  }
}

const given = args()
const isWorker = given.includes('--test-worker')
const hasLimit = given.some((arg) => arg.startsWith('--timeout'))
if (given[0] === 'test' && !isWorker && !hasLimit) {
  const cores = availableParallelism()
  // Modules stay loaded from file to file, as in one process.
  const isParallel = given.length === 1 && cores > 1
  const more = isParallel ? [`--parallel=${cores}`, '--no-isolate'] : given.slice(1)
  const { status } = spawnSync(process.execPath, ['test', TIMEOUT, ...more], {
    stdio: 'inherit',
    env: { ...QUICK, ...process.env },
  })
  process.exit(status ?? 1)
}
