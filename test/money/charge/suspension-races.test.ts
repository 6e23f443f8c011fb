/** Accounts are suspended over two instances while they are charged. `RACE_ROUNDS=100` for a full run. */
import { expect } from 'bun:test'
import { resumeAccount, suspendAccount } from '../../../src/console/acts/accounts.ts'
import { perform } from '../../../src/console/acts/perform.ts'
import { unlockedContacts } from '../../../src/money/accounts/unlocks.ts'
import { newAccount, newContact, plainRead, revealOf } from './fixtures.ts'
import { type Arena, atOnce, count, race, stillArena } from './race.ts'

const still = stillArena()
const BY = { via: 'command', userId: null, who: 'ada', address: null } as const

const suspend = ({ pools }: Arena, id: string) =>
  perform(pools[0]!, BY, suspendAccount, id, { reason: 'Unpaid since May.' })

/** Credits that were charged, and unlocks. */
async function spentBy({ test }: Arena, id: string) {
  const [row] = await test.sql<{ spent: number; unlocks: number }[]>`
    select (select coalesce(-sum(credits), 0)::integer from ledger where account_id = ${id} and kind = 'charge') as spent,
           (select count(*)::integer from unlocks where account_id = ${id}) as unlocks`
  return row!
}

race(
  'whatever is asked once the suspension has committed is refused, by both instances, and what was charged before is all that is charged',
  async () => {
    const caller = await newAccount(still.test.sql, { tier: 'team', credits: 10_000 })
    const people = await Promise.all(Array.from({ length: 4 }, () => newContact(still.test.sql)))
    let turn = 0
    const call = () => {
      const person = people[turn++ % people.length]!
      return turn % 3 === 0 ? revealOf(caller, person) : plainRead(caller)
    }
    const during = atOnce(80, still.meters, call)
    await suspend(still, caller.id)
    const left = await spentBy(still, caller.id)
    const after = await atOnce(40, still.meters, call)
    expect(count(after, 'suspended')).toBe(40)
    const charged = (await during).reduce((sum, outcome) => sum + outcome.charged, 0)
    expect(await spentBy(still, caller.id)).toEqual(left)
    expect(left.spent).toBe(charged)
    expect(after.every(({ unlocked, account }) => unlocked === null && account === null)).toBe(true)
  },
)

race(
  'a suspended account gets no repeat of a paid call, no unlocked contact, no free call and no sample, and all of them again once it goes on',
  async () => {
    const { sql } = still.test
    const caller = await newAccount(sql, { tier: 'free', credits: 20 })
    const person = await newContact(sql)
    const [first, second] = still.meters as [Arena['meters'][0], Arena['meters'][0]]
    const bound = { idempotency_key: 'once', fingerprint: 'f' }
    const asked = [
      revealOf(caller, person, bound),
      plainRead(caller),
      plainRead(caller, { price: 0, reveal_price: 0, identity: true }),
      plainRead(caller, { quote: true }),
      plainRead(caller, { price: 50, reveal_price: 50 }),
    ]
    const outcomes = async () => {
      const answers = []
      for (const call of asked) answers.push((await second.charge(call)).outcome)
      return answers
    }
    expect((await first.charge(asked[0]!)).outcome).toBe('charged')
    expect((await unlockedContacts(still.pools[1]!, caller.id, [person])).size).toBe(1)
    await suspend(still, caller.id)
    expect(new Set(await outcomes())).toEqual(new Set(['suspended']))
    expect((await unlockedContacts(still.pools[1]!, caller.id, [person])).size).toBe(0)
    await perform(still.pools[0]!, BY, resumeAccount, caller.id)
    expect(await outcomes()).toEqual(['replayed', 'charged', 'free', 'quoted', 'sample'])
    expect(await spentBy(still, caller.id)).toEqual({ spent: 15, unlocks: 1 })
  },
)
