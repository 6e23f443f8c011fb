/** Exports and bulk searches: charged before they are handed out, once, and never beyond the balance. */
import { describe, expect, test } from 'bun:test'
import { ledgerPage } from '../../src/accounts/ledger.ts'
import {
  type BegunRun,
  beginRun,
  paidUnits,
  type Run,
  type RunOptions,
  runId,
} from '../../src/accounts/web-runs.ts'
import { WEB_OPERATIONS, type WebOperation } from '../../src/contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../src/contract/headers.ts'
import type { Meter } from '../../src/metering/meter.ts'
import { grant, newAccount, sharedBench } from '../metering/fixtures.ts'

const { csvExport, bulkSearch } = WEB_OPERATIONS

const bench = sharedBench()

/** A run of the account's, or the same one again with the same `once`. */
function runOf(accountId: string, operation: WebOperation, once: string = crypto.randomUUID()) {
  return { accountId, operation, id: runId(accountId, once, 'everything') }
}

async function begun(run: Run): Promise<BegunRun> {
  const it = await beginRun(bench.database, run)
  if (!it) throw new Error('the run was repeated too often')
  return it
}

/** Every unit that a run handed out, and how it ended. */
async function drain(run: Run, total: number, options?: RunOptions) {
  const units: number[] = []
  const paid = paidUnits(bench, await begun(run), total, (unit) => unit, options)
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

  test('D20a: the same one sent again, or five times at once, is charged once and hands out the same', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const run = runOf(id, csvExport)
    const all = await Promise.all(Array.from({ length: 5 }, () => drain(run, 35)))
    expect(all.map(({ units }) => units)).toEqual(all.map(() => upTo(35)))
    expect(await takenFor(id)).toBe(175)
    const again = await drain(run, 35)
    expect(again).toEqual({ units: upTo(35), end: { units: 35, charged: 0, stopped: null } })
    expect(await takenFor(id)).toBe(175)
  })

  test('D109: a run is repeated five times in the 24 hours from its first beginning, however many ask at once', async () => {
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

  test('D41: a unit is made before its charge, and once a batch is charged nothing is made', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
    const events: string[] = []
    const charge: Meter['charge'] = (call) => {
      events.push('charge')
      return bench.meter.charge(call)
    }
    const till = { database: bench.database, meter: { ...bench.meter, charge } }
    const units = paidUnits(till, await begun(runOf(id, csvExport)), 12, (unit) =>
      events.push(`${unit}`),
    )
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
