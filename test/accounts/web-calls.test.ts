/** Reads, reveals, exports and bulk searches of people who are signed in: the same meter, the same prices. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ledgerPage } from '../../src/accounts/ledger.ts'
import { chargeLines, exportCredits, exportRows, webCall } from '../../src/accounts/web-calls.ts'
import { ENDPOINTS, WEB_OPERATIONS } from '../../src/metering/prices.ts'
import {
  type Bench,
  expectBooksToBalance,
  meterBench,
  newAccount,
  newContact,
} from '../metering/fixtures.ts'

let bench: Bench
beforeAll(async () => {
  bench = await meterBench()
})
afterAll(async () => {
  await expectBooksToBalance(bench.sql)
  await bench.drop()
})

const readingOf = (person: string, reveal = false) => ({
  found: true,
  person,
  reveal,
  contacts: [person],
  channels: true,
})
let last = 0
const request = () => ({ requestId: `web-${++last}` })

describe('reads and reveals', () => {
  test('D18: a first reveal costs 10 and shows the channels, a later read 5', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const person = await newContact(bench.sql)
    const locked = await webCall(bench.meter, id, ENDPOINTS.person, readingOf(person), request())
    expect(locked).toEqual({ outcome: 'charged', charged: 5, balance: 95, unlocked: [] })
    const revealed = await webCall(
      bench.meter,
      id,
      ENDPOINTS.person,
      readingOf(person, true),
      request(),
    )
    expect(revealed).toMatchObject({
      outcome: 'charged',
      charged: 10,
      balance: 85,
      unlocked: [{ id: person, email: 'grace@example.com' }],
    })
    const again = await webCall(bench.meter, id, ENDPOINTS.person, readingOf(person), request())
    expect(again).toMatchObject({ charged: 5, balance: 80, unlocked: [{ telegram: '@grace' }] })
  })

  test('the ledger shows the endpoint, the request and that it came from the web', async () => {
    const { id } = await newAccount(bench.sql, { credits: 100 })
    await webCall(bench.meter, id, ENDPOINTS.person, readingOf(await newContact(bench.sql)), {
      requestId: 'of-a-page',
    })
    const { entries } = await ledgerPage(bench.database, id)
    expect(entries[0]).toMatchObject({
      via: 'web',
      endpoint: '/v1/people/{id}',
      requestId: 'of-a-page',
      credits: -5,
    })
  })

  test('D20a: a form that is sent twice is charged once', async () => {
    const { id } = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql)
    const press = () =>
      webCall(bench.meter, id, ENDPOINTS.person, readingOf(person, true), {
        ...request(),
        once: { key: 'any text, "quoted"', fingerprint: person },
      })
    const outcomes = await Promise.all([press(), press(), press()])
    const charges = outcomes
      .map((outcome) => (outcome.outcome === 'charged' ? outcome.charged : -1))
      .sort()
    expect(charges).toEqual([0, 0, 10])
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ unlocked: [{ email: 'grace@example.com' }] })
  })

  test('what can’t be paid is refused with the price, on free as on paid tiers; nothing is charged', async () => {
    for (const tier of ['free', 'pro'] as const) {
      const { id } = await newAccount(bench.sql, { tier, credits: 7 })
      const person = await newContact(bench.sql)
      const outcome = await webCall(
        bench.meter,
        id,
        ENDPOINTS.person,
        readingOf(person, true),
        request(),
      )
      expect(outcome).toEqual({ outcome: 'insufficient', required: 10, balance: 7 })
    }
  })

  test('a record that does not exist costs nothing', async () => {
    const { id } = await newAccount(bench.sql, { credits: 100 })
    const reading = { ...readingOf(crypto.randomUUID()), found: false }
    expect(await webCall(bench.meter, id, ENDPOINTS.person, reading, request())).toEqual({
      outcome: 'not_found',
    })
  })

  test('the rate is the account’s, whether by key or by page', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 10_000 })
    const person = await newContact(bench.sql)
    const outcomes = await Promise.all(
      Array.from({ length: 125 }, () =>
        webCall(bench.meter, id, ENDPOINTS.person, readingOf(person), request()),
      ),
    )
    const limited = outcomes.filter(({ outcome }) => outcome === 'limited')
    expect(limited).toHaveLength(5)
    expect(limited[0]).toMatchObject({ reason: 'rate', retryAfter: 60 })
  })
})

describe('export', () => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, number) => number)

  /** All that an export handed out, and how it ended. */
  async function drain<T>(
    rows: AsyncGenerator<readonly T[], { rows: number; charged: number; stopped: string | null }>,
  ) {
    const got: T[] = []
    for (;;) {
      const { value, done } = await rows.next()
      if (done) return { got, end: value }
      got.push(...value)
    }
  }

  test.each([
    [0, 0],
    [1, 5],
    [100, 5],
    [101, 10],
    [350, 20],
  ])(
    '%i rows cost %i credits: five by the started hundred, as was said before',
    async (count, credits) => {
      const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 1_000 })
      const { got, end } = await drain(exportRows(bench.meter, id, 'export', rowsOf(count)))
      expect(got).toEqual(rowsOf(count))
      expect(end).toEqual({ rows: count, charged: credits, stopped: null })
      expect(exportCredits(count)).toBe(credits)
      const { entries } = await ledgerPage(bench.database, id, {
        endpoint: WEB_OPERATIONS.csvExport.path,
      })
      expect(entries.reduce((sum, entry) => sum - entry.credits, 0)).toBe(credits)
    },
  )

  test('it stops where credits end: every row handed out is paid, and none after', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 12 })
    const { got, end } = await drain(exportRows(bench.meter, id, 'export', rowsOf(1_000)))
    expect(got).toEqual(rowsOf(200))
    expect(end).toEqual({ rows: 200, charged: 10, stopped: 'credits' })
  })

  test('a reader who goes away is charged for what was handed out, not for the rest', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 100 })
    for await (const _ of exportRows(bench.meter, id, 'export', rowsOf(1_000))) break
    const { entries } = await ledgerPage(bench.database, id)
    expect(entries[0]?.balanceAfter).toBe(95)
  })

  test('over the rate it waits for the window to end, and goes on', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'starter', credits: 10_000 })
    const waited: number[] = []
    const pause = async (seconds: number) => {
      waited.push(seconds)
      await bench.clock.advance(seconds)
      // What an instance remembers of a refusal lasts a second of real time at most.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    const { end } = await drain(exportRows(bench.meter, id, 'export', rowsOf(12_500), pause))
    expect(end).toEqual({ rows: 12_500, charged: 625, stopped: null })
    expect(waited).toEqual([60])
  })
})

describe('bulk search', () => {
  test('lines cost a search each, in one charge', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const { lines, outcome } = await chargeLines(bench.meter, id, 20, 'bulk')
    expect([lines, outcome]).toMatchObject([
      20,
      { charged: 20 * ENDPOINTS.search.credits, balance: 900 },
    ])
    const { entries } = await ledgerPage(bench.database, id)
    expect(entries[0]).toMatchObject({
      endpoint: WEB_OPERATIONS.bulkSearch.path,
      credits: -100,
      via: 'web',
    })
  })

  test('where credits end, as many lines are answered as can be paid', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 33 })
    expect(await chargeLines(bench.meter, id, 20, 'bulk')).toMatchObject({
      lines: 6,
      outcome: { charged: 30, balance: 3 },
    })
    expect(await chargeLines(bench.meter, id, 20, 'bulk')).toEqual({
      lines: 0,
      outcome: { outcome: 'insufficient', required: 100, balance: 3 },
    })
  })
})
