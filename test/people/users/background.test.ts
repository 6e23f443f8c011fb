/** What is done when a form has been answered: the answer doesn't wait, and nothing of it is lost. */
import { expect, test } from 'bun:test'
import { DatabaseUnavailable } from '../../../src/database/client.ts'
import { createLog } from '../../../src/log.ts'
import { TooBusy } from '../../../src/people/users/answers.ts'
import { createBackground } from '../../../src/people/users/background.ts'
import { expectRejection } from '../../helpers/rejection.ts'

const AN_HOUR = 3_600_000
const silent = createLog('silent')

test('work is taken at once, and stopping does all of it, one piece after the other', async () => {
  const background = createBackground(silent, AN_HOUR)
  const seen: string[] = []
  for (let piece = 0; piece < 10; piece++) {
    await background.begin(async () => {
      seen.push('begins')
      await new Promise((resolve) => setTimeout(resolve, 1))
      seen.push('ends')
    })
  }
  expect(seen).toEqual([])
  await background.stop()
  expect(seen).toEqual(Array.from({ length: 10 }, () => ['begins', 'ends']).flat())
})

test('work begins by itself after its delay', async () => {
  const background = createBackground(silent, 5)
  await new Promise<void>((done) => {
    void background.begin(async () => done())
  })
  await background.stop()
})

test('a thousand pieces wait; one more is turned away before its form is answered', async () => {
  const background = createBackground(silent, AN_HOUR)
  let done = 0
  const work = async () => {
    done++
  }
  for (let piece = 0; piece < 1_000; piece++) await background.begin(work)
  await expectRejection(background.begin(work), TooBusy)
  await background.stop()
  expect(done).toBe(1_000)
  await background.begin(work)
  await background.stop()
  expect(done).toBe(1_001)
})

test('work is tried again while the database can’t be reached; a fault is logged, without what it was about', async () => {
  const lines: string[] = []
  const background = createBackground(
    createLog('debug', (line) => lines.push(line)),
    AN_HOUR,
  )
  let tries = 0
  await background.begin(async () => {
    if (++tries === 1) throw new DatabaseUnavailable('a restart')
  })
  await background.begin(() => Promise.reject(new Error('ada@example.com is too much')))
  await background.stop()
  expect(tries).toBe(2)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('what a form asked for was not done')
  expect(lines[0]).not.toContain('ada@')
})
