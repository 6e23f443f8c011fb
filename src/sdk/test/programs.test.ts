/**
 * Programs in Bun, Deno and Node at once, through every fault: each call is charged once. `test/browser/sdk.test.ts` has
 * Chromium among them, and makes as many calls as SDK_CALLS says.
 */
import { expect, test } from 'bun:test'
import { expectChargedOnce, PROGRAMS } from './programs.ts'

test('calls of several programs at once, through each fault in turn, are charged once each', async () => {
  const programs = Object.values(PROGRAMS)
  expect(programs.length).toBeGreaterThanOrEqual(2)
  await expectChargedOnce(programs, { calls: 14, pace: 0.1 })
})
