/** Four ways of charging 5 credits, from the least that could be done to the meter itself. */
import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { CALL_CREDITS, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { chargeGroup } from '../../src/money/charge/transport.ts'
import { plainRead, type TestAccount } from '../money/charge/calls.ts'

export interface Way {
  name: string
  does: string
  charge(account: TestAccount): Promise<void>
  close(): Promise<void>
}

/** As many as a service would have for 64 calls at once; fewer or many more made (a) and (b) slower. */
export const CONNECTIONS = 16

export function ways(url: string): Way[] {
  return [
    bare(pool(url)),
    textbook(pool(url)),
    oneByOne(pool(url)),
    grouped(connect({ url, connections: 3 })),
  ]
}

const pool = (url: string) => postgres(url, { max: CONNECTIONS, onnotice: () => {} })

/** The floor: no window, no key, no tier, no unlock; a row changed and a row added, in one statement. */
function bare(sql: Sql): Way {
  return {
    name: 'a',
    does: 'a bare update + insert, one statement a call',
    async charge({ id, key }) {
      const rows = await sql`
        with charged as (
          update accounts set balance = balance - ${CALL_CREDITS}, unallotted = unallotted + ${CALL_CREDITS}
           where id = ${id} and balance >= ${CALL_CREDITS} returning balance
        )
        insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
        select ${id}, now(), 'charge', ${-CALL_CREDITS}, balance, ${randomUUID()}, ${ENDPOINTS.people.path}, ${key}
          from charged returning balance_after`
      if (rows.length !== 1) throw new Error('not charged')
    },
    close: () => sql.end(),
  }
}

/** What many services do: the rules (here: only key, balance and rate) decided in the program, under a lock. */
function textbook(sql: Sql): Way {
  return {
    name: 'b',
    does: 'the textbook transaction: begin, select for update, update, insert, commit',
    async charge({ id, key }) {
      await sql.begin(async (tx) => {
        const [account] = await tx`
          select a.balance, a.rate_count, k.revoked_at
            from accounts a join api_keys k on k.account_id = a.id and k.id = ${key}
           where a.id = ${id} for update of a`
        const balance = Number(account?.balance) - CALL_CREDITS
        if (!(balance >= 0) || account?.revoked_at) throw new Error('not charged')
        await tx`
          update accounts
             set balance = ${balance}, unallotted = unallotted + ${CALL_CREDITS},
                 rate_count = ${account?.rate_count + 1}
           where id = ${id}`
        await tx`
          insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
          values (${id}, now(), 'charge', ${-CALL_CREDITS}, ${balance}, ${randomUUID()}, ${ENDPOINTS.people.path}, ${key})`
      })
    },
    close: () => sql.end(),
  }
}

/** Every rule of the meter, but each call in a statement of its own. */
function oneByOne(sql: Sql): Way {
  return {
    name: 'c',
    does: 'the meter, one call a statement',
    async charge(account) {
      const [outcome] = await chargeGroup(sql, [plainRead(account)])
      if (outcome?.outcome !== 'charged') throw new Error(`not charged: ${outcome?.outcome}`)
    },
    close: () => sql.end(),
  }
}

/** The meter as the service uses it. */
export function grouped(database: Database): Way {
  const meter = createMeter(database)
  return {
    name: 'd',
    does: 'the meter in groups',
    async charge(account) {
      const { outcome } = await meter.charge(plainRead(account))
      if (outcome !== 'charged') throw new Error(`not charged: ${outcome}`)
    },
    close: () => database.close(),
  }
}

/** Accounts for all ways: they charge the same rows of the same tables. */
export async function prepare(sql: Sql, count: number): Promise<TestAccount[]> {
  await sql.unsafe(`
    insert into accounts (name, email, tier)
    select 'Bench', 'bench@example.com', 'team' from generate_series(1, ${count});
    insert into api_keys (account_id, hash, prefix, label)
    select id, id::text, 'p', 'bench' from accounts;
    select meter_grant(id, 'topup', 100000000, null, null) from accounts`)
  await sql.unsafe('vacuum analyze')
  // Not the keys of the application: two calls of one account at once would find it busy.
  return await sql<TestAccount[]>`
    select account_id as id, id as key from api_keys where environment = 'live' order by random()`
}
