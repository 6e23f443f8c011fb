/** Windows that count attempts, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import type { ISql } from 'postgres'
import { countPasswordAttempt } from '../../../src/people/users/password-check.ts'
import { countWindows } from '../../../src/people/users/rate-limiter.ts'
import { sharedPeople } from './fixtures.ts'

const people = sharedPeople()

test('windows are counted in their order, up to the first that is over its limit; one without a limit stops nothing', async () => {
  const windows = [
    { subject: 'one', limit: null, seconds: 60 },
    { subject: 'two', limit: 2, seconds: 120 },
    { subject: 'three', limit: 9, seconds: 180 },
  ]
  const count = () => countWindows(people.database, windows)
  await count()
  await people.clock.advance(10)
  expect(await count()).toEqual([
    { count: 2, endsIn: 50 },
    { count: 2, endsIn: 110 },
    { count: 2, endsIn: 170 },
  ])
  expect(await count()).toEqual([
    { count: 3, endsIn: 50 },
    { count: 3, endsIn: 110 },
  ])
  await people.clock.advance(110)
  expect(await count()).toEqual([
    { count: 1, endsIn: 60 },
    { count: 1, endsIn: 120 },
    { count: 3, endsIn: 60 },
  ])
})

test('fifty at once are counted each, and a count is exact', async () => {
  const window = { subject: 'many', limit: 20, seconds: 60 }
  const counted = await Promise.all(
    Array.from({ length: 50 }, () => countWindows(people.database, [window])),
  )
  const within = counted.flat().filter(({ count }) => count <= window.limit)
  expect(within.map(({ count }) => count).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
})

test('attempts that are counted and taken back at once, of one account from one address, wait for none of each other', async () => {
  const by = { email: 'ada@example.com', address: '192.0.2.1', knownAs: undefined }
  const attempt = async () => {
    const counted = await countPasswordAttempt(people.database, by)
    if (counted.outcome === 'allowed') await counted.refund()
    return counted.outcome
  }
  for (let round = 0; round < 20; round++) {
    const outcomes = await Promise.all(Array.from({ length: 8 }, attempt))
    expect(outcomes).toEqual(Array(8).fill('allowed'))
  }
  const left =
    await people.sql`select count from turns where subject like 'password %' and count > 0`
  expect(left).toHaveLength(0)
})

test('take_turns, which the last release calls, says how long to wait', async () => {
  const take = async () => {
    const [row] = await people.sql`
      select take_turns('{a,b}'::text[], '{5,2}'::integer[], '{60,90}'::integer[]) as wait`
    return row?.wait
  }
  expect([await take(), await take(), await take(), await take()]).toEqual([0, 0, 90, 90])
})

test('a window that a clock which ran ahead began is begun anew once the clock is right', async () => {
  const window = { subject: 'ahead', limit: 1, seconds: 3_600 }
  const count = async () => (await countWindows(people.database, [window]))[0]
  const right = people.clock.now()
  await people.clock.advance(7_200)
  await count()
  expect(await count()).toEqual({ count: 2, endsIn: 3_600 })
  await people.clock.set(right)
  expect(await count()).toEqual({ count: 1, endsIn: 3_600 })
  expect(await count()).toEqual({ count: 2, endsIn: 3_600 })
})

test('whoever waited while another session began a window counts in it, although its clock is of before', async () => {
  const { clock, sql } = people
  const waits = async () => {
    const [row] = await sql`
      select exists (select from pg_stat_activity
                      where wait_event_type = 'Lock' and datname = current_database()) as waits`
    return row?.waits === true
  }
  const takes = (by: ISql) => by<{ count: number }[]>`
    select turn_count as count from count_turns('{waited}', '{9}', '{60}')`
  const rejects = (by: ISql) => by<{ count: number }[]>`
    select (meter_reject('waited', 60)->>'count')::integer as count`
  for (const work of [takes, rejects]) {
    const began = clock.now()
    let waiter: ReturnType<typeof work> | undefined
    await sql.begin(async (holder) => {
      await work(holder)
      await clock.set(began - 1)
      waiter = work(sql).execute()
      while (!(await waits())) await Bun.sleep(5)
      await clock.set(began)
    })
    expect(await waiter).toMatchObject([{ count: 2 }])
  }
})
