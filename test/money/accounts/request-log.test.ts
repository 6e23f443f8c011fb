/** The log of requests is bounded, written in the background, and gone with its account. */
import { describe, expect, spyOn, test } from 'bun:test'
import { connect, type Database } from '../../../src/database/client.ts'
import { createLog } from '../../../src/log.ts'
import { createRequestLog, KEPT_CALLS } from '../../../src/money/accounts/request-log.ts'
import { requestsOf } from '../../../src/money/accounts/requests.ts'
import { clean } from '../../../src/money/charge/housekeeping.ts'
import { freePort } from '../../helpers/postgres.ts'
import { shared } from '../../helpers/shared.ts'
import { meterBench, newAccount } from '../charge/fixtures.ts'

const bench = shared(meterBench, ({ drop }) => drop())
const silent = createLog('silent')

const call = (number: number, status = 200) => ({
  status,
  tookMs: 1.25,
  credits: status === 200 ? 5 : 0,
  code: status === 200 ? null : 'not_found',
  requestId: `request-${number}`,
  method: 'GET',
  path: '/v1/people/{id}',
  parameters: ['include'],
})

/** A key of an account of the bench. */
async function newKey() {
  const { id, key } = await newAccount(bench.sql)
  return { id: key, accountId: id }
}

const sizeIn = async (table: 'request_chunks' | 'request_days', account: string) => {
  const [row] = await bench.sql`
    select coalesce(sum(charged + free + refused + failed), 0)::integer as calls
      from ${bench.sql(table)} where account_id = ${account}`
  return row?.calls
}

describe('the log of requests', () => {
  test('says of each call what was asked, how it ended and what it cost, newest first', async () => {
    const key = await newKey()
    const log = createRequestLog(bench.database, silent)
    log.note(key, call(1))
    log.note(key, { ...call(2, 404), credits: null, parameters: [] })
    await log.stop()
    const [second, first] = await requestsOf(bench.database, key.accountId)
    expect(first).toMatchObject({ ...call(1), tookMs: 1.3, key: { id: key.id } })
    expect(second).toMatchObject({ ...call(2, 404), tookMs: 1.3, credits: null, parameters: [] })
    expect(Date.parse(second?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.at ?? ''))
  })

  test('keeps the order of calls that ended within one millisecond, also where a chunk ends between them', async () => {
    const key = await newKey()
    const log = createRequestLog(bench.database, silent, { random: () => 1 })
    const fromMs = performance.now()
    const times = spyOn(performance, 'now')
    try {
      const at = (ms: number) => times.mockReturnValue(fromMs + ms)
      at(0)
      for (let number = 0; number < 19; number++) log.note(key, call(number))
      at(0.6)
      log.note(key, call(19))
      at(0.7)
      for (let number = 20; number < 40; number++) log.note(key, call(number))
      at(10.3)
      await log.stop()
    } finally {
      times.mockRestore()
    }
    const ids = (await requestsOf(bench.database, key.accountId)).map(({ requestId }) => requestId)
    expect(ids).toEqual(Array.from({ length: 40 }, (_, i) => `request-${39 - i}`))
  })

  test('dates a call by when it ended, however long its statement waits for a connection', async () => {
    const key = await newKey()
    let waitedMs = 0
    const busy: Database = {
      ...bench.database,
      async use(work, options) {
        const began = performance.now()
        while (performance.now() < began + 100) await Bun.sleep(10)
        waitedMs ||= performance.now() - began
        return bench.database.use(work, options)
      },
    }
    const log = createRequestLog(busy, silent, { random: () => 1 })
    log.note(key, call(1))
    await log.stop()
    const [entry] = await requestsOf(bench.database, key.accountId)
    // The clock stands still, so what a call waited is before it.
    expect(Date.parse(entry?.at ?? '')).toBeLessThanOrEqual(bench.clock.now() - waitedMs + 1)
  })

  test('keeps the latest 1,000 calls of an account and no other one’s fewer; the days count all', async () => {
    const [busy, quiet] = [await newKey(), await newKey()]
    // Prunes each account that a statement writes.
    const log = createRequestLog(bench.database, silent, { random: () => 0 })
    for (let number = 0; number < 3_000; number++) {
      log.note(busy, call(number, number % 3 === 0 ? 404 : 200))
      if (number % 1_000 === 0) log.note(quiet, call(number))
    }
    await log.stop()
    const kept = await requestsOf(bench.database, busy.accountId)
    expect(kept).toHaveLength(KEPT_CALLS)
    expect(kept.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: KEPT_CALLS }, (_, i) => `request-${2_999 - i}`),
    )
    expect(await requestsOf(bench.database, quiet.accountId)).toHaveLength(3)
    const stored = await sizeIn('request_chunks', busy.accountId)
    // What is left of the oldest chunk.
    expect(stored - KEPT_CALLS).toBeLessThan(20)
    expect(stored + (await sizeIn('request_days', busy.accountId))).toBe(3_000)
  })

  test('instances that prune one account at once count each of its calls once', async () => {
    const key = await newKey()
    const logs = Array.from({ length: 4 }, () =>
      createRequestLog(bench.database, silent, { random: () => 0 }),
    )
    for (let number = 0; number < 4_000; number++) logs[number % 4]?.note(key, call(number))
    await Promise.all(logs.map((log) => log.stop()))
    const stored = await sizeIn('request_chunks', key.accountId)
    expect(stored + (await sizeIn('request_days', key.accountId))).toBe(4_000)
    expect(stored).toBeGreaterThanOrEqual(KEPT_CALLS)
  })

  test('where too many calls wait the oldest are dropped, and counted', async () => {
    const key = await newKey()
    const log = createRequestLog(bench.database, silent, { maxWaiting: 100 })
    for (let number = 0; number < 150; number++) log.note(key, call(number))
    expect(log.dropped).toBeGreaterThanOrEqual(50)
    await log.stop()
    const kept = await requestsOf(bench.database, key.accountId)
    expect(kept.length).toBe(150 - log.dropped)
    expect(kept[0]?.requestId).toBe('request-149')
  })

  test('a database that is away loses no call: what waits is written when it is back', async () => {
    const key = await newKey()
    const nowhere = connect({
      url: `postgres://postgres@127.0.0.1:${await freePort()}/nothing`,
      connections: 1,
    })
    let database = nowhere
    const away = { ...nowhere, use: (...work) => database.use(...work) } as typeof nowhere
    const log = createRequestLog(away, silent)
    log.note(key, call(1))
    await log.write(key.accountId)
    expect([log.dropped, await requestsOf(bench.database, key.accountId)]).toEqual([0, []])
    database = bench.database
    await log.stop()
    expect(await requestsOf(bench.database, key.accountId)).toHaveLength(1)
    await nowhere.close()
  })

  test('goes with its account, and takes no call of an account that is gone', async () => {
    const key = await newKey()
    const log = createRequestLog(bench.database, silent)
    log.note(key, call(1))
    await log.write(key.accountId)
    await bench.sql`
      insert into request_days values (${key.accountId}, '2026-01-30', 1, 0, 0, 0)`
    log.note(key, call(2))
    await bench.sql`delete from accounts where id = ${key.accountId}`
    await log.stop()
    expect(await sizeIn('request_chunks', key.accountId)).toBe(0)
    expect(await sizeIn('request_days', key.accountId)).toBe(0)
  })

  test('days are kept for a fortnight', async () => {
    const { accountId } = await newKey()
    await bench.sql`
      insert into request_days values (${accountId}, '2026-01-15', 1, 0, 0, 0), (${accountId}, '2026-01-17', 2, 0, 0, 0)`
    await clean(bench.database)
    expect(await sizeIn('request_days', accountId)).toBe(2)
  })
})
