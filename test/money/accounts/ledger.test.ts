/** What an account's people see of its credits: it adds up to the ledger exactly. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { connect } from '../../../src/database/client.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { createKey } from '../../../src/money/accounts/keys.ts'
import {
  creditsPerDay,
  type Entry,
  ledgerCsv,
  ledgerFilters,
  ledgerPage,
  usage,
} from '../../../src/money/accounts/ledger.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { shared } from '../../helpers/shared.ts'
import { grant, meterBench, newAccount, plainRead, startPlan } from '../charge/fixtures.ts'

const bench = shared(meterBench, ({ drop }) => drop())
let account: { id: string; key: string }
let laptop: string
let all: Entry[]

/** Calls of two keys and the application on three days, a grant that expired, one that didn't. */
beforeAll(async () => {
  account = await newAccount(bench.sql)
  laptop = (await createKey(bench.database, account.id, 'laptop', ['read:metadata'])).id
  await grant(bench.sql, account.id, 'trial', 150, '1 day')
  await grant(bench.sql, account.id, 'topup', 1_000)
  const endpoints = ['/v1/people', '/v1/search', '/v1/projects/{id}']
  for (let number = 0; number < 60; number++) {
    const key = [account.key, laptop, account.id][number % 3]!
    const endpoint = endpoints[number % 2 === 0 ? 0 : number % 3]!
    await bench.meter.charge(
      plainRead({ id: account.id, key }, { endpoint, request_id: `request-${number}` }),
    )
    if (number % 20 === 19) await bench.clock.advance(86_400)
  }
  // Settled at the account's next call.
  await creditsOf(bench.database, account.id)
  all = (await ledgerPage(bench.database, account.id, {}, 1_000)).entries
})

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

describe('ledger', () => {
  test('each line says what it did, by whom, and what was left; together they are the balance', async () => {
    expect(all).toHaveLength(60 + 2 + 1)
    expect(sum(all.map(({ credits }) => credits))).toBe(all[0]?.balanceAfter ?? -1)
    const charge = all.find(({ requestId }) => requestId === 'request-59')
    expect(charge).toMatchObject({
      kind: 'charge',
      credits: -5,
      endpoint: '/v1/projects/{id}',
      via: 'web',
      keyId: account.id,
      source: null,
    })
    expect(all.find(({ requestId }) => requestId === 'request-1')?.via).toBe('laptop')
    expect(
      all.filter(({ kind }) => kind !== 'charge').map(({ kind, source }) => [kind, source]),
    ).toEqual([
      ['expiry', 'trial'],
      ['grant', 'topup'],
      ['grant', 'trial'],
    ])
    all.forEach((entry, position) => {
      const before = all[position + 1]?.balanceAfter ?? 0
      expect(entry.balanceAfter).toBe(before + entry.credits)
    })
  })

  test('its pages, one after another, are the whole once, newest first', async () => {
    const pages: Entry[] = []
    let before: number | undefined
    do {
      const page = await ledgerPage(bench.database, account.id, { before }, 7)
      expect(page.entries.length).toBeLessThanOrEqual(7)
      pages.push(...page.entries)
      before = page.next ?? undefined
    } while (before !== undefined)
    expect(pages).toEqual(all)
  })

  test('entries that come while one pages move none of the others', async () => {
    const other = await newAccount(bench.sql, { credits: 1_000 })
    for (let count = 0; count < 10; count++) await bench.meter.charge(plainRead(other))
    const first = await ledgerPage(bench.database, other.id, {}, 4)
    await bench.meter.charge(plainRead(other))
    const second = await ledgerPage(bench.database, other.id, { before: first.next ?? 0 }, 100)
    expect([...first.entries, ...second.entries]).toHaveLength(11)
  })

  test('filters by key, endpoint and day hold alone and together', async () => {
    const of = async (filter: Parameters<typeof ledgerPage>[2]) =>
      (await ledgerPage(bench.database, account.id, filter, 1_000)).entries
    expect(await of({ key: laptop })).toEqual(all.filter(({ keyId }) => keyId === laptop))
    expect(await of({ endpoint: '/v1/people' })).toEqual(
      all.filter(({ endpoint }) => endpoint === '/v1/people'),
    )
    const day = '2026-02-01'
    const ofDay = all.filter(({ at }) => at.startsWith(day))
    expect(ofDay.length).toBeGreaterThan(5)
    expect(await of({ day })).toEqual(ofDay)
    expect(await of({ day, key: laptop, endpoint: '/v1/people' })).toEqual(
      ofDay.filter(({ keyId, endpoint }) => keyId === laptop && endpoint === '/v1/people'),
    )
  })

  test.each([
    { key: 'no id' },
    { key: "'; drop table ledger; --" },
    { day: '2026-02-31' },
    { day: 'today' },
    { day: '' },
  ])('a filter like %p matches nothing', async (filter) => {
    expect(await ledgerPage(bench.database, account.id, filter)).toEqual({
      entries: [],
      next: null,
    })
  })

  test('what there is to filter by', async () => {
    const { keys, endpoints } = await ledgerFilters(bench.database, account.id)
    expect(keys.map(({ label }) => label).sort()).toEqual(['laptop', 'test', 'web'])
    expect(endpoints).toEqual(['/v1/people', '/v1/projects/{id}', '/v1/search'])
  })

  test('nobody sees another’s: its key, and its place in the order, filter one’s own to nothing', async () => {
    const other = await newAccount(bench.sql)
    expect((await ledgerPage(bench.database, other.id, { key: laptop })).entries).toEqual([])
    expect(
      (await ledgerPage(bench.database, other.id, { before: all[0]!.sequence + 1 })).entries,
    ).toEqual([])
  })

  test('the CSV is the same entries, whatever stands in a label', async () => {
    const text = (await Array.fromAsync(ledgerCsv(bench.database, account.id))).join('')
    const rows: Record<string, string>[] = parse(text, { columns: true })
    expect(rows).toHaveLength(all.length)
    expect(sum(rows.map((row) => Number(row.credits)))).toBe(all[0]?.balanceAfter ?? -1)
    expect(rows[5]).toMatchObject({
      at: all[5]?.at,
      requestId: all[5]?.requestId,
      balanceAfter: String(all[5]?.balanceAfter),
    })
    const evil = await newAccount(bench.sql, { credits: 10 })
    const { id } = await createKey(bench.database, evil.id, '=1+1', ['read:metadata'])
    await bench.meter.charge(plainRead({ id: evil.id, key: id }))
    const [, line = ''] = (await Array.fromAsync(ledgerCsv(bench.database, evil.id)))
      .join('')
      .split('\r\n')
    expect(line).toContain("'=1+1")
  })

  test('a CSV of thousands comes page by page, each entry once', async () => {
    const many = await newAccount(bench.sql)
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after)
      select ${many.id}, meter_now(), 'charge', -5, -5 * n from generate_series(1, 2500) n`
    const chunks = await Array.fromAsync(ledgerCsv(bench.database, many.id))
    expect(chunks).toHaveLength(1 + 3)
    expect(chunks.join('').trimEnd().split('\r\n')).toHaveLength(2_501)
  })
})

describe('chart', () => {
  test('credits by day and endpoint are the ledger’s charges, to the credit', async () => {
    const days = await creditsPerDay(bench.database, account.id)
    const charges = all.filter(({ kind }) => kind === 'charge')
    expect(sum(days.map(({ credits }) => credits))).toBe(
      -sum(charges.map(({ credits }) => credits)),
    )
    expect(sum(days.map(({ calls }) => calls))).toBe(charges.length)
    for (const { day, endpoint, credits } of days) {
      const ofDay = charges.filter(
        (entry) => entry.at.startsWith(day) && entry.endpoint === endpoint,
      )
      expect(credits).toBe(-sum(ofDay.map((entry) => entry.credits)))
    }
  })

  test('days before the span are left out, today is in it', async () => {
    const other = await newAccount(bench.sql, { credits: 100 })
    await bench.meter.charge(plainRead(other))
    expect(await creditsPerDay(bench.database, other.id, 1)).toHaveLength(1)
    await bench.clock.advance(86_400)
    expect(await creditsPerDay(bench.database, other.id, 1)).toEqual([])
    expect(await creditsPerDay(bench.database, other.id, 2)).toHaveLength(1)
  })
})

describe('entries since a moment, which no index on the time finds', () => {
  const HOUR_MS = 3_600_000
  /** Entries at these times, in this order. Other accounts' entries stand between them, as they do in use. */
  async function ledgerAt(atMs: readonly number[]) {
    const [owner, other] = [await newAccount(bench.sql), await newAccount(bench.sql)]
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after)
      select case when every.nth = 0 then ${owner.id}::uuid else ${other.id}::uuid end,
             to_timestamp(given.ms / 1000), 'charge', -5, 0
        from unnest(${atMs}::float8[]) with ordinality as given(ms, position)
       cross join generate_series(0, (given.position % 3)::integer) as every(nth)
       order by given.position, every.nth`
    return owner.id
  }
  const since = async (id: string, ms: number) => {
    const [row] = await bench.sql<{ since: number; entries: { sequence: number; ms: number }[] }[]>`
      select ledger_since(${id}, to_timestamp(${ms}::float8 / 1000))::integer as since,
             (select coalesce(json_agg(json_build_object('sequence', sequence, 'ms', meter_ms(at)) order by sequence), '[]')
                from ledger where account_id = ${id}) as entries`
    return row!
  }

  test('all of them, none that is over an hour older, also where the clock was set back by an hour', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -HOUR_MS, max: 5 * HOUR_MS }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: -3 * HOUR_MS, max: 60 * HOUR_MS }),
        async (steps, askedMs) => {
          // The clock never falls back by more than an hour behind the latest time that it showed.
          let latestMs = 0
          const atMs = steps.map((step) => {
            const ms = Math.max(latestMs - HOUR_MS, latestMs + step)
            latestMs = Math.max(latestMs, ms)
            return ms
          })
          const { since: from, entries } = await since(await ledgerAt(atMs), askedMs)
          for (const { sequence, ms } of entries) {
            if (ms >= askedMs) expect(sequence).toBeGreaterThanOrEqual(from)
            if (ms < askedMs - 2 * HOUR_MS) expect(sequence).toBeLessThan(from)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('there are none in an account without entries', async () => {
    expect(await since(crypto.randomUUID(), 0)).toEqual({ since: null, entries: [] } as never)
  })

  test('what pages ask of a long ledger reads its own entries alone', async () => {
    const dayMs = 24 * HOUR_MS
    const nowMs = bench.clock.now()
    const id = await ledgerAt(
      Array.from({ length: 4_000 }, (_, n) => nowMs - dayMs * (100 - n / 40)),
    )
    const session = connect({ url: bench.url, connections: 1, deadlineMs: PATIENCE_MS })
    const rows = () =>
      session.use(async ({ sql }) => {
        await sql`select pg_stat_force_next_flush()`
        const [row] = await sql<{ rows: number }[]>`
          select sum(seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_user_tables
           where relid in (select relid from pg_partition_tree('ledger'))`
        return row?.rows ?? 0
      })
    const day = new Date(nowMs - 50 * dayMs).toISOString().slice(0, 10)
    const asked: [string, number, () => Promise<unknown>][] = [
      ['a day', 40, async () => (await ledgerPage(session, id, { day }, 1_000)).entries],
      ['the last days', 40, () => creditsPerDay(session, id, 2)],
      ['the last seconds', 40, () => usage(session, id, 86_400, 'key')],
    ]
    await session.use(({ sql }) => sql`vacuum analyze ledger`)
    for (const [what, found, ask] of asked) {
      const before = await rows()
      await ask()
      expect([what, (await rows()) - before < found * 2 + 100]).toEqual([what, true])
    }
    expect(await ledgerPage(session, id, { day }, 1_000)).toMatchObject({ entries: { length: 40 } })
    await session.close()
  })
})

describe('credits', () => {
  test('what is left of the grants is the balance, soonest to expire first; the plan says when it ends', async () => {
    const other = await newAccount(bench.sql)
    await grant(bench.sql, other.id, 'topup', 100)
    await startPlan(bench.sql, other.id, 'pro', true)
    for (let count = 0; count < 3; count++) await bench.meter.charge(plainRead(other))
    const credits = await creditsOf(bench.database, other.id)
    expect(credits).toMatchObject({
      balance: 6_085,
      tier: 'pro',
      unlimited: false,
      plan: { name: 'pro', renews: true },
    })
    expect(credits?.grants.map(({ source, remaining }) => [source, remaining])).toEqual([
      ['plan', 5_985],
      ['topup', 100],
    ])
    expect(credits?.plan?.endsAt).toBe(credits?.grants[0]?.expiresAt ?? '')
  })

  test('they add up while calls go on', async () => {
    const other = await newAccount(bench.sql, { tier: 'team', credits: 10_000 })
    const calls = Promise.all(
      Array.from({ length: 40 }, () => bench.meter.charge(plainRead(other))),
    )
    for (let count = 0; count < 10; count++) {
      const credits = await creditsOf(bench.database, other.id)
      expect(sum(credits!.grants.map(({ remaining }) => remaining))).toBe(credits!.balance)
    }
    await calls
  })

  test('what expired is gone, with its line in the ledger', async () => {
    const other = await newAccount(bench.sql)
    await grant(bench.sql, other.id, 'trial', 50, '1 day')
    await bench.clock.advance(86_400)
    expect(await creditsOf(bench.database, other.id)).toMatchObject({
      balance: 0,
      grants: [],
      plan: null,
    })
    const { entries } = await ledgerPage(bench.database, other.id)
    expect(entries[0]).toMatchObject({ kind: 'expiry', credits: -50, source: 'trial' })
  })

  test('there is nothing to say of nobody’s account', async () => {
    expect(await creditsOf(bench.database, crypto.randomUUID())).toBeUndefined()
  })
})
