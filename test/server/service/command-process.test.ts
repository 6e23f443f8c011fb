/** Commands that a server runs in processes of their own. `backups.test.ts` has how one is stopped. */
import { expect, test } from 'bun:test'
import { runCommand } from '../../../src/server/service/command-process.ts'
import { rejection } from '../../helpers/rejection.ts'

const runs = (code: string) =>
  runCommand<{ args: string[] }>([process.execPath, '-e', code], ['look', 'twice']).result

test('it is asked for JSON, and what it prints is the result', async () => {
  const code = 'console.log(JSON.stringify({ args: process.argv.slice(-3) }))'
  expect(await runs(code)).toEqual({ args: ['look', 'twice', '--json'] })
})

test.each([
  [
    'what it prints as the error',
    'console.log(\'{"error":"no room"}\'); process.exit(1)',
    'no room',
  ],
  ['the last line of what it says', "console.error('a\\nno luck'); process.exit(1)", 'no luck'],
  ['how it exits', 'process.exit(3)', 'exit 3'],
  ['what ends it', "process.kill(process.pid, 'SIGKILL')", 'ended by SIGKILL'],
  ['that nothing came', ';', 'it printed nothing'],
])('the reason of one that fails is %s', async (_, code, reason) => {
  expect(await rejection(runs(code))).toMatchObject({ message: reason })
})

test('the reason of one that can\u2019t begin names the program', async () => {
  const { result } = runCommand(['/no/such/program'], ['look'])
  expect(await rejection(result)).toMatchObject({
    message: expect.stringContaining('/no/such/program'),
  })
})
