/**
 * The longest that a call waits to be charged while a person whom many accounts have revealed is merged, parted again and erased:
 * `bun run bench:forgetting`. 150 calls a second go on beside it. `--accounts 8000` have revealed each of three people, and
 * `--others 25` others each. Nothing vacuums. Statistics are of before, when each unlock was of another person, which misleads the
 * planner most; with `--statistics none` there are none.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { erasePerson } from '../../src/intake/editing/data-subject.ts'
import { mergeRecords, undoChange } from '../../src/intake/editing/edit.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { readOf, revealOf, type TestAccount } from '../money/charge/calls.ts'

const { values: options } = parseArgs({
  options: {
    accounts: { type: 'string', default: '8000' },
    others: { type: 'string', default: '25' },
    statistics: { type: 'string', default: 'old' },
  },
})
const ACCOUNTS = Number(options.accounts)
const OTHERS = Number(options.others)
const PEOPLE = 10_000
const CALLERS = 200
const EVERY_MS = 1000 / 150
/** Calls before and after what is measured. */
const MARGIN_MS = 1_000

/** The id that ends with a number. `kind` is its first digit. */
const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
const PERSON = 1
const ACCOUNT = 2

const server = await startPostgres(['-c', 'autovacuum=off'], { durable: true })
try {
  const url = server.url('postgres')
  const database = connect({ url, connections: 4, deadlineMs: 60_000 })
  await migrate(database)
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  await fill(sql)
  const callers = await newCallers(sql)
  const merge = () => mergeRecords(database, 'person', [idOf(PERSON, 1), idOf(PERSON, 2)], 'bench')
  const acts: Record<string, () => Promise<unknown>> = {
    nothing: () => pause(2_000),
    'a merge': async () => {
      change = (await merge()).change
    },
    'its undo': () => undoChange(database, change, 'bench'),
    'an erasure': () => erasePerson(database, idOf(PERSON, 3), 'bench'),
  }
  let change = 0
  for (const [name, act] of Object.entries(acts)) {
    console.log(`${name.padEnd(12)} ${await beside(callers, act)}`)
  }
  await database.close()
  await sql.end()
} finally {
  await server.stop()
}

/** Every account has revealed people 2 and 3, every second one person 1, who is older, and others. Statistics are of before. */
async function fill(sql: postgres.Sql) {
  await sql`
    insert into accounts (id, name, email, tier)
    select overlay(${idOf(ACCOUNT, 0)}::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 'Bench', 'bench@example.com', 'team'
      from generate_series(1, ${ACCOUNTS}) n`
  await sql`
    insert into people (id, first_name, last_name, created_at)
    select overlay(${idOf(PERSON, 0)}::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 'First' || n, 'Last' || n,
           now() - make_interval(secs => ${PEOPLE} - n)
      from generate_series(1, ${PEOPLE}) n`
  await sql`
    insert into private_channels (person_id, email) select id, 'mail.' || id || '@people.example' from people`
  const unlock = (which: postgres.PendingQuery<postgres.Row[]>) => sql`
    insert into unlocks (account_id, person_id, at)
    select a.id, overlay(${idOf(PERSON, 0)}::text placing lpad(to_hex(k), 12, '0') from 25)::uuid, now()
      from (select id, row_number() over (order by id)::integer as n from accounts) a cross join lateral (${which}) ks (k)
    on conflict do nothing`
  await unlock(sql`select 10 + a.n`)
  if (options.statistics === 'old') await sql`analyze`
  await unlock(
    sql`select 10 + (a.n * 7 + i * 13) % (${PEOPLE}::integer - 10) from generate_series(1, ${OTHERS}::integer) i`,
  )
  await unlock(sql`select 2 union select 3 union select 1 where a.n % 2 = 0`)
  await sql`update accounts a set unlock_count = (select count(*) from unlocks u where u.account_id = a.id)`
  await sql`select meter_grant(id, 'topup', 1000000, null, null) from accounts`
  await sql`
    insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, person_id)
    select account_id, at, 'charge', 0, 1000000, 'bench', '/v1/people/{id}', person_id from unlocks`
  await sql`
    insert into contact_notes select account_id, person_id, 'note', '{}', at from unlocks where person_id = ${idOf(PERSON, 3)}`
  await sql`insert into record_lists (id, account_id, name) select id, id, 'list' from accounts`
  await sql`
    insert into list_entries
    select account_id, person_id, 'person', at from unlocks where person_id = ${idOf(PERSON, 3)}`
}

async function newCallers(sql: postgres.Sql): Promise<TestAccount[]> {
  const keys = await sql<{ id: string; key: string }[]>`
    insert into api_keys (account_id, hash, prefix, label)
    select id, 'hash ' || id, 'ck_live_test', 'bench' from accounts order by id limit ${CALLERS}
    returning account_id as id, id as key`
  return [...keys]
}

/** Calls 150 times a second while `act` goes on. @returns what became of them */
async function beside(callers: readonly TestAccount[], act: () => Promise<unknown>) {
  const charging: Database = connect({ url: server.url('postgres'), connections: 3 })
  const meter = createMeter(charging)
  const tookMs: number[] = []
  const failures: Record<string, number> = {}
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }
  const inFlight = new Set<Promise<void>>()
  let isOver = false
  let dueMs = performance.now()
  const calling = (async () => {
    for (let n = 0; !isOver; n++) {
      dueMs += EVERY_MS
      await pause(Math.max(0, dueMs - performance.now()))
      const caller = callers[n % callers.length]!
      const person = idOf(PERSON, 10 + ((n * 31) % (PEOPLE - 10)))
      const fromMs = dueMs
      const call = meter
        .charge(n % 5 === 0 ? revealOf(caller, person) : readOf(caller, person))
        .then(
          ({ outcome }) => {
            tookMs.push(performance.now() - fromMs)
            if (outcome !== 'charged') fail(outcome)
          },
          (error: Error) => fail(error.message),
        )
      inFlight.add(call)
      void call.finally(() => inFlight.delete(call))
    }
  })()
  await pause(MARGIN_MS)
  const beganMs = performance.now()
  const end = await act().then(
    () => '',
    (error: Error) => `, refused: ${error.message}`,
  )
  const lastedMs = performance.now() - beganMs
  await pause(MARGIN_MS)
  isOver = true
  await calling
  await Promise.all(inFlight)
  await charging.close()
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
  const reasons = failed > 0 ? ` ${JSON.stringify(failures)}` : ''
  return `took ${Math.round(lastedMs)} ms${end}; of ${tookMs.length + failed} calls ${failed} failed${reasons}, the longest wait was ${Math.round(Math.max(...tookMs))} ms`
}
