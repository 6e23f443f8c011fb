/** A signal that arrives twice is one, however busy the process is when the second comes. */
import { expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PROJECT_ROOT, start } from '../helpers/command.ts'

/** Holds its thread after the first signal for longer than a second one counts as the same. */
const HELD = `
  import { nextSignal } from '${PROJECT_ROOT}/src/commands/process.ts'
  const signal = nextSignal()
  console.log('waiting')
  await signal
  console.log('held')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  await new Promise((resolve) => setTimeout(resolve, 20))
  process.exit(0)`

test('a second signal that comes while the first one’s stop holds the thread is the same one', async () => {
  const { child, output, finished } = start([], { program: [process.execPath, '-e', HELD] })
  const said = async (word: string) => {
    while (!output.stdout.includes(word) && child.exitCode === null) await pause(5)
  }
  await said('waiting')
  child.kill('SIGINT')
  await said('held')
  child.kill('SIGINT')
  const { code, stderr } = await finished
  expect([code, stderr]).toEqual([0, ''])
})
