import { describe, expect, test } from 'bun:test'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { startTickingClock } from '../../helpers/clock.ts'
import { counted } from '../../helpers/counted.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { START, sharedBench } from './fixtures.ts'

const bench = sharedBench()

let last = 0
const newAddress = () => `192.0.2.${++last}`

async function rejectTimes(address: string, times: number) {
  for (let i = 0; i < times; i++) await bench.meter.reject(address)
}

test('twenty rejected keys a minute are answered 401, the next ones 429', async () => {
  const address = newAddress()
  for (let count = 1; count <= 20; count++) {
    expect(await bench.meter.reject(address)).toMatchObject({ over: false, remaining: 20 - count })
  }
  const over = await bench.meter.reject(address)
  expect(over).toMatchObject({ over: true, limit: 20, remaining: 0 })
  expect(over.resetMs).toBe(bench.clock.now() + 60_000)
})

test('the window starts at the first failure and ends after 60 s, however many follow', async () => {
  const address = newAddress()
  const { resetMs } = await bench.meter.reject(address)
  expect(resetMs).toBe(bench.clock.now() + 60_000)
  await bench.clock.advance(59.999)
  for (let i = 0; i < 20; i++) await bench.anotherMeter().reject(address)
  expect(await bench.anotherMeter().reject(address)).toMatchObject({ over: true, resetMs })
  await bench.clock.advance(0.001)
  expect(await bench.anotherMeter().reject(address)).toMatchObject({
    over: false,
    remaining: 19,
    resetMs: resetMs + 60_000,
  })
})

test('addresses are counted apart', async () => {
  const [one, other] = [newAddress(), newAddress()]
  await rejectTimes(one, 25)
  expect(await bench.meter.reject(other)).toMatchObject({ over: false, remaining: 19 })
})

test('instances share the count, to the last one', async () => {
  const address = newAddress()
  const meters = [bench.meter, bench.anotherMeter()]
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => meters[i % 2]!.reject(address)),
  )
  expect(answers.filter((answer) => !answer.over)).toHaveLength(20)
})

test('failures of several addresses that are counted together are each address’s own', async () => {
  const [high, low] = [`b${newAddress()}`, `a${newAddress()}`]
  await rejectTimes(high, 5)
  const remaining = async (address: string) => (await bench.meter.reject(address)).remaining
  const together = await Promise.all([high, low, high, low, low].map(remaining))
  expect(together).toEqual([14, 19, 13, 18, 17])
})

test('instances that count the same addresses in opposite orders never wait for each other without end', async () => {
  const addresses = Array.from({ length: 40 }, newAddress)
  const meters = [bench.anotherMeter(), bench.anotherMeter()]
  for (let round = 0; round < 10; round++) {
    const orders = [addresses, addresses.toReversed()]
    const counts = orders.map((order, at) => order.map((address) => meters[at]!.reject(address)))
    await Promise.all(counts.flat())
  }
  const last = await Promise.all(addresses.map((address) => bench.meter.reject(address)))
  expect(last.every(({ over }) => over)).toBe(true)
})

test('an instance that was told of an address over its limit does not ask again at once', async () => {
  const address = newAddress()
  const { used, database } = counted(bench.database)
  const meter = createMeter(database)
  for (let i = 0; i < 200; i++) await meter.reject(address)
  expect(used.times).toBe(21)
})

test('an address never seen stands at the full limit, a known one at what is left', async () => {
  const address = newAddress()
  expect(bench.meter.standing(address)).toMatchObject({ over: false, limit: 20, remaining: 20 })
  await rejectTimes(address, 3)
  expect(bench.meter.standing(address)).toMatchObject({ over: false, remaining: 17 })
  await rejectTimes(address, 18)
  expect(bench.meter.standing(address)).toMatchObject({ over: true, remaining: 0 })
})

describe('an address that was shut by a clock that ran ahead by two hours', () => {
  async function shut(address: string) {
    const right = bench.clock.now()
    await bench.clock.advance(7_200)
    await rejectTimes(address, 21)
    expect(await bench.meter.reject(address)).toMatchObject({ over: true })
    await bench.clock.set(right)
  }

  test('is open once the clock is right, with a whole window', async () => {
    const address = newAddress()
    await shut(address)
    expect(await bench.anotherMeter().reject(address)).toMatchObject({
      over: false,
      remaining: 19,
      resetMs: bench.clock.now() + 60_000,
    })
  })

  test('is asked for again by the instance that remembers it', async () => {
    const address = newAddress()
    await shut(address)
    let standing = await bench.meter.reject(address)
    // It remembers for a second.
    for (let asks = 0; standing.over; asks++) {
      expect(asks).toBeLessThan(40)
      await Bun.sleep(50)
      standing = await bench.meter.reject(address)
    }
    expect(standing).toMatchObject({ remaining: 19, resetMs: bench.clock.now() + 60_000 })
  })
})

test('failures of many addresses at once are counted in a few statements, each to the last one', async () => {
  const { used, database } = counted(bench.database)
  const meter = createMeter(database)
  const addresses = Array.from({ length: 100 }, newAddress)
  const answers = await Promise.all(
    [...addresses, ...addresses, ...addresses].map((address) => meter.reject(address)),
  )
  expect(used.times).toBeLessThanOrEqual(5)
  for (const [at, address] of addresses.entries()) {
    const own = answers.filter((_, index) => index % 100 === at)
    expect(own.map(({ remaining }) => remaining).sort()).toEqual([17, 18, 19])
    expect(await bench.anotherMeter().reject(address)).toMatchObject({ remaining: 16 })
  }
})

test('a window that another instance begins while a failure waits for the row counts that failure too', async () => {
  const { url, sql, drop } = await testDatabase()
  const other = postgres(url, { max: 1 })
  const count = async (by: Sql | TransactionSql) => {
    const [row] = await by<{ count: number }[]>`
      select (meter_reject('192.0.2.1', 60)->>'count')::integer as count`
    return row?.count
  }
  try {
    await startTickingClock(sql, START)
    await sql`insert into rejected_keys (address, started_at, count) values ('192.0.2.1', '2020-01-01Z', 9)`
    const [session] = await other<{ pid: number }[]>`select pg_backend_pid() as pid`
    const isWaiting = async () => {
      const [row] = await bench.sql`
        select from pg_stat_activity where pid = ${session?.pid ?? 0} and wait_event_type = 'Lock'`
      return row !== undefined
    }
    const { second } = await sql.begin(async (first) => {
      await first`select from rejected_keys for update`
      const second = count(other)
      while (!(await isWaiting())) await Bun.sleep(5)
      expect(await count(first)).toBe(1)
      return { second }
    })
    expect(await second).toBe(2)
  } finally {
    await other.end()
    await drop()
  }
})
