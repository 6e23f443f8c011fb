/** Erasures, merges and undos of a person whom many accounts have revealed, beside charges, on a real PostgreSQL. */

import { expect, test } from 'bun:test'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import { mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { chargeGroup } from '../../../src/money/charge/transport.ts'
import { setContactNote } from '../../../src/people/contacts/contacts.ts'
import { addToList } from '../../../src/people/contacts/record-lists.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import {
  expectBooksToBalance,
  newAccount,
  newContact,
  readOf,
  revealOf,
} from '../../money/charge/fixtures.ts'
import { refusal, somebody, tablesHolding, untilWaitingFor } from './traces.ts'

const t = sharedDatabase()
const meter = () => createMeter(t.database, { maxWaitMs: PATIENCE_MS })
const payer = () => newAccount(t.sql, { tier: 'team', credits: 100 })
const merge = (...both: [string, string]) => mergeRecords(t.database, 'person', both, 'olga')

/** Begins `act` while rows of a person are locked, and runs `meanwhile` once it waits for one. @returns what `act` returns */
async function pausedAt<T>(
  table: 'unlocks' | 'ledger',
  person: string,
  act: () => Promise<T>,
  meanwhile: () => Promise<void>,
): Promise<T> {
  const begun = await t.sql.begin(async (sql) => {
    await sql`select from ${sql(table)} where person_id = ${person} for update`
    const end = act()
    end.catch(() => {})
    await untilWaitingFor(t.sql, 'transactionid')
    await meanwhile()
    return { end }
  })
  return begun.end
}

test.each(['unlocks', 'ledger'] as const)(
  'an erasure that takes a person out of many accounts, and out of their %s, holds up no charge, and takes what they reveal, note and list meanwhile',
  async (table) => {
    const { row } = somebody()
    await importRows(t.database, 'people', [row])
    const [before, other] = [await payer(), await newContact(t.sql)]
    await meter().charge(revealOf(before, row.id))
    const meanwhile = await payer()
    const [list] = await t.sql`
      insert into record_lists (account_id, name) values (${meanwhile.id}, 'Founders') returning id`
    const erased = await pausedAt(
      table,
      row.id,
      () => erasePerson(t.database, row.id, 'olga'),
      async () => {
        for (const call of [revealOf(await payer(), other), revealOf(meanwhile, row.id)]) {
          expect(await meter().charge(call)).toMatchObject({ outcome: 'charged', charged: 10 })
        }
        // Who revealed them before has them still, and pays no second time.
        expect(await meter().charge(revealOf(before, row.id))).toMatchObject({ charged: 5 })
        expect(
          await setContactNote(t.database, meanwhile.id, row.id, { note: 'met', tags: '' }),
        ).toBe(true)
        expect(await addToList(t.database, meanwhile.id, list?.id, [row.id])).toMatchObject({
          added: 1,
        })
      },
    )
    expect(erased).toMatchObject({ records: 1 })
    expect(await tablesHolding(t.sql, row.id)).toEqual(['change_log'])
    expect(await meter().charge(revealOf(meanwhile, row.id))).toMatchObject({
      outcome: 'not_found',
    })
    await expectBooksToBalance(t.sql)
  },
)

test('an erasure waits for a reveal that is under way, and takes what it unlocks', async () => {
  const { row } = somebody()
  await importRows(t.database, 'people', [row])
  const caller = await payer()
  const reveal = await t.sql.reserve()
  await reveal`begin`
  expect(await chargeGroup(reveal, [revealOf(caller, row.id)])).toMatchObject([{ charged: 10 }])
  const end = erasePerson(t.database, row.id, 'olga')
  end.catch(() => {})
  await untilWaitingFor(t.sql, 'advisory')
  await reveal`commit`
  reveal.release()
  expect(await end).toMatchObject({ records: 1 })
  expect(await tablesHolding(t.sql, row.id)).toEqual(['change_log'])
  await expectBooksToBalance(t.sql)
})

test('a reveal waits for a merge that is under way, and unlocks who stays', async () => {
  const [older, younger] = [await newContact(t.sql), await newContact(t.sql)]
  const caller = await payer()
  const act = JSON.stringify({ who: 'olga', what: 'merge', kind: 'person', id: older })
  const { end } = await t.sql.begin(async (sql) => {
    await sql`select merge_records('person', ${older}, ${younger}, ${act})`
    const end = meter().charge(revealOf(caller, younger))
    const first = [
      end.then(() => 'charged'),
      untilWaitingFor(t.sql, 'advisory').then(() => 'waits'),
    ]
    expect(await Promise.race(first)).toBe('waits')
    return { end }
  })
  expect(await end).toMatchObject({ outcome: 'charged', charged: 10 })
  const unlocked = await t.sql`select person_id as id from unlocks where account_id = ${caller.id}`
  const [stays] = await t.sql`select id from people where id in (${older}, ${younger})`
  expect([...unlocked]).toEqual([{ id: stays?.id }])
})

test('an undo of a merge that gives many accounts their unlocks back holds up no charge', async () => {
  const both = [await newContact(t.sql), await newContact(t.sql)] as const
  const [one, other] = [await payer(), await newContact(t.sql)]
  await meter().charge(revealOf(one, both[1]))
  await meter().charge(revealOf(one, both[0]))
  const { id, change } = await merge(...both)
  await pausedAt(
    'unlocks',
    id,
    () => undoChange(t.database, change, 'olga'),
    async () => {
      expect(await meter().charge(revealOf(await payer(), other))).toMatchObject({ charged: 10 })
      for (const person of both) {
        expect(await meter().charge(revealOf(one, person))).toMatchObject({ charged: 5 })
      }
    },
  )
  for (const person of both) {
    expect(await meter().charge(revealOf(one, person))).toMatchObject({ charged: 5 })
  }
  await expectBooksToBalance(t.sql)
})

test('a merge that waits for a long transaction lets charges pass, and is done after it', async () => {
  const both = [await newContact(t.sql), await newContact(t.sql)] as const
  const other = await newContact(t.sql)
  const { end } = await t.sql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock_shared(unlocks_lock())`
    const begun = { end: merge(...both) }
    begun.end.catch(() => {})
    await untilWaitingFor(t.sql, 'advisory')
    for (let call = 0; call < 5; call++) {
      expect(await meter().charge(revealOf(await payer(), other))).toMatchObject({ charged: 10 })
    }
    return begun
  })
  expect(await end).toMatchObject({ change: expect.any(Number) })
})

test('a merge that waits for too long is refused in words, and changes nothing', async () => {
  const { database, sql, drop } = await testDatabase()
  const both = [await newContact(sql), await newContact(sql)] as const
  await sql`alter function merge_records set lock_timeout = '10ms'`
  await sql.begin(async (holder) => {
    await holder`select from people where id = ${both[0]} for update`
    expect(await refusal(mergeRecords(database, 'person', both, 'olga'))).toBe(
      'records were locked for too long, as by an import: nothing was changed, try again',
    )
  })
  expect(await sql`select from people`).toHaveLength(2)
  await drop()
})

/** Accounts whose unlocks are each of another person, which is what the planner's statistics know; more unlocks of one person follow. */
async function crowd(sql: Sql, accounts: number, people: readonly string[]) {
  await sql`alter table unlocks set (autovacuum_enabled = off)`
  await sql`
    insert into accounts (name, email, tier, unlock_count)
    select 'Crowd', 'crowd@example.com', 'team', 1 + ${people.length}::integer from generate_series(1, ${accounts}::integer)`
  await sql`
    insert into unlocks (account_id, person_id, at) select id, gen_random_uuid(), now() from accounts where name = 'Crowd'`
  await sql`analyze unlocks`
  await sql`
    insert into unlocks (account_id, person_id, at)
    select a.id, p.id, now() - n * interval '1 hour'
      from accounts a cross join unnest(${`{${people.join()}}`}::text::uuid[]) with ordinality p (id, n)
     where a.name = 'Crowd' and (n > 1 or a.id < '80000000-0000-0000-0000-000000000000')`
}

const CROWD = 1_500

/** Rows of a table that the transaction has read. */
async function readOfTable(sql: Sql | TransactionSql, table: string): Promise<number> {
  const [row] = await sql`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_xact_user_tables where relname = ${table}`
  return row?.read
}

test('a merge, its undo and an erasure read each unlock and journal entry a few times, with statistics that are out of date', async () => {
  const { database, sql, drop } = await testDatabase()
  const [older, younger, third] = [
    await newContact(sql),
    await newContact(sql),
    await newContact(sql),
  ]
  await sql`update people set created_at = '2020-01-01' where id = ${older}`
  await crowd(sql, CROWD, [older, younger, third])
  await sql`analyze journal, journal_entries, journal_created`
  const acts: Record<string, (sql: TransactionSql) => Promise<unknown>> = {
    merge: (sql) =>
      sql`select merge_records('person', ${older}, ${younger}, ${JSON.stringify({ who: 'olga', what: 'merge', kind: 'person', id: older })})`,
    undo: (sql) => sql`select undo_change((select max(change) from journal), 'olga')`,
    erasure: (sql) => sql`select erase_people(array[${third}]::uuid[], 'olga')`,
  }
  for (const [name, act] of Object.entries(acts)) {
    const reads = await sql.begin(async (sql) => {
      await act(sql)
      return {
        unlocks: await readOfTable(sql, 'unlocks'),
        journal: await readOfTable(sql, 'journal'),
        entries: await readOfTable(sql, 'journal_entries'),
      }
    })
    for (const [table, read] of Object.entries(reads)) {
      expect([name, table, read > 100 * CROWD]).toEqual([name, table, false])
    }
  }
  await database.close()
  await drop()
})

test('a reveal reads its own account’s unlock, however many have revealed the person', async () => {
  const { url, sql, drop } = await testDatabase()
  const person = await newContact(sql)
  const caller = await newAccount(sql, { tier: 'team', credits: 100 })
  await crowd(sql, CROWD, [await newContact(sql), person])
  const fresh = postgres(url, { max: 1 })
  await fresh`begin`
  await chargeGroup(fresh, [revealOf(caller, person)])
  expect(await readOfTable(fresh, 'unlocks')).toBeLessThan(10)
  await fresh`rollback`
  await fresh.end()
  await drop()
})

test('calls that name a merged person are charged once each, in whatever order the planner joins', async () => {
  const { merged } = await merge(await newContact(t.sql), await newContact(t.sql))
  const accounts = await Promise.all(Array.from({ length: 3 }, payer))
  // A fresh session has no plan yet, and one to which everything costs the same takes the worst.
  const fresh = postgres(t.url, { max: 1 })
  await fresh`set cpu_operator_cost = 0`
  await fresh`set cpu_tuple_cost = 0`
  const calls = accounts.map((account) => readOf(account, merged))
  const outcomes = await chargeGroup(fresh, calls)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['charged', 'charged', 'charged'])
  await fresh.end()
  for (const { id } of accounts) {
    const [row] = await t.sql`select balance::integer as balance from accounts where id = ${id}`
    expect(row?.balance).toBe(95)
  }
})
