/**
 * Preloaded by `bun test` (bunfig.toml). It starts the run anew with the time limit of `limit.ts` and the environment of `QUICK`.
 * The whole suite, `bun test` by itself, runs in one process for each core, with a built command line.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { TIMEOUT } from './limit.ts'

/**
 * Postpones the optimizing compiler of WebAssembly, which took a fourth of the processor: a test's embedded database seldom runs
 * long enough to gain from it. The quick compiler before it stays on.
 */
const QUICK = { BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: '500000' }

/** The arguments of this process; `process.argv` lacks them in a test. */
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

/** Builds the command line into this folder. @returns the environment that names it; none where it could not be built */
function builtProgram(folder: string): { BUILT_PROGRAM?: string } {
  const BUILT_PROGRAM = join(folder, 'chainkin')
  const build = join(import.meta.dirname, 'built-program.ts')
  const { status } = spawnSync(process.execPath, [build, BUILT_PROGRAM], { stdio: 'inherit' })
  return status === 0 ? { BUILT_PROGRAM } : {}
}

const typed = args()
const isWorker = typed.includes('--test-worker')
const hasLimit = typed.some((arg) => arg.startsWith('--timeout'))
if (typed[0] === 'test' && !isWorker && !hasLimit) {
  const cores = availableParallelism()
  const isWhole = typed.length === 1
  // Modules stay loaded from file to file, as in one process.
  const parallel = cores > 1 ? [`--parallel=${cores}`, '--no-isolate'] : []
  const options = isWhole ? parallel : typed.slice(1)
  const folder = mkdtempSync(join(tmpdir(), 'chainkin-test-'))
  const { status } = spawnSync(process.execPath, ['test', TIMEOUT, ...options], {
    stdio: 'inherit',
    env: { ...QUICK, ...process.env, ...(isWhole && builtProgram(folder)) },
  })
  rmSync(folder, { recursive: true })
  process.exit(status ?? 1)
}
