/** How much is done to the directory before calls get their turn. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { follow } from '../../../src/directory/records/follow.ts'
import { loadState, putAll, readTables } from '../../../src/directory/records/load.ts'
import { ALONE, inTurns, type Pace, paceFor, SERVING } from '../../../src/directory/records/pace.ts'
import { Store } from '../../../src/directory/records/store.ts'
import { silentLog } from '../../../src/log.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'

const PEOPLE = 25
const PART = 4

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.sql`
    insert into people (id, first_name, last_name)
    select gen_random_uuid(), 'Person ' || n, 'Example' from generate_series(1, ${PEOPLE}) as n`
})
afterAll(() => db.drop())

const titled = ({ people }: Store, jobTitle: string) =>
  people.list({ q: jobTitle, wanted: {}, order: null, page: 1, limit: PEOPLE }).total

/** A pace whose turns end with each part. `seen` has at each pause what `look` says. */
function noting<T>(look: () => T) {
  const seen: T[] = []
  const pace: Pace = {
    slice: 10,
    part: PART,
    turnMs: 0,
    pause: async () => {
      seen.push(look())
    },
  }
  return { pace, seen }
}

const steps = (counts: readonly number[]) =>
  counts.map((count, place) => count - (counts[place - 1] ?? 0))

test('calls get their turn after so many changed records at most, which lists and search show by then', async () => {
  let store: Store | undefined
  const { pace, seen } = noting(() => (store ? titled(store, 'captain') : 0))
  const state = await loadState(db.database, pace)
  store = state.store
  const database = { ...db.database, listen: async () => ({ stop: async () => {} }) }
  const follower = await follow(database, state, { log: silentLog, pace: () => pace, trims: false })
  seen.length = 0
  await db.sql`update people set job_title = 'Captain'`
  await follower.refresh()
  await follower.stop()
  expect(seen.at(-1)).toBe(PEOPLE)
  expect(Math.max(...steps(seen))).toBe(PART)
})

test('calls get their turn after so many records of a load at most', async () => {
  const store = new Store()
  const { pace, seen } = noting(() => store.people.size)
  for await (const _batch of putAll(db.database, store, readTables(db.database, pace.slice), pace));
  expect(seen.at(-1)).toBe(PEOPLE)
  expect(Math.max(...steps(seen))).toBe(PART)
})

test('a turn lasts as long as it may, and the work goes on after the pause', async () => {
  const done: string[] = []
  const pause = async () => {
    done.push('pause')
  }
  await inTurns(
    ['one', 'two', 'three'].values().map((name) => done.push(name)),
    { turnMs: 60_000, pause },
  )
  expect(done).toEqual(['one', 'two', 'three'])
  await inTurns(
    ['four', 'five'].values().map((name) => done.push(name)),
    { turnMs: 0, pause },
  )
  expect(done.slice(3)).toEqual(['four', 'pause', 'five', 'pause'])
})

test('few changes are taken in by shorter turns, with longer rests; many are not held up, and a start is not', () => {
  const few = paceFor(SERVING, 500)
  expect(few.turnMs).toBeLessThan(SERVING.turnMs)
  expect(few.slice).toBeLessThan(SERVING.slice)
  expect(few.part).toBeLessThan(SERVING.part)
  expect(few.pause).not.toBe(SERVING.pause)
  expect(paceFor(SERVING, 501)).toBe(SERVING)
  expect(paceFor(ALONE, 1)).toBe(ALONE)
})
