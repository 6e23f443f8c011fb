/** Reveals by people who are signed in: the same meter, and nothing but the first reveal costs. */
import { describe, expect, test } from 'bun:test'
import { ledgerPage } from '../../../src/money/accounts/ledger.ts'
import { unlockedContacts } from '../../../src/money/accounts/unlocks.ts'
import { webReveal } from '../../../src/money/accounts/web-calls.ts'
import { newAccount, newContact, sharedBench } from '../charge/fixtures.ts'

const bench = sharedBench()

let last = 0
const request = () => ({ requestId: `web-${++last}` })
const reveal = (id: string, person: string) => webReveal(bench.meter, id, { person }, request())

describe('reveals', () => {
  test('a first reveal costs 10 and shows the channels; afterwards seeing them costs nothing', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const person = await newContact(bench.sql)
    expect(await unlockedContacts(bench.database, id, [person])).toEqual(new Map())
    expect(await reveal(id, person)).toMatchObject({
      outcome: 'charged',
      charged: 10,
      balance: 90,
      unlocked: [{ id: person, email: 'grace@example.com' }],
    })
    expect(await reveal(id, person)).toMatchObject({ charged: 0, balance: 90 })
    expect(await unlockedContacts(bench.database, id, [person])).toEqual(
      new Map([
        [
          person,
          {
            id: person,
            email: 'grace@example.com',
            phone: null,
            telegram: '@grace',
            linkedinUrl: null,
          },
        ],
      ]),
    )
  })

  test('the channels of a contact are read for the accounts that revealed it, and for no other', async () => {
    const buyer = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const other = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const [bought, mine] = [await newContact(bench.sql), await newContact(bench.sql)]
    await reveal(buyer.id, bought)
    await reveal(other.id, mine)
    const seen = await unlockedContacts(bench.database, other.id, [bought, mine])
    expect([...seen.keys()]).toEqual([mine])
  })

  test('the ledger shows the endpoint, the request and that it came from the web', async () => {
    const { id } = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql)
    await webReveal(bench.meter, id, { person }, { requestId: 'of-a-page' })
    const { entries } = await ledgerPage(bench.database, id)
    expect(entries[0]).toMatchObject({
      via: 'web',
      endpoint: '/v1/people/{id}',
      requestId: 'of-a-page',
      credits: -10,
    })
  })

  test('a form that is sent several times at once is charged once', async () => {
    const { id } = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql)
    const once = { key: 'any text, "quoted"', fingerprint: person }
    const press = () => webReveal(bench.meter, id, { person }, { ...request(), once })
    const outcomes = await Promise.all([press(), press(), press()])
    const charges = outcomes
      .map((outcome) => (outcome.outcome === 'charged' ? outcome.charged : -1))
      .sort()
    expect(charges).toEqual([0, 0, 10])
  })

  test('what can’t be paid is refused with the price, on free as on paid tiers; nothing is charged', async () => {
    for (const tier of ['free', 'pro'] as const) {
      const { id } = await newAccount(bench.sql, { tier, credits: 7 })
      const outcome = await reveal(id, await newContact(bench.sql))
      expect(outcome).toEqual({ outcome: 'insufficient', required: 10, balance: 7 })
    }
  })

  test('a record that does not exist costs nothing', async () => {
    const { id } = await newAccount(bench.sql, { credits: 100 })
    expect(await reveal(id, crypto.randomUUID())).toEqual({ outcome: 'not_found' })
  })

  test('the rate is the account’s, whether by key or by page', async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 10_000 })
    const person = await newContact(bench.sql)
    const outcomes = await Promise.all(Array.from({ length: 125 }, () => reveal(id, person)))
    const limited = outcomes.filter(({ outcome }) => outcome === 'limited')
    expect(limited).toHaveLength(5)
    expect(limited[0]).toMatchObject({ reason: 'rate', retryAfter: 60 })
  })
})
