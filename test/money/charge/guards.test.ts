/** The charging statement trusts no caller. Asked straight in SQL, as no program of ours asks. */
import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  accountOf,
  ledgerOf,
  newAccount,
  newContact,
  revealOf,
  sharedBench,
  type TestAccount,
} from './fixtures.ts'

const bench = sharedBench()

const RULES = ['free', 'pro'].map((tier) => `"(${tier},120,60 s,600,3600 s,f,f)"`)

interface RawCall {
  price?: number | ''
  revealPrice?: number | ''
  person?: string
  reveal?: boolean
  idempotencyKey?: string
}

/** One call in the text of `meter_call`; an empty field is null. */
function textOf({ id, key }: TestAccount, call: RawCall = {}): string {
  const { price = 5, revealPrice = 10, person = '', reveal = true, idempotencyKey = '' } = call
  return `"(${id},${key},${price},${revealPrice},,t,${person},${reveal},${person},t,f,${idempotencyKey},f,${randomUUID()},/test)"`
}

interface RawOutcome {
  outcome: string
  charged: number
  required: number
  balance: number
  unlocked: unknown[] | null
}

const charge = (calls: string[], rules = RULES): Promise<RawOutcome[]> =>
  bench.sql<RawOutcome[]>`
    select outcome, charged, required, balance, unlocked
      from meter_charge(${`{${calls.join()}}`}::text::meter_call[], ${`{${rules.join()}}`}::text::meter_rule[], '{}')`

const payable = () => newAccount(bench.sql, { tier: 'pro', credits: 100 })

describe('what no program of ours sends is refused, and writes nothing', () => {
  const refused: [string, (account: TestAccount) => [calls: string[], rules?: string[]]][] = [
    ['two calls of one account', (account) => [[textOf(account), textOf(account)]]],
    ['a tier without a rule', (account) => [[textOf(account)], RULES.slice(0, 1)]],
    ['a tier with half a rule', (account) => [[textOf(account)], ['"(pro,120,60 s,,3600 s,f,f)"']]],
    ['a negative price', (account) => [[textOf(account, { price: -5 })]]],
    ['no price', (account) => [[textOf(account, { price: '' })]]],
    ['a negative price of a reveal', (account) => [[textOf(account, { revealPrice: -1 })]]],
    ['no price of a reveal', (account) => [[textOf(account, { revealPrice: '' })]]],
  ]
  for (const [what, asked] of refused) {
    test(`${what}`, async () => {
      const [account, other] = [await payable(), await payable()]
      const [calls, rules] = asked(account)
      // A call or two without a reveal are decided by short statements.
      const ordinary = calls.map((call) => call.replace(',true,', ',false,'))
      for (const group of [[textOf(other), ...calls], ordinary]) {
        const error = await charge(group, rules).catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code: '22023' })
      }
      for (const { id } of [account, other]) {
        expect(await accountOf(bench.sql, id)).toMatchObject({ balance: 100, rate_count: 0 })
        expect((await ledgerOf(bench.sql, id)).filter(({ kind }) => kind === 'charge')).toEqual([])
      }
    })
  }

  test('in a group, such a call is tried alone and fails alone', async () => {
    const accounts = await Promise.all([payable(), payable(), payable()])
    const person = await newContact(bench.sql)
    const results = await Promise.allSettled(
      accounts.map((account, i) =>
        bench.meter.charge(revealOf(account, person, i === 1 ? { price: -5 } : {})),
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const balances = accounts.map(async ({ id }) => (await accountOf(bench.sql, id)).balance)
    expect(await Promise.all(balances)).toEqual([90, 100, 90])
  })
})

test('two rules of one tier charge a call once', async () => {
  const account = await payable()
  expect(await charge([textOf(account)], [...RULES, ...RULES])).toMatchObject([
    { outcome: 'charged', balance: 95 },
  ])
  expect(await ledgerOf(bench.sql, account.id)).toHaveLength(2)
})

describe('the statement looks up what decides the price', () => {
  test('a person who was deleted is not found, costs nothing and is not unlocked, by reveal or read', async () => {
    const account = await payable()
    const person = await newContact(bench.sql)
    await bench.sql`delete from people where id = ${person}`
    for (const reveal of [true, false]) {
      const [outcome] = await charge([textOf(account, { person, reveal })])
      expect(outcome).toMatchObject({
        outcome: 'not_found',
        charged: 0,
        balance: 100,
        unlocked: null,
      })
    }
    expect(await accountOf(bench.sql, account.id)).toMatchObject({
      unlock_count: 0,
      reveal_count: 0,
    })
  })

  test('a person who was deleted after the account had revealed them is not found', async () => {
    const account = await payable()
    const person = await newContact(bench.sql)
    await charge([textOf(account, { person })])
    await bench.sql`delete from people where id = ${person}`
    expect(await charge([textOf(account, { person })])).toMatchObject([
      { outcome: 'not_found', charged: 0, balance: 90 },
    ])
  })

  test('a contact whose last channel went costs 5, stays locked and takes nothing from the cap', async () => {
    const account = await payable()
    const person = await newContact(bench.sql)
    await bench.sql`
      update private_channels set email = null, telegram = '' where person_id = ${person}`
    for (const balance of [95, 90]) {
      expect(await charge([textOf(account, { person })])).toMatchObject([
        { outcome: 'charged', charged: 5, required: 5, balance, unlocked: null },
      ])
      await bench.sql`delete from private_channels where person_id = ${person}`
    }
    expect(await accountOf(bench.sql, account.id)).toMatchObject({
      unlock_count: 0,
      reveal_count: 0,
    })
  })

  test('any one channel on file is something to reveal', async () => {
    for (const channel of ['email', 'phone', 'telegram', 'linkedin_url']) {
      const account = await payable()
      const person = await newContact(bench.sql, false)
      await bench.sql`
        insert into private_channels ${bench.sql({ person_id: person, [channel]: 'x' })}`
      expect(await charge([textOf(account, { person })])).toMatchObject([
        { outcome: 'charged', charged: 10, balance: 90, unlocked: [{ id: person }] },
      ])
    }
  })

  test('a reveal shows the channels that made its price, though they are deleted before it answers', async () => {
    const account = await payable()
    const person = await newContact(bench.sql)
    // What another transaction could do between two statements of the meter, done in the middle of it.
    await bench.sql.unsafe(`
      create function test_delete_channels() returns trigger language plpgsql as
      $$ begin delete from private_channels where person_id = new.person_id; return null; end $$;
      create trigger test_delete after insert on unlocks for each row execute function test_delete_channels()`)
    try {
      expect(await charge([textOf(account, { person })])).toMatchObject([
        { charged: 10, unlocked: [{ id: person, email: 'grace@example.com' }] },
      ])
    } finally {
      await bench.sql`drop function test_delete_channels cascade`
    }
    expect(await charge([textOf(account, { person })])).toMatchObject([
      { charged: 5, unlocked: [{ id: person, email: null }] },
    ])
  })

  test('a call that the balance doesn’t cover says the same of a person who is there and one who is not', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 7 })
    const there = await newContact(bench.sql)
    for (const person of [there, randomUUID()]) {
      expect(await charge([textOf(account, { person })])).toMatchObject([
        { outcome: 'insufficient', charged: 0, required: 10, balance: 7 },
      ])
    }
  })
})

test('the lookups find their rows by key, also in a session that planned them on empty tables', async () => {
  const session = await bench.sql.reserve()
  const chargeOnce = (account: TestAccount, person: string, idempotencyKey: string) => session<
    RawOutcome[]
  >`
    select outcome, charged from meter_charge(
      ${`{${textOf(account, { person, idempotencyKey })}}`}::text::meter_call[], ${`{${RULES.join()}}`}::text::meter_rule[])`
  try {
    const [first, account] = [await payable(), await payable()]
    await chargeOnce(first, await newContact(bench.sql), 'first')
    // Without triggers, which would write the flags and the log of so many people.
    await session.unsafe(`
      begin;
      set local session_replication_role = replica;
      insert into people (id) select gen_random_uuid() from generate_series(1, 5000);
      insert into private_channels (person_id, email) select id, 'x' from people on conflict do nothing;
      insert into unlocks (account_id, person_id, at) select '${first.id}', id, now() from people on conflict do nothing;
      insert into idempotency_keys (account_id, key, fingerprint, charged_at)
      select '${account.id}', n, 'f', meter_now() from generate_series(1, 5000) n;
      insert into api_keys (account_id, hash, prefix, label)
      select '${first.id}', gen_random_uuid(), 'ck_live_test', 'test' from generate_series(1, 5000);
      set local session_replication_role = origin`)
    const [someone] = await session<{ id: string }[]>`select id from people offset 2500 limit 1`
    const read = async () => {
      const rows = await session<{ name: string; rows: number }[]>`
        select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
          from pg_stat_xact_user_tables
         where relname in ('people', 'private_channels', 'unlocks', 'api_keys', 'idempotency_keys')`
      return new Map(rows.map(({ name, rows }) => [name, rows]))
    }
    const before = await read()
    expect(await chargeOnce(account, someone?.id ?? '', 'another')).toMatchObject([{ charged: 10 }])
    for (const [name, rows] of await read()) {
      expect([name, rows - (before.get(name) ?? 0) < 10]).toEqual([name, true])
    }
  } finally {
    await session`rollback`
    session.release()
  }
})
