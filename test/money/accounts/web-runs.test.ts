/** Exports and bulk searches: charged before they are handed out, once, and never beyond the balance. */
import { describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { WEB_OPERATIONS, type WebOperation } from '../../../src/contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../../src/contract/headers.ts'
import { ledgerPage } from '../../../src/money/accounts/ledger.ts'
import {
  type BegunRun,
  beginRun,
  paidUnits,
  type RightEnd,
  type Run,
  type RunEnd,
  type RunOptions,
  runId,
} from '../../../src/money/accounts/web-runs.ts'
import type { Meter } from '../../../src/money/charge/meter.ts'
import { grant, newAccount, plainRead, sharedBench } from '../charge/fixtures.ts'

const { csvExport, bulkSearch } = WEB_OPERATIONS

const bench = sharedBench()

/** A run of the account's, or the same one again with the same `once`. */
function runOf(
  accountId: string,
  operation: WebOperation,
  once: string = crypto.randomUUID(),
  units = 1_000,
) {
  return { accountId, operation, id: runId(accountId, once, 'everything'), units }
}

async function begun(run: Run): Promise<BegunRun> {
  const it = await beginRun(bench.database, run)
  if (!it) throw new Error('the run was repeated too often')
  return it
}

/** A reader whose right does not end. */
const rightEnd = async () => null

/** Every unit that a run handed out, and how it ended. */
async function drain(run: Run, total: number, options: Partial<RunOptions> = {}) {
  const units: number[] = []
  const all = { rightEnd, ...options }
  const paid = paidUnits(bench, await begun(run), total, (unit) => unit, all)
  for (;;) {
    const { value, done } = await paid.next()
    if (done) return { units, end: value }
    units.push(value)
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, unit) => unit)

async function takenFor(accountId: string, request?: string): Promise<number> {
  const { entries } = await ledgerPage(bench.database, accountId, { request }, 1_000)
  return entries.reduce((sum, { kind, credits }) => (kind === 'charge' ? sum - credits : sum), 0)
}

describe('a run', () => {
  test.each([
    [0, 0],
    [1, 5],
    [100, 5],
    [101, 10],
    [350, 20],
    [2_001, 105],
  ])('%i rows of an export cost %i credits', async (rows, credits) => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const total = Math.ceil(rows / csvExport.rows)
    const run = runOf(id, csvExport)
    const { units, end } = await drain(run, total)
    expect(units).toEqual(upTo(total))
    expect(end).toEqual({ units: total, charged: credits, stopped: null })
    expect(await takenFor(id, run.id)).toBe(credits)
  })

  test('the ledger names the operation, the run and that it came from the web', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const run = runOf(id, bulkSearch)
    await drain(run, 50)
    const { entries } = await ledgerPage(bench.database, id, { endpoint: bulkSearch.path })
    expect(entries.map(({ credits, requestId, via }) => [credits, requestId, via])).toEqual([
      [-50, run.id, 'web'],
      [-100, run.id, 'web'],
      [-100, run.id, 'web'],
    ])
  })

  test('it stops where credits end: every unit handed out is paid, and none after', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 133 })
    const { units, end } = await drain(runOf(id, bulkSearch), 60)
    expect(units).toEqual(upTo(26))
    expect(end).toEqual({ units: 26, charged: 130, stopped: 'credits' })
  })

  test('without any credits nothing is handed out', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 4 })
    const { units, end } = await drain(runOf(id, bulkSearch), 60)
    expect([units, end]).toEqual([[], { units: 0, charged: 0, stopped: 'credits' }])
  })

  test('two at once on credits for one and a half: each unit is paid by one of them, and the balance ends at nothing', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 450 })
    const runs = [runOf(id, csvExport), runOf(id, csvExport)]
    const ends = await Promise.all(runs.map((run) => drain(run, 60)))
    const handedOut = ends.reduce((sum, { units }) => sum + units.length, 0)
    expect(handedOut).toBe(90)
    for (const [i, { end }] of ends.entries()) {
      expect(end.charged).toBe(end.units * csvExport.credits)
      expect(await takenFor(id, runs[i]!.id)).toBe(end.charged)
    }
    const [account] = await bench.sql`select balance::integer from accounts where id = ${id}`
    expect(account?.balance).toBe(0)
  })

  test('the same one sent again, or five times at once, is charged once and hands out the same', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    const all = await Promise.all(Array.from({ length: 5 }, () => drain(run, 35)))
    expect(all.map(({ units }) => units)).toEqual(all.map(() => upTo(35)))
    expect(await takenFor(id)).toBe(175)
    const again = await drain(run, 35)
    expect(again).toEqual({ units: upTo(35), end: { units: 35, charged: 0, stopped: null } })
    expect(await takenFor(id)).toBe(175)
  })

  test('a run is repeated five times in the 24 hours from its first beginning, however many ask at once', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    await drain(run, 3)
    const asked = await Promise.all(Array.from({ length: 20 }, () => beginRun(bench.database, run)))
    expect(asked.filter(Boolean)).toHaveLength(IDEMPOTENT_REPEATS)
    expect(await beginRun(bench.database, runOf(id, csvExport))).toBeDefined()
    await bench.clock.advance(86_399)
    expect(await beginRun(bench.database, run)).toBeUndefined()
    await bench.clock.advance(1)
    expect((await drain(run, 3)).end).toEqual({ units: 3, charged: 15, stopped: null })
    expect((await drain(run, 3)).end).toEqual({ units: 3, charged: 0, stopped: null })
    expect(await takenFor(id)).toBe(30)
  })

  test('a bulk search is shown fifty times more, because one comes back to it from each match', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const run = runOf(id, bulkSearch)
    const asked = await Promise.all(Array.from({ length: 60 }, () => beginRun(bench.database, run)))
    expect(asked.filter(Boolean)).toHaveLength(51)
  })

  test('it ends before a unit that is not worth its price any more, and hands out again what was paid for whatever it is worth', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const run = runOf(id, bulkSearch)
    const isWorth = (unit: unknown) => unit !== 23
    const first = await drain(run, 40, { isWorth })
    expect(first).toEqual({
      units: upTo(23),
      end: { units: 23, charged: 115, stopped: 'changed' },
    })
    expect(await drain(run, 40, { isWorth })).toEqual({
      units: upTo(23),
      end: { units: 23, charged: 0, stopped: 'changed' },
    })
    expect((await drain(run, 23, { isWorth: () => false })).end.stopped).toBeNull()
    expect((await drain(run, 40)).end).toEqual({ units: 40, charged: 85, stopped: null })
    expect(await takenFor(id)).toBe(200)
  })

  test('one that the credits ended goes on where it stopped once there are more', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 133 })
    const run = runOf(id, bulkSearch)
    await drain(run, 60)
    await grant(bench.sql, id, 'topup', 1_000)
    expect(await drain(run, 60)).toEqual({
      units: upTo(60),
      end: { units: 60, charged: 170, stopped: null },
    })
    expect(await takenFor(id)).toBe(300)
  })

  test('sent twice at once where credits end, both hand out all that was paid for', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 133 })
    const run = runOf(id, bulkSearch)
    const both = await Promise.all([drain(run, 60), drain(run, 60)])
    for (const { units } of both) expect(units).toEqual(upTo(26))
    expect(await takenFor(id)).toBe(130)
  })

  test('two at once that want another number of units begin at the same one, and each unit is paid once', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const run = runOf(id, bulkSearch, undefined, 20)
    const { promise: isBoth, resolve } = Promise.withResolvers<void>()
    let copies = 0
    // Neither is charged before both have read that nothing is paid for yet.
    const options = {
      async rightEnd() {
        if (++copies === 2) resolve()
        await isBoth
        return null
      },
    }
    const [few, all] = await Promise.all([drain(run, 6, options), drain(run, 20, options)])
    expect([few.units, all.units]).toEqual([upTo(6), upTo(20)])
    expect(await takenFor(id, run.id)).toBe(20 * bulkSearch.credits)
  })

  test('another account, another question or another form is another run', () => {
    const ids = [
      runId('a', 'once', 'question'),
      runId('b', 'once', 'question'),
      runId('a', 'twice', 'question'),
      runId('a', 'once', 'another'),
    ]
    expect(new Set(ids).size).toBe(4)
    expect(runId('a', 'once', 'question')).toBe(ids[0]!)
    expect(ids[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  test('what an API client writes into its own request id pays for no run', async () => {
    const { id, key } = await newAccount(bench.sql, { tier: 'pro', credits: 12 })
    const run = runOf(id, bulkSearch)
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
      select ${id}, meter_now(), 'charge', -5, balance - 5, ${run.id}, '/v1/people', ${key} from accounts where id = ${id}`
    await bench.sql`update accounts set balance = balance - 5 where id = ${id}`
    await bench.sql`update credit_grants set remaining = remaining - 5 where account_id = ${id}`
    expect((await drain(run, 10)).units).toEqual(upTo(1))
  })

  test('a reader who goes away is charged for no further batch', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const left = new AbortController()
    const { signal } = left
    const units = paidUnits(bench, await begun(runOf(id, csvExport)), 100, (unit) => unit, {
      rightEnd,
      signal,
    })
    for (const unit of upTo(10)) expect((await units.next()).value).toBe(unit)
    left.abort()
    expect(await units.next()).toEqual({
      done: true,
      value: { units: 10, charged: 50, stopped: 'left' },
    })
    expect(await takenFor(id)).toBe(50)
  })

  test('a unit is made before its charge, and once a batch is charged nothing is made', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const events: string[] = []
    const charge: Meter['charge'] = (call) => {
      events.push('charge')
      return bench.meter.charge(call)
    }
    const till = { database: bench.database, meter: { ...bench.meter, charge } }
    const make = (unit: number) => events.push(`${unit}`)
    const units = paidUnits(till, await begun(runOf(id, csvExport)), 12, make, { rightEnd })
    const made = (from: number, to: number) => upTo(12).slice(from, to).map(String)
    await units.next()
    expect(events).toEqual([...made(0, 10), 'charge'])
    for await (const _ of units) events.push('handed out')
    const handedOut = upTo(9).map(() => 'handed out')
    expect(events.slice(11)).toEqual([
      ...handedOut,
      ...made(10, 12),
      'charge',
      ...handedOut.slice(7),
    ])
  })

  test('over the rate it waits for the window to end, and goes on', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 20_000 })
    const waited: number[] = []
    const pause = async (seconds: number) => {
      waited.push(seconds)
      await bench.clock.advance(seconds)
      // What an instance remembers of a refusal lasts a second of real time at most.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    const { units, end } = await drain(runOf(id, bulkSearch), 2_500, { pause })
    expect(units).toEqual(upTo(2_500))
    expect(end).toEqual({ units: 2_500, charged: 12_500, stopped: null })
    expect(waited).toEqual([60])
  })
})

describe('copies of one run', () => {
  const copyOf = async (run: Run, total: number, meter = bench.meter) =>
    paidUnits({ ...bench, meter }, await begun(run), total, (unit) => unit, { rightEnd })

  /** Takes the next `count` units of a copy. */
  async function take(copy: AsyncGenerator<number, RunEnd>, count: number) {
    for (let taken = 0; taken < count; taken++) await copy.next()
  }

  test.each([
    ['an export', csvExport, 'starter', 10],
    ['a bulk search', bulkSearch, 'pro', 20],
  ] as const)(
    'a unit of %s is paid once where credits end within a batch, a copy is topped up, and the first one goes on',
    async (_, operation, tier, batch) => {
      const total = batch * 2
      const { id } = await newAccount(bench.sql, { tier, credits: batch * 5 + 30 })
      const run = runOf(id, operation)
      const first = await copyOf(run, total)
      await take(first, batch)
      // The copy has what was paid for, and six units more.
      expect((await drain(run, total)).end).toMatchObject({ units: batch + 6, stopped: 'credits' })
      await grant(bench.sql, id, 'topup', 1_000)
      const rest: number[] = []
      for await (const unit of first) rest.push(unit)
      expect(rest).toEqual(upTo(total).slice(batch))
      expect(await takenFor(id)).toBe(total * operation.credits)
    },
  )

  test('a batch that an instance of the last release charges at the same moment is paid once', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = await begun(runOf(id, csvExport, 'once', 15))
    const chargedByLast = async (from: number, units: number) => {
      const price = units * csvExport.credits
      const call = {
        ...plainRead({ id, key: id }, { endpoint: csvExport.path, request_id: run.id }),
        price,
        reveal_price: price,
        idempotency_key: hash('sha256', `run ${run.id} ${run.began} ${from} ${units}`),
        fingerprint: hash('sha256', csvExport.path),
      }
      return (await bench.meter.charge(call)).outcome
    }
    const copy = await copyOf(run, 15)
    await copy.next()
    expect(await chargedByLast(0, 10)).toBe('key_reused')
    expect(await chargedByLast(10, 5)).toBe('charged')
    expect((await last(copy)).value).toEqual({ units: 15, charged: 50, stopped: null })
    expect(await takenFor(id)).toBe(75)
  })

  test('a copy that waited for more than a day charges nothing', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    const first = await copyOf(run, 40)
    await take(first, 10)
    await drain(run, 40)
    await bench.clock.advance(86_400)
    const { value } = await last(first)
    expect(value).toEqual({ units: 10, charged: 50, stopped: 'expired' })
    expect(await takenFor(id)).toBe(200)
  })

  test('a run that began by a clock which ran ahead is handed out again for nothing once the clock is right', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    await bench.clock.advance(7_200)
    const first = await copyOf(run, 25)
    await take(first, 10)
    await bench.clock.advance(-7_200)
    expect((await last(first)).value).toEqual({ units: 25, charged: 125, stopped: null })
    await bench.clock.advance(60)
    expect((await drain(run, 25)).end).toEqual({ units: 25, charged: 0, stopped: null })
    expect(await takenFor(id)).toBe(125)
  })

  test('a unit is paid once where the clock is set back by a second after the run began', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 15 })
    const run = runOf(id, csvExport)
    const first = await copyOf(run, 30)
    await bench.clock.advance(-1)
    await take(first, 3)
    await grant(bench.sql, id, 'topup', 1_000)
    await bench.clock.advance(2)
    await take(first, 10)
    expect((await drain(run, 30)).units).toEqual(upTo(30))
    expect((await last(first)).value).toMatchObject({ units: 30, stopped: null })
    expect(await takenFor(id)).toBe(150)
  })

  test('a run that begins anew a day later is charged, also where the first one was charged late', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    const first = await copyOf(run, 10)
    await bench.clock.advance(3_600)
    await last(first)
    await bench.clock.advance(82_800)
    expect((await drain(run, 10)).end).toEqual({ units: 10, charged: 50, stopped: null })
    expect(await takenFor(id)).toBe(100)
  })

  test('what a run of the last release has paid for is handed out again for nothing', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    await drain(run, 15)
    await bench.sql`
      update idempotency_keys set fingerprint = ${csvExport.path}
       where account_id = ${id} and key = ${`run ${run.id}`}`
    expect((await drain(run, 25)).end).toEqual({ units: 25, charged: 50, stopped: null })
    expect(await takenFor(id)).toBe(125)
  })

  test.each(upTo(30))(
    'whatever copies, pauses, top-ups and limits: the price of the units handed out is charged, series %i',
    async (seed) => {
      const random = randomFrom(seed + 1)
      const under = (limit: number) => Math.floor(random() * limit)
      const operation = random() < 0.5 ? csvExport : bulkSearch
      const total = 1 + under(70)
      const { id } = await newAccount(bench.sql, { tier: 'pro', credits: under(total * 5) })
      const run = runOf(id, operation)
      const pause = async (seconds: number) => {
        await bench.clock.advance(seconds)
        for (const meter of meters) meter.forget()
      }
      const meters = [bench.meter, bench.anotherMeter()]
      const running = new Set<AsyncGenerator<number, RunEnd>>()
      let begins = 0
      const begin = async () => {
        const till = { ...bench, meter: meters[begins++ % 2] ?? bench.meter }
        running.add(paidUnits(till, await begun(run), total, (unit) => unit, { rightEnd, pause }))
      }
      await begin()
      const handedOut = new Set<number>()
      const step = async (copy: AsyncGenerator<number, RunEnd>) => {
        for (let left = 1 + under(25); left > 0; left--) {
          const { value, done } = await copy.next()
          if (done) {
            running.delete(copy)
            expect(['credits', null]).toContain(value.stopped)
            return
          }
          handedOut.add(value)
        }
      }
      while (running.size > 0) {
        const all = [...running]
        const chance = random()
        if (chance < 0.3 && begins <= IDEMPOTENT_REPEATS) await begin()
        else if (chance < 0.5) await grant(bench.sql, id, 'topup', 1 + under(60))
        else if (chance < 0.6) {
          await bench.sql`update accounts set rate_started_at = meter_now(), rate_count = 119 where id = ${id}`
        } else if (chance < 0.7) await Promise.all(all.map(step))
        else await step(all[under(all.length)]!)
        expect(await takenFor(id)).toBeLessThanOrEqual(total * operation.credits)
      }
      expect(await takenFor(id)).toBe(handedOut.size * operation.credits)
    },
  )
})

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The end of a run, whose units are let go. */
async function last(copy: AsyncGenerator<number, RunEnd>): Promise<IteratorReturnResult<RunEnd>> {
  for (;;) {
    const next = await copy.next()
    if (next.done) return next
  }
}

describe('a right that ends', () => {
  test.each(['access', 'plan', 'suspended'] as const)(
    '%s: nothing is charged or handed out after the batch in hand, of what was paid for before either',
    async (reason) => {
      const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
      const run = runOf(id, csvExport)
      let ended: RightEnd | null = null
      const units = paidUnits(bench, await begun(run), 30, (unit) => unit, {
        rightEnd: async () => ended,
      })
      for (const unit of upTo(10)) expect((await units.next()).value).toBe(unit)
      ended = reason
      expect(await units.next()).toEqual({
        done: true,
        value: { units: 10, charged: 50, stopped: reason },
      })
      expect(await takenFor(id)).toBe(50)
      const { end } = await drain(run, 30, { rightEnd: async () => reason })
      expect(end).toEqual({ units: 0, charged: 0, stopped: reason })
    },
  )

  test('it is asked for again after a wait for the rate', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    await bench.sql`update accounts set rate_started_at = meter_now(), rate_count = 120 where id = ${id}`
    let ended: RightEnd | null = null
    const pause = async (seconds: number) => {
      await bench.clock.advance(seconds)
      bench.meter.forget()
      ended = 'access'
    }
    const { end } = await drain(runOf(id, bulkSearch), 30, { rightEnd: async () => ended, pause })
    expect(end).toEqual({ units: 0, charged: 0, stopped: 'access' })
    expect(await takenFor(id)).toBe(0)
  })
})
