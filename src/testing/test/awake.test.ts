/** Assertions that wait inside themselves, as `expect(promise).rejects`, are not held up against the kit. */
import { expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PROJECT_ROOT } from '../../../test/helpers/command.ts'
import { TIMEOUT } from '../../../test/helpers/limit.ts'

test('what an assertion waits for is settled by the kit’s own timer, where there is no other', async () => {
  const { PATH, HOME } = process.env
  const args = ['test', TIMEOUT, './src/testing/test/waits-inside.ts']
  const env = { PATH, HOME, BUN_GC_TIMER_DISABLE: '1' }
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT_ROOT, env })
  expect(stderr).toContain('1 pass')
})
