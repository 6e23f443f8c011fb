/**
 * Preloaded by `bun test` (bunfig.toml). `bun test` by itself, the whole suite, goes on as a run in
 * several processes: one for each core. With any argument it stays the one process that it is.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

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

const cores = availableParallelism()
if (cores > 1 && args().join(' ') === 'test') {
  // Modules stay loaded from file to file, as in one process.
  const parallel = ['test', `--parallel=${cores}`, '--no-isolate']
  const { status } = spawnSync(process.execPath, parallel, { stdio: 'inherit' })
  process.exit(status ?? 1)
}
