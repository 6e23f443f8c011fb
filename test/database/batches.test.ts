/** Requests that arrive together are answered by one statement, and those of strangers fill no queue. */
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Batches } from '../../src/database/batches.ts'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { rejection } from '../helpers/rejection.ts'

/** Batches whose statements end when the test says so. */
function held(
  options: { everyMs?: number; maxInFlight?: number; maxBatch?: number; maxWaiting?: number } = {},
) {
  const sent: { batch: readonly number[]; end: () => void; fail: (error: Error) => void }[] = []
  const batches = new Batches<number, string>({
    run: (batch) =>
      new Promise((resolve, reject) => {
        sent.push({ batch, end: () => resolve(batch.map((it) => `${it}`)), fail: reject })
      }),
    ...options,
  })
  return { batches, sent }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

test('requests that arrive together go in one statement, each with its own answer', async () => {
  const { batches, sent } = held()
  const answers = Promise.all(upTo(300).map((it) => batches.submit(it)))
  await turn()
  await turn()
  expect(sent.map(({ batch }) => batch.length)).toEqual([300])
  sent[0]?.end()
  expect(await answers).toEqual(upTo(300).map(String))
})

test('while as many statements are in flight as may be, all that arrive wait for one', async () => {
  const { batches, sent } = held({ maxInFlight: 1, maxBatch: 150 })
  const first = batches.submit(-1)
  await turn()
  const others = Promise.all(upTo(200).map((it) => batches.submit(it)))
  await turn()
  expect(sent).toHaveLength(1)
  for (const { at, size } of [
    { at: 0, size: 1 },
    { at: 1, size: 150 },
    { at: 2, size: 50 },
  ]) {
    expect(sent[at]?.batch).toHaveLength(size)
    sent[at]?.end()
    await turn()
    await turn()
  }
  expect([await first, (await others).length]).toEqual(['-1', 200])
})

test('a statement begins no sooner after the last one than it may', async () => {
  const { batches, sent } = held({ everyMs: 3_600_000 })
  const first = batches.submit(1)
  await turn()
  sent[0]?.end()
  expect(await first).toBe('1')
  void batches.submit(2)
  for (let passed = 0; passed < 10; passed++) await turn()
  expect(sent).toHaveLength(1)
})

test('one more than may wait is refused at once', async () => {
  const { batches, sent } = held({ maxInFlight: 1, maxWaiting: 2 })
  const taken = [batches.submit(1), batches.submit(2)]
  expect(batches.isFull).toBe(true)
  expect(await rejection(batches.submit(3))).toBeInstanceOf(DatabaseUnavailable)
  await turn()
  expect(batches.isFull).toBe(false)
  sent[0]?.end()
  expect(await Promise.all(taken)).toEqual(['1', '2'])
})

test('where the database is away, whoever waits hears so as well, and the next one is tried', async () => {
  const { batches, sent } = held({ maxInFlight: 1 })
  const first = rejection(batches.submit(1))
  await turn()
  const second = rejection(batches.submit(2))
  sent[0]?.fail(new DatabaseUnavailable('gone'))
  expect([await first, await second]).toEqual([
    expect.any(DatabaseUnavailable),
    expect.any(DatabaseUnavailable),
  ])
  const third = batches.submit(3)
  await turn()
  await turn()
  sent[1]?.end()
  expect(await third).toBe('3')
})
