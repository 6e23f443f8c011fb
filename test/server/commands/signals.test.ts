/** A signal that arrives twice is one, however busy the process is when the second comes. */
import { expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PROJECT_ROOT, start } from '../../helpers/command.ts'

/** Takes most of the time in which a second signal counts as the first. */
const SLOW = 'await new Promise((resolve) => setTimeout(resolve, 800))'
/** Takes longer, and hears nothing meanwhile. */
const HELD = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)'

const stopping = (work: string) => `
  import { nextSignal } from '${PROJECT_ROOT}/src/server/commands/process.ts'
  const signal = nextSignal()
  console.log('waiting')
  await signal
  console.log('stopping')
  ${work}
  await new Promise((resolve) => setTimeout(resolve, 20))
  process.exit(0)`

test.each([
  ['takes its time', SLOW],
  ['holds the thread', HELD],
])('a second signal while the stop after the first %s is the same one', async (_, work) => {
  const program = [process.execPath, '-e', stopping(work)] as const
  const { child, output, finished } = start([], { program })
  const said = async (word: string) => {
    while (!output.stdout.includes(word) && child.exitCode === null) await pause(5)
  }
  await said('waiting')
  child.kill('SIGINT')
  await said('stopping')
  await pause(200)
  child.kill('SIGINT')
  const { code, stderr } = await finished
  expect([code, stderr]).toEqual([0, ''])
})
