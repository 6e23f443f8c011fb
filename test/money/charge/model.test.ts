/**
 * The meter against a small model of its rules (`model.ts`): random steps, and after each one the
 * outcome, balance, windows, grants, unlocks and ledger agree. `MODEL_RUNS=2000` for a full run.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import { CALL_CREDITS, REVEAL_CREDITS } from '../../../src/contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../../src/contract/headers.ts'
import { CAP_PERIODS } from '../../../src/contract/keys.ts'
import { TIER_RULES, TIERS } from '../../../src/contract/tiers.ts'
import type { Call, Outcome, OutcomeName } from '../../../src/money/charge/call.ts'
import { chargeGroup } from '../../../src/money/charge/transport.ts'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { expectBooksToBalance, newContact, sharedBench } from './fixtures.ts'
import * as model from './model.ts'

const SEED = 4
const LONG_RUN = 1_000
const RUNS = Number(process.env.MODEL_RUNS ?? 30)
const STEPS = 60

/** Random steps must lead to each of these, or they prove less than they seem to. */
const OUTCOMES: OutcomeName[] = [
  'charged',
  'free',
  'insufficient',
  'key_cap',
  'key_exhausted',
  'key_reused',
  'not_found',
  'quoted',
  'rate_limited',
  'refused',
  'replayed',
  'reveal_cap',
  'revoked',
  'sample',
  'suspended',
]
const ACCOUNTS = 3
const CONTACTS = 3

const bench = sharedBench()
let sql: Sql
let contacts: string[]
const outcomesSeen = new Set<string>()
beforeAll(async () => {
  sql = postgres(bench.url, { max: 1, onnotice: () => {} })
  contacts = await Promise.all(Array.from({ length: CONTACTS }, () => newContact(bench.sql)))
})
afterAll(() => sql.end())

// ---------------------------------------------------------------- steps

const account = fc.nat(ACCOUNTS - 1)

const callStep = fc.record({
  account,
  kind: fc.constantFrom('plain', 'read', 'reveal', 'reveal', 'list', 'me'),
  contact: fc.nat(CONTACTS - 1),
  refusal: fc.constantFrom(
    ...[null, null, null, null, null],
    ...(['parameters', 'values', 'scope'] as const),
  ),
  exists: fc.constantFrom(true, true, true, true, false),
  retry: fc.option(
    fc.record({
      key: fc.constantFrom('one', 'two'),
      fingerprint: fc.constantFrom('a', 'a', 'a', 'b'),
    }),
    { freq: 3 },
  ),
  /** Of the keys that the account has had. */
  key: fc.nat(3),
  /** Whether a quote goes before the call, or takes its place. */
  quote: fc.constantFrom('none' as const, 'none' as const, 'before' as const, 'instead' as const),
})

/** Seconds: within windows, at their ends, beyond trials and months. */
const seconds = fc.constantFrom(
  0.5,
  1,
  30,
  59.999,
  60,
  3_600,
  86_400,
  604_800,
  2_000_000,
  9_000_000,
)

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('charge' as const),
      calls: fc.uniqueArray(callStep, {
        minLength: 1,
        maxLength: 3,
        selector: (call) => call.account,
      }),
      /** Whether their accounts are suspended meanwhile. */
      suspended: fc.nat(14).map((drawn) => drawn === 7),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      account,
      // Plan credits come with a plan.
      source: fc.constantFrom('trial' as const, 'topup' as const, 'referral' as const),
      amount: fc.integer({ min: 1, max: 40 }),
      lasts: fc.option(seconds),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('start plan' as const),
      account,
      tier: fc.constantFrom('starter' as const, 'team' as const, 'enterprise' as const),
      credits: fc.constantFrom(0, 15, 40),
      renews: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('stop plan' as const), account, atEnd: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('tier' as const),
      account,
      tier: fc.constantFrom(...TIERS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('new key' as const),
      account,
      /** Seconds after which the newest one stops. */
      revokes: fc.option(fc.constantFrom(0, 0.5, 30)),
      /** Seconds after which the new one ends by itself. */
      expires: fc.option(fc.constantFrom(30, 86_400), { freq: 2 }),
      /** Its own, or that of the newest. */
      cap: fc.oneof(
        fc.constantFrom(null, 'rotated' as const),
        fc.record({
          credits: fc.integer({ min: 1, max: 30 }),
          period: fc.constantFrom(...CAP_PERIODS),
        }),
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('use up' as const),
      account,
      what: fc.constantFrom('rate' as const, 'reveals' as const, 'repeats' as const),
      left: fc.nat(1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds }) },
  {
    weight: 2,
    // To the very moment at which something falls due, or just before.
    arbitrary: fc.record({
      do: fc.constant('wait until due' as const),
      account,
      before: fc.boolean(),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

// ---------------------------------------------------------------- the two sides

interface Expected {
  now: number
  accounts: model.ModelAccount[]
}

interface Real {
  ids: string[]
  /** Ledger entries that were compared already. */
  entries: number[]
}

interface AccountState {
  tier: string
  balance: number
  rate_count: number
  reveal_count: number
  plan_ends: string | null
  ledger_sum: number
  grants_sum: number
  unlocks: string[]
  grants: { id: string; source: string; amount: number; unspent: number; expires: string | null }[]
  ledger: model.ModelEntry[]
}

/** Everything about the accounts, in one round trip. */
function readState(real: Real) {
  return sql<AccountState[]>`
    select a.tier, a.balance::integer, a.rate_count, a.reveal_count,
           meter_ms(a.plan_ends_at) as plan_ends,
           (select coalesce(sum(credits), 0)::integer from ledger where account_id = a.id) as ledger_sum,
           (select coalesce(sum(remaining), 0)::integer from credit_grants where account_id = a.id)
             - a.unallotted::integer as grants_sum,
           array(select person_id from unlocks where account_id = a.id order by person_id) as unlocks,
           (select coalesce(json_agg(json_build_object('id', id, 'source', source, 'amount', amount,
                     'unspent', unspent, 'expires', meter_ms(expires_at))), '[]')
              from meter_grants(a.id)) as grants,
           (select coalesce(json_agg(json_build_object('kind', kind, 'credits', credits,
                     'balance', balance_after, 'at', meter_ms(at), 'person', person_id,
                     'request', request_id) order by sequence), '[]')
              from (select * from ledger where account_id = a.id order by sequence offset seen.entries) l) as ledger
      from unnest(${real.ids}::uuid[], ${real.entries}::integer[]) with ordinality as seen (id, entries, position)
      join accounts a on a.id = seen.id
     order by position`
}

function modelCall(
  step: typeof callStep extends fc.Arbitrary<infer S> ? S : never,
  keys: string[],
): model.ModelCall {
  const person = contacts[step.contact]!
  const single = step.kind === 'read' || step.kind === 'reveal'
  return {
    key: keys[step.key % keys.length]!,
    price: step.kind === 'me' ? 0 : CALL_CREDITS,
    refusal: step.refusal,
    exists: step.exists,
    person: single ? person : null,
    reveal: step.kind === 'reveal',
    contacts: single ? [person] : step.kind === 'list' ? contacts : [],
    channels: single,
    retry: step.retry,
    request: randomUUID(),
  }
}

function realCall(account: string, call: model.ModelCall, quote: boolean): Call {
  return {
    quote,
    account,
    key: call.key,
    price: call.price,
    reveal_price: call.reveal ? REVEAL_CREDITS : call.price,
    refusal: call.refusal,
    record_exists: call.exists,
    person: call.person,
    reveal: call.reveal,
    contacts: call.contacts,
    channels: call.channels,
    identity: call.price === 0 && !quote,
    idempotency_key: call.retry?.key ?? null,
    fingerprint: call.retry?.fingerprint ?? null,
    request_id: call.request,
    endpoint: '/v1/model',
  }
}

/** The outcome as the model says it; and what it left unsaid must follow from that. */
function asModelOutcome(
  outcome: Outcome,
  call: model.ModelCall,
  isQuote: boolean,
): model.ModelOutcome {
  const { unlocked, account, ...rest } = outcome
  expect(account === null).toBe(isQuote || outcome.outcome !== 'free')
  for (const contact of unlocked ?? []) {
    expect(contact.email).toBe(call.channels ? 'grace@example.com' : null)
  }
  return { ...rest, unlocked: unlocked?.map((contact) => contact.id).sort() ?? null }
}

interface Decision {
  call: model.ModelCall
  quote: 'none' | 'before' | 'instead'
  id: string
}

/** Sends calls as one group; those that say so as quotes. */
async function decide(decisions: readonly Decision[]): Promise<Outcome[]> {
  const outcomes = await chargeGroup(
    sql,
    decisions.map(({ id, call, quote }) => realCall(id, call, quote === 'instead')),
  )
  return outcomes.map((outcome) => {
    if (outcome.outcome === 'busy') throw new Error('busy, with nobody else there')
    return outcome
  })
}

/** What a caller is told of the price, before and after. */
function costOf({ outcome, required }: Outcome) {
  return { outcome: outcome === 'quoted' ? 'charged' : outcome, required }
}

class StepCommand implements fc.AsyncCommand<Expected, Real> {
  readonly step: Step
  constructor(step: Step) {
    this.step = step
  }
  check() {
    return true
  }
  toString() {
    return JSON.stringify(this.step)
  }

  async run(expected: Expected, real: Real) {
    this.#wait(expected)
    const clock = () => sql`
      update test_clock set now = ${new Date(expected.now).toISOString()}::text::timestamptz`
    const suspended =
      this.step.do === 'charge' && this.step.suspended
        ? this.step.calls.map((call) => call.account)
        : []
    if (suspended.length > 0) await clock()
    for (const position of suspended) await this.#suspend(expected, real, position, true)
    const [, , states] = await Promise.all([
      clock().execute(),
      this.#act(expected, real),
      readState(real),
    ])
    for (const [i, account] of expected.accounts.entries())
      this.#compare(account, states[i]!, real, i)
    for (const position of suspended) await this.#suspend(expected, real, position, false)
  }

  /** Suspends or resumes an account on both sides. */
  async #suspend({ accounts, now }: Expected, { ids }: Real, position: number, isOn: boolean) {
    const [account, id] = [accounts[position]!, ids[position]!]
    model.settle(account, now)
    const [row] = await (isOn
      ? sql`select account_suspend(${id}, 'a reason') as done`
      : sql`select account_resume(${id}) as done`)
    expect(row?.done).toBe(true)
    account.isSuspended = isOn
  }

  #wait(expected: Expected) {
    // Never twice the same moment: the order of two grants is then told by their times.
    expected.now += 1
    if (this.step.do === 'wait') expected.now += this.step.seconds * 1_000
    if (this.step.do === 'wait until due') {
      const { grants, plan, keys, caps } = expected.accounts[this.step.account]!
      const times = [
        ...grants.map((grant) => grant.expiresAt),
        ...[...caps.values()].map(({ period }) => model.periodStart(period, expected.now, 1)),
        ...[plan?.endsAt ?? 0, ...keys.values()],
      ]
      const due = Math.min(...times.filter((time) => time > expected.now))
      if (Number.isFinite(due)) expected.now = this.step.before ? due - 1 : due
    }
  }

  /** Does the step on both sides. Everything is sent at once, in order, over one connection. */
  async #act({ now, accounts }: Expected, { ids }: Real): Promise<void> {
    const { step } = this
    if (step.do === 'wait' || step.do === 'wait until due') return
    if (step.do === 'charge') {
      const calls = step.calls.map((call) =>
        modelCall(call, [...accounts[call.account]!.keys.keys()]),
      )
      const all = calls.map((call, i) => {
        const { quote, account } = step.calls[i]!
        return { call, quote, account: accounts[account]!, id: ids[account]! }
      })
      const before = all.filter(({ quote }) => quote === 'before')
      const quoting =
        before.length > 0 && decide(before.map((one) => ({ ...one, quote: 'instead' })))
      const deciding = decide(all)
      const quoted = new Map<model.ModelCall, Outcome>()
      for (const [i, outcome] of ((await quoting) || []).entries()) {
        const { call, account } = before[i]!
        quoted.set(call, outcome)
        expect(asModelOutcome(outcome, call, true)).toEqual(model.quote(account, call, now))
      }
      for (const [i, outcome] of (await deciding).entries()) {
        const { call, quote, account } = all[i]!
        outcomesSeen.add(outcome.outcome)
        const rule = quote === 'instead' ? model.quote : model.charge
        expect(asModelOutcome(outcome, call, quote === 'instead')).toEqual(rule(account, call, now))
        const said = quoted.get(call)
        if (said) expect(costOf(outcome)).toEqual(costOf(said))
      }
      return
    }
    const account = accounts[step.account]!
    const id = ids[step.account]!
    if (step.do === 'grant') {
      const interval = step.lasts === null ? null : `${step.lasts} seconds`
      const [row] = await sql`
        select meter_grant(${id}, ${step.source}, ${step.amount}, ${interval}::text::interval, null)::integer as balance`
      const lastsMs = step.lasts === null ? null : step.lasts * 1_000
      expect(row?.balance).toBe(model.grantCredits(account, step.source, step.amount, lastsMs, now))
    } else if (step.do === 'start plan') {
      await sql`select meter_start_plan(${id}, 'test', ${step.tier}, ${step.credits}, ${step.renews})`
      model.startPlan(account, { ...step, name: 'test' }, now)
    } else if (step.do === 'stop plan') {
      const [row] = await sql`select meter_stop_plan(${id}, ${step.atEnd}) as stopped`
      expect(row?.stopped).toBe(model.stopPlan(account, step.atEnd, now))
    } else if (step.do === 'tier') {
      await sql`update accounts set tier = ${step.tier} where id = ${id}`
      account.tier = step.tier
    } else if (step.do === 'new key') {
      const newest = [...account.keys.keys()].at(-1)!
      const key = randomUUID()
      const endsAt = step.expires === null ? Number.POSITIVE_INFINITY : now + step.expires * 1_000
      account.keys.set(key, endsAt)
      const cap =
        step.cap === 'rotated' ? account.caps.get(newest) : step.cap && { ...step.cap, charges: [] }
      if (cap) account.caps.set(key, cap)
      if (step.revokes !== null) {
        account.keys.set(newest, Math.min(account.keys.get(newest)!, now + step.revokes * 1_000))
      }
      const own = step.cap === 'rotated' ? null : step.cap
      await sql`
        with cap as (
          insert into key_caps (account_id, credits, period)
          select ${id}, ${own?.credits ?? 0}, ${own?.period ?? ''} where ${own !== null}::boolean returning id
        ), added as (
          insert into api_keys (id, account_id, hash, prefix, label, expires_at, cap_id)
          select ${key}, ${id}, ${key}, 'p', 'l', meter_now() + make_interval(secs => ${step.expires}::double precision),
                 case when ${step.cap === 'rotated'}::boolean
                      then (select cap_id from api_keys where id = ${newest}) else (select id from cap) end)
        update api_keys set revoked_at = coalesce(revoked_at, meter_now() + ${`${step.revokes} seconds`}::text::interval)
         where id = ${newest} and ${step.revokes !== null}::boolean`
    } else if (step.what === 'rate') {
      const count = TIER_RULES[account.tier].rateLimit - step.left
      account.rate = { startedAt: now, count }
      await sql`update accounts set rate_started_at = meter_now(), rate_count = ${count} where id = ${id}`
    } else if (step.what === 'repeats') {
      const repeats = IDEMPOTENT_REPEATS - step.left
      for (const retry of account.retries.values()) retry.repeats = repeats
      await sql`update idempotency_keys set repeats = ${repeats} where account_id = ${id}`
    } else {
      const count = TIER_RULES[account.tier].revealLimit - step.left
      account.reveals = { startedAt: now, count }
      await sql`update accounts set reveal_started_at = meter_now(), reveal_count = ${count} where id = ${id}`
    }
  }

  #compare(account: model.ModelAccount, state: AccountState, real: Real, position: number) {
    for (const found of state.grants) {
      if (account.grants.some((grant) => grant.id === found.id)) continue
      const grant = account.grants.find(
        (one) =>
          one.id === null &&
          one.source === found.source &&
          one.amount === found.amount &&
          one.expiresAt === Number(found.expires ?? Number.POSITIVE_INFINITY),
      )
      if (grant) grant.id = found.id
    }
    const unspent = (grants: { id: string | null; unspent: number }[]) =>
      grants.map((grant) => `${grant.id} ${grant.unspent}`).sort()
    const newEntries = account.ledger.slice(real.entries[position]!)
    const balance = model.balanceOf(account)
    expect({
      ...state,
      plan_ends: state.plan_ends && Number(state.plan_ends),
      grants: unspent(state.grants),
    }).toEqual({
      tier: account.tier,
      balance,
      ledger_sum: balance,
      grants_sum: balance,
      rate_count: account.rate.count,
      reveal_count: account.reveals.count,
      plan_ends: account.plan?.endsAt ?? null,
      unlocks: [...account.unlocked.keys()].sort(),
      grants: unspent(account.grants),
      ledger: newEntries,
    })
    real.entries[position] = account.ledger.length
  }
}

// ---------------------------------------------------------------- the test

async function setUp(): Promise<{ model: Expected; real: Real }> {
  const now = Date.parse('2026-01-30T08:00:00.000Z')
  const rows = await sql<{ id: string; key: string }[]>`
    with added as (
      insert into accounts (name, email)
      select 'Ada', 'ada@example.com' from generate_series(1, ${ACCOUNTS}) returning id
    ), keys as (
      insert into api_keys (account_id, hash, prefix, label)
      select id, gen_random_uuid(), 'p', 'l' from added returning account_id as id, id as key
    )
    select id, key from keys`
  return {
    model: { now, accounts: rows.map((row) => model.newModelAccount('free', row.key)) },
    real: { ids: rows.map((row) => row.id), entries: rows.map(() => 0) },
  }
}

const CALL = {
  account: 0,
  kind: 'plain',
  contact: 0,
  refusal: null,
  exists: true,
  retry: null,
  key: 0,
  quote: 'none',
} as const
const ONCE = { ...CALL, retry: { key: 'one', fingerprint: 'a' } } as const
const NEW_KEY = { do: 'new key', account: 0, revokes: null, expires: null } as const
const charge = (call: (typeof CALL | typeof ONCE) & object, more: object = {}, suspended = false) =>
  ({ do: 'charge', calls: [{ ...call, ...more }], suspended }) as Step

/** Steps to the outcomes that few random ones lead to: whatever chance does, they are met. */
const RARE: readonly Step[] = [
  { do: 'grant', account: 0, source: 'topup', amount: 40, lasts: null },
  charge(ONCE),
  charge(ONCE, {}, true),
  { do: 'use up', account: 0, what: 'repeats', left: 0 },
  charge(ONCE),
  charge(ONCE, { retry: { key: 'one', fingerprint: 'b' } }),
  { do: 'use up', account: 0, what: 'reveals', left: 0 },
  charge(CALL, { kind: 'reveal' }),
  { ...NEW_KEY, cap: { credits: 1, period: 'day' } },
  charge(CALL, { key: 1 }),
  { do: 'use up', account: 0, what: 'rate', left: 0 },
  charge(CALL),
]

test('meter and model agree on outcomes that chance seldom leads to', async () => {
  const steps = RARE.map((one) => new StepCommand(one))
  await fc.asyncModelRun(setUp, steps)
  expect([...outcomesSeen].sort()).toEqual([
    ...['charged', 'key_cap', 'key_exhausted', 'key_reused', 'rate_limited', 'reveal_cap'],
    'suspended',
  ])
})

test(
  `over ${RUNS} runs of up to ${STEPS} steps, the meter and its model agree after each step`,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([step.map((one) => new StepCommand(one))], { maxCommands: STEPS, size: 'max' }),
        async (commands) => {
          const { model, real } = await setUp()
          await fc.asyncModelRun(() => ({ model, real }), commands)
        },
      ),
      // The short run is the same each time, so that it always meets every outcome; the long one is new each time.
      { numRuns: RUNS, ...(RUNS < LONG_RUN && { seed: SEED }) },
    )
    await expectBooksToBalance(bench.sql)
    expect([...outcomesSeen].sort()).toEqual(OUTCOMES)
  },
  LIMIT_MS * 6,
)
