import { describe, expect, test } from 'bun:test'
import { createMeter } from '../../src/metering/meter.ts'
import { counted } from '../helpers/counted.ts'
import { sharedBench } from './fixtures.ts'

const bench = sharedBench()

let last = 0
const newAddress = () => `192.0.2.${++last}`

async function rejectTimes(address: string, times: number) {
  for (let i = 0; i < times; i++) await bench.meter.reject(address)
}

test('D23: twenty rejected keys a minute are answered 401, the next ones 429', async () => {
  const address = newAddress()
  for (let count = 1; count <= 20; count++) {
    expect(await bench.meter.reject(address)).toMatchObject({ over: false, remaining: 20 - count })
  }
  const over = await bench.meter.reject(address)
  expect(over).toMatchObject({ over: true, limit: 20, remaining: 0 })
  expect(over.resetMs).toBe(bench.clock.now() + 60_000)
})

test('D23: the window starts at the first failure and ends after 60 s, however many follow', async () => {
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

test('D23: addresses are counted apart', async () => {
  const [one, other] = [newAddress(), newAddress()]
  await rejectTimes(one, 25)
  expect(await bench.meter.reject(other)).toMatchObject({ over: false, remaining: 19 })
})

test('D23: instances share the count, to the last one', async () => {
  const address = newAddress()
  const meters = [bench.meter, bench.anotherMeter()]
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => meters[i % 2]!.reject(address)),
  )
  expect(answers.filter((answer) => !answer.over)).toHaveLength(20)
})

test('an instance that was told of an address over its limit does not ask again at once', async () => {
  const address = newAddress()
  const { used, database } = counted(bench.database)
  const meter = createMeter(database)
  for (let i = 0; i < 200; i++) await meter.reject(address)
  expect(used.times).toBe(21)
})

test('D9: an address never seen stands at the full limit, a known one at what is left', async () => {
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
      ...{ over: false, remaining: 19, resetMs: bench.clock.now() + 60_000 },
    })
  })

  test('is asked for again by the instance that remembers it', async () => {
    const address = newAddress()
    await shut(address)
    let standing = await bench.meter.reject(address)
    while (standing.over) {
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
