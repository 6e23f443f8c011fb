/** A call or two are decided by short statements, more of them by a group's: both ways have the same outcomes and leave the same rows. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import postgres, { type Sql } from 'postgres'
import { TIERS } from '../../../src/contract/tiers.ts'
import type { Call } from '../../../src/money/charge/call.ts'
import { chargeGroup } from '../../../src/money/charge/transport.ts'
import {
  expectBooksToBalance,
  grant,
  me,
  newAccount,
  newContact,
  newKey,
  plainRead,
  readOf,
  revealOf,
  START,
  sharedBench,
  type TestAccount,
} from './fixtures.ts'

const RUNS = Number(process.env.MODEL_RUNS ?? 60)
const KINDS = [
  'plain',
  'free',
  'read',
  'gone',
  'list',
  'reveal',
  'repeat',
  'repeat',
  'me',
  'quote',
] as const
const KEYS = ['own', 'own', 'own', 'revoked', 'capped', 'capped', 'foreign'] as const

const bench = sharedBench()
let sql: Sql
let contacts: string[]
/** Accounts whose calls make a group of two into one of four. */
let others: TestAccount[]
const outcomes = new Set<string>()

beforeAll(async () => {
  sql = postgres(bench.url, { max: 1, onnotice: () => {} })
  contacts = [await newContact(bench.sql), await newContact(bench.sql)]
  others = [await newAccount(bench.sql), await newAccount(bench.sql)]
})
afterAll(() => sql.end())

const account = fc.record({
  tier: fc.constantFrom(...TIERS),
  credits: fc.constantFrom(0, 4, 5, 12, 1_000, 1_000),
  /** Requests of the window that runs, by its age in seconds. */
  rate: fc.record({
    count: fc.constantFrom(0, 4, 119, 120, 300),
    age: fc.constantFrom(-5, 0, 0, 20, 59, 90),
  }),
  isSuspended: fc.nat(7).map((drawn) => drawn === 0),
  isDue: fc.nat(7).map((drawn) => drawn === 0),
  unlocked: fc.nat(2),
})
type State = typeof account extends fc.Arbitrary<infer T> ? T : never

const call = fc.record({
  kind: fc.constantFrom(...KINDS),
  key: fc.constantFrom(...KEYS),
  refusal: fc.constantFrom(
    null,
    null,
    null,
    'parameters' as const,
    'values' as const,
    'scope' as const,
  ),
  exists: fc.nat(5).map((drawn) => drawn > 0),
})
type Drawn = typeof call extends fc.Arbitrary<infer T> ? T : never

const runs = fc.record({
  accounts: fc.array(account, { minLength: 2, maxLength: 2 }),
  groups: fc.array(fc.array(call, { minLength: 1, maxLength: 2 }), {
    minLength: 1,
    maxLength: 8,
    size: 'max',
  }),
})

/** A window that counted more than its limit, of an account whose tier was lowered meanwhile. */
const OVER_RATE = {
  accounts: [0, 1].map(
    (): State => ({
      tier: 'free',
      credits: 12,
      rate: { count: 300, age: 0 },
      isSuspended: false,
      isDue: false,
      unlocked: 0,
    }),
  ),
  groups: [[{ kind: 'plain', key: 'own', refusal: null, exists: true } satisfies Drawn]],
}

interface Twin {
  id: string
  keys: Record<(typeof KEYS)[number], string>
}

async function newTwin(state: State): Promise<Twin> {
  const { id, key } = await newAccount(sql, { tier: state.tier, credits: state.credits })
  const [revoked, capped] = [await newKey(sql, id), await newKey(sql, id)]
  if (state.isDue) await grant(sql, id, 'trial', 7, '1 second')
  await sql`update api_keys set revoked_at = meter_now() where id = ${revoked}`
  await sql`
    with cap as (insert into key_caps (account_id, credits, period) values (${id}, 7, 'day') returning id)
    update api_keys set cap_id = (select id from cap) where id = ${capped}`
  for (const person of contacts.slice(0, state.unlocked)) {
    await sql`insert into unlocks (account_id, person_id, at) values (${id}, ${person}, meter_now())`
  }
  await sql`
    update accounts set rate_started_at = meter_now() - make_interval(secs => ${state.rate.age}), rate_count = ${state.rate.count},
           unlock_count = ${state.unlocked}
     where id = ${id}`
  if (state.isSuspended) await sql`select account_suspend(${id}, 'a reason')`
  return { id, keys: { own: key, revoked, capped, foreign: others[0]!.key } }
}

function callOf({ id, keys }: Twin, { kind, key, refusal, exists }: Drawn, request: string): Call {
  const of = { id, key: keys[key] }
  const changes = { refusal, record_exists: exists, request_id: request }
  const [person = ''] = contacts
  if (kind === 'me') return me(of, { ...changes, refusal: null })
  if (kind === 'reveal') return revealOf(of, person, changes)
  if (kind === 'read') return readOf(of, person, changes)
  if (kind === 'gone') return readOf(of, '00000000-0000-0000-0000-00000000dead', changes)
  if (kind === 'list') return plainRead(of, { ...changes, contacts, reveal_price: 7 })
  if (kind === 'free') return plainRead(of, { ...changes, price: 0, reveal_price: 0 })
  const bound = { idempotency_key: 'one', fingerprint: 'a' }
  return plainRead(of, {
    ...changes,
    quote: kind === 'quote',
    ...(kind === 'repeat' && bound),
  })
}

/** Rows of an account that calls may change, without what tells it from its twin. */
async function rowsOf(id: string) {
  const [row] = await sql`
    select to_jsonb(a) - 'id' - 'created_at' as account,
           (select jsonb_agg(to_jsonb(l) - 'account_id' - 'sequence' - 'key_id' - 'grant_id' order by sequence) from ledger l where account_id = a.id) as ledger,
           (select jsonb_agg(to_jsonb(u) - 'account_id' order by person_id) from unlocks u where account_id = a.id) as unlocks,
           (select jsonb_agg(to_jsonb(i) - 'account_id') from idempotency_keys i where account_id = a.id) as repeats,
           (select jsonb_agg(to_jsonb(c) - 'id' - 'account_id') from key_caps c where account_id = a.id) as caps
      from accounts a where id = ${id}`
  return row
}

test('short statements and those of a group decide alike', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ({ accounts, groups }) => {
      await bench.clock.set(START)
      const short: Twin[] = []
      const grouped: Twin[] = []
      for (const state of accounts) {
        short.push(await newTwin(state))
        grouped.push(await newTwin(state))
      }
      await bench.clock.advance(1)
      for (const group of groups) {
        const requests = group.map(() => randomUUID())
        const calls = (twins: Twin[]) =>
          group.map((drawn, at) => callOf(twins[at]!, drawn, requests[at]!))
        await sql`update accounts set rate_count = 0 where id = any (${others.map(({ id }) => id)})`
        const alone = await chargeGroup(sql, calls(short))
        const among = await chargeGroup(sql, [
          ...calls(grouped),
          ...others.map((other) => plainRead(other)),
        ])
        expect([...alone]).toEqual(among.slice(0, group.length))
        for (const { outcome } of alone) outcomes.add(outcome)
        for (const [at, { id }] of short.entries()) {
          expect(await rowsOf(id)).toEqual(await rowsOf(grouped[at]!.id))
        }
        await bench.clock.advance(29.5)
      }
    }),
    { numRuns: RUNS, examples: [[OVER_RATE]], ...(RUNS === 60 && { seed: 47 }) },
  )
  await expectBooksToBalance(bench.sql)
  expect([...outcomes].sort()).toEqual([
    ...[
      'charged',
      'free',
      'insufficient',
      'key_cap',
      'not_found',
      'quoted',
      'rate_limited',
      'refused',
      'replayed',
    ],
    ...['revoked', 'sample', 'suspended'],
  ])
})

test('a call or two don’t wait for an account that another transaction holds', async () => {
  const account = await newAccount(bench.sql, { credits: 20 })
  const calls = [plainRead(account), plainRead(others[0]!)]
  await bench.sql.begin(async (holder) => {
    await holder`select from accounts where id = ${account.id} for update`
    const outcomes = await chargeGroup(sql, calls)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['busy', 'sample'])
  })
  expect(await chargeGroup(sql, calls.slice(0, 1))).toMatchObject([{ outcome: 'charged' }])
})

test('a call shows no contact of the one before it', async () => {
  const [account, other] = [
    await newAccount(bench.sql, { credits: 40 }),
    await newAccount(bench.sql, { credits: 20 }),
  ]
  const [person = ''] = contacts
  await chargeGroup(sql, [revealOf(account, person)])
  const [shown, hidden] = await chargeGroup(sql, [readOf(account, person), readOf(other, person)])
  expect(shown).toMatchObject({ unlocked: [{ id: person, email: 'grace@example.com' }] })
  expect(hidden).toMatchObject({ outcome: 'charged', unlocked: null })
})
