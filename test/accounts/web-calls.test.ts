/** Reads and reveals of people who are signed in: the same meter, the same prices. */
import { describe, expect, test } from 'bun:test'
import { ledgerPage } from '../../src/accounts/ledger.ts'
import { webCall } from '../../src/accounts/web-calls.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { newAccount, newContact, sharedBench } from '../metering/fixtures.ts'

const bench = sharedBench()

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
