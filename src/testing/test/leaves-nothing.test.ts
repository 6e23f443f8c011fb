/**
 * Stopped directories leave nothing behind. The same holds under Deno, where
 * KIT_DENO asks for it, as `.ci/long models` does: that half takes as long as all other files of the kit.
 */
import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DENO, PROJECT_ROOT, temporaryDirectory } from '../../../test/helpers/command.ts'
import { TIMEOUT } from '../../../test/helpers/limit.ts'
import { expectRejection } from '../../../test/helpers/rejection.ts'

const DENO_CONFIG = ['--config', join(PROJECT_ROOT, 'deno.json'), '--no-check']
const here = (file: string) => join(import.meta.dirname, file)

interface Ended {
  code: number | null
  stdout: string
  stderr: string
  /** Whether anything of its process group is still there. */
  leftProcesses: boolean
}

/** Runs it as the leader of a process group of its own. */
function run(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const { PATH, HOME, DENO_DIR, BUN_JSC_thresholdForOMGOptimizeAfterWarmUp } = process.env
  const child = spawn(command, args, {
    cwd,
    detached: true,
    env: {
      PATH,
      HOME,
      DENO_DIR,
      BUN_JSC_thresholdForOMGOptimizeAfterWarmUp,
      TMPDIR: cwd,
      NO_COLOR: '1',
    },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      let leftProcesses = true
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        leftProcesses = false
      }
      resolve({ code, ...output, leftProcesses })
    })
  })
}

/** Where Deno is not installed (`bun install --cwd test/tools`), its half is skipped. */
const RUNTIMES = [
  { name: 'Bun', isHere: true, command: process.execPath, run: [], test: ['test', TIMEOUT] },
  {
    name: 'Deno',
    isHere: process.env.KIT_DENO !== undefined && existsSync(DENO),
    command: DENO,
    run: ['run', '-A', ...DENO_CONFIG],
    test: ['test', '-A', ...DENO_CONFIG],
  },
]

describe.concurrent.each(RUNTIMES)('under $name', (runtime) => {
  test.skipIf(!runtime.isHere)(
    'a program and a suite at once leave no process, no port and no file, and nothing that keeps their processes',
    async () => {
      const { path, remove } = await temporaryDirectory()
      try {
        const [{ stdout, ...program }, suite] = await Promise.all([
          run(runtime.command, [...runtime.run, here('program.ts')], path),
          run(runtime.command, [...runtime.test, here('suite.test.ts')], path),
        ])
        expect(program).toEqual({ code: 0, stderr: '', leftProcesses: false })
        expect([suite.code, suite.leftProcesses]).toEqual([0, false])
        const { urls, kept } = JSON.parse(stdout)
        expect(kept).toEqual([])
        for (const url of urls) await expectRejection(fetch(url))
        expect(await readdir(path)).toEqual([])
      } finally {
        await remove()
      }
    },
  )
})
