import { expect, test } from 'bun:test'
import { createLog } from '../src/log.ts'

/** Lines that a log of this level wrote, without times. */
function logOf(level: 'debug' | 'warn') {
  const lines: Record<string, unknown>[] = []
  const log = createLog(level, (line) => {
    const { time: _, ...rest } = JSON.parse(line)
    lines.push(rest)
  })
  return { log, lines }
}

test('what an outage does to a thousand requests is one line at once and then one a second, which counts them by reason', async () => {
  const { log, lines } = logOf('warn')
  const [full, lost] = ['the disk is full', 'the server closed the connection']
  for (let request = 0; request < 1_000; request++) {
    log.repeated('a call failed', request % 4 === 3 ? lost : full, { requestId: request })
  }
  log.repeated('a page failed', full)
  while (lines.length < 3) await Bun.sleep(10)
  log.repeated('a call failed', lost)
  while (lines.length < 4) await Bun.sleep(10)
  expect(lines).toEqual([
    { level: 'warn', message: 'a call failed', requestId: 0, reason: full },
    { level: 'warn', message: 'a page failed', reason: full },
    { level: 'warn', message: 'a call failed', count: 999, reasons: { [full]: 749, [lost]: 250 } },
    { level: 'warn', message: 'a call failed', count: 1, reasons: { [lost]: 1 } },
  ])
})

test('the level debug has each of them, with its fields', () => {
  const { log, lines } = logOf('debug')
  for (const requestId of [1, 2]) log.repeated('a call failed', 'the disk is full', { requestId })
  expect(lines.map(({ level, requestId }) => [level, requestId])).toEqual([
    ['warn', 1],
    ['debug', 2],
  ])
})
