/** Caps of keys over two instances, everybody at once. `RACE_ROUNDS=100` for a full run. */
import { expect } from 'bun:test'
import { createKey, rotateKey } from '../../../src/money/accounts/keys.ts'
import { newAccount, newContact, plainRead, revealOf } from './fixtures.ts'
import { type Arena, atOnce, count, race, stillArena } from './race.ts'

const still = stillArena()

/** An account with a key that has a cap, the key that it was rotated to, and one without. */
async function threeKeys({ test, pools }: Arena, credits: number) {
  const { id } = await newAccount(test.sql, { tier: 'team', credits: 10_000 })
  const limits = { cap: { credits, period: 'day' as const } }
  const first = await createKey(pools[0]!, id, 'script', [], limits)
  const second = await rotateKey(pools[1]!, id, first.id, 86_400)
  const free = await createKey(pools[0]!, id, 'free', [])
  return { id, capped: [first.id, second?.id ?? ''] as const, free: free.id }
}

/** Credits that were charged to these keys. */
async function spentWith({ test }: Arena, id: string, keys: readonly string[]) {
  const [row] = await test.sql<{ spent: number }[]>`
    select -sum(credits)::integer as spent from ledger
     where account_id = ${id} and kind = 'charge' and key_id in ${test.sql(keys)}`
  return row?.spent
}

race(
  'of two hundred calls with two keys of one cap exactly those are charged that it pays',
  async () => {
    const { id, capped, free } = await threeKeys(still, 252)
    let turn = 0
    const outcomes = await atOnce(200, still.meters, () =>
      plainRead({ id, key: capped[turn++ % 2]! }),
    )
    expect([count(outcomes, 'charged'), count(outcomes, 'key_cap')]).toEqual([50, 150])
    const spent = outcomes.flatMap(({ outcome, keyCap }) =>
      outcome === 'key_cap' ? [keyCap?.spent] : [],
    )
    expect(new Set(spent)).toEqual(new Set([250]))
    expect(await spentWith(still, id, capped)).toBe(250)
    const others = await atOnce(20, still.meters, () => plainRead({ id, key: free }))
    expect(count(others, 'charged')).toBe(20)
  },
)

race(
  'first reveals, reads and quotes at once spend a cap to within the price of a read',
  async () => {
    const { id, capped } = await threeKeys(still, 103)
    const people = await Promise.all(Array.from({ length: 6 }, () => newContact(still.test.sql)))
    let turn = 0
    const outcomes = await atOnce(120, still.meters, () => {
      const [key, quote] = [capped[turn % 2]!, turn % 3 === 0]
      const caller = { id, key }
      const person = people[turn++ % people.length]!
      return turn % 2 ? revealOf(caller, person, { quote }) : plainRead(caller, { quote })
    })
    const charged = outcomes.reduce((sum, outcome) => sum + outcome.charged, 0)
    expect(103 - charged).toBeLessThan(5)
    expect(await spentWith(still, id, capped)).toBe(charged)
  },
)

race(
  'a cap that renews in the middle of a load pays its credits once more, and no more',
  async () => {
    const { id, capped } = await threeKeys(still, 60)
    let turn = 0
    const call = () => plainRead({ id, key: capped[turn++ % 2]! })
    const loading = atOnce(100, still.meters, call)
    // As the next day would: the account's lock keeps charges away meanwhile.
    const [spent] = await still.test.sql.begin(async (sql) => {
      await sql`select 1 from accounts where id = ${id} for update`
      return sql<{ spent: number }[]>`
      update key_caps set period_started_at = period_started_at - interval '1 day'
       where account_id = ${id} returning spent`
    })
    const outcomes = [...(await loading), ...(await atOnce(40, still.meters, call))]
    expect(5 * count(outcomes, 'charged')).toBe((spent?.spent ?? 0) + 60)
    const [renewed] = await still.test.sql`select spent from key_caps where account_id = ${id}`
    expect(renewed).toEqual({ spent: 60 })
  },
)
