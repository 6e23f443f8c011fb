/**
 * `bun run bench:moving [--people N] [--companies N] [--accounts N] [--entries N]`
 *
 * A large database moves: PostgreSQL → embedded → PostgreSQL, by `backup` and `restore` as an operator runs them. Says what each takes
 * of time, processor and memory, how large the file is, and whether every table and the books are the same at the end.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type postgres from 'postgres'
import { TABLE_NAMES } from '../../src/database/backup/tables.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/open.ts'
import { checkBooks } from '../../src/money/charge/books.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { benchDatabase, createDatabase, makeAccounts } from './bench-database.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    accounts: { type: 'string', default: '10000' },
    entries: { type: 'string', default: '1000000' },
  },
})

const folder = await mkdtemp(join(tmpdir(), 'chainkin-moving-'))
const bench = await benchDatabase(Number(options.people), Number(options.companies))
try {
  await makeAccounts(bench.sql, Number(options.accounts))
  await charge(bench.sql, Number(options.entries))
  const dataDir = join(folder, 'data')
  const empty = await createDatabase(bench.server, 'moved')
  const steps: object[] = []
  const before = await onPostgres(bench.url, stateOf)
  steps.push(await run({ DATABASE_URL: bench.url }, 'backup', join(folder, 'first.tar')))
  steps.push(
    await run({ DATA_DIR: dataDir }, 'restore', join(folder, 'first.tar'), '--without-erasures'),
  )
  const embedded = await openDatabase({ databaseUrl: undefined, dataDir })
  const between = await stateOf(embedded.database)
  await embedded.close()
  steps.push(await run({ DATA_DIR: dataDir }, 'backup', join(folder, 'second.tar')))
  steps.push(
    await run({ DATABASE_URL: empty }, 'restore', join(folder, 'second.tar'), '--without-erasures'),
  )
  const after = await onPostgres(empty, stateOf)
  console.table(steps)
  console.log(`rows: ${JSON.stringify(before.rows)}`)
  const isSame = [between, after].every((state) => JSON.stringify(state) === JSON.stringify(before))
  console.log(isSame ? 'every table and the books are the same' : 'NOT THE SAME')
  console.log(`books: ${JSON.stringify(after.books)}`)
} finally {
  await bench.close()
  await rm(folder, { recursive: true, force: true })
}

/** Entries of the ledger over 60 days, a credit each, with sessions of as many people as there are accounts. */
async function charge(sql: postgres.Sql, entries: number) {
  // Keys in a list, because a join by the number would look at each of them for each entry.
  await sql`
    insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
    select k.accounts[1 + n % k.count], now() - (${entries}::bigint - n)::float8 / ${entries}::bigint * interval '60 days', 'charge',
           -1, 1000000 - 1 - n / k.count, gen_random_uuid()::text, '/v1/people/{id}', k.ids[1 + n % k.count]
      from generate_series(0, ${entries}::bigint - 1) n,
           (select array_agg(account_id order by id) as accounts, array_agg(id order by id) as ids, count(*) as count
              from api_keys where environment = 'live') k`
  await sql`
    update accounts a set balance = l.sum, unallotted = l.sum - 1000000
      from (select account_id, sum(credits) as sum from ledger group by 1) l where l.account_id = a.id`
  await sql`
    insert into users (id, name, email, password)
    select id, name, id || '@example.com', 'x' from accounts`
  await sql`analyze`
}

async function onPostgres<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect({ url, connections: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Rows and a sum of each table, whatever their order, and the books. */
async function stateOf(database: Database) {
  const rows: Record<string, number> = {}
  const sums: Record<string, string> = {}
  await database.use(
    async ({ sql }) => {
      await sql.unsafe(`set timezone = 'UTC'`)
      for (const name of TABLE_NAMES) {
        const [row] = await sql.unsafe(
          `select count(*)::float8 as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as sum from ${name} t`,
        )
        if (row?.rows > 0) rows[name] = row?.rows
        sums[name] = row?.sum
      }
    },
    { deadlineMs: 600_000 },
  )
  return { rows, sums, books: await checkBooks(database) }
}

/** Runs a command in a process of its own. */
async function run(env: Record<string, string>, command: string, ...args: string[]) {
  const began = performance.now()
  const child = Bun.spawn([process.execPath, 'src/main.ts', command, ...args, '--json'], {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'error', ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const said = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${command}: ${said}`)
  const used = child.resourceUsage()
  return {
    command: `${command} ${env.DATABASE_URL ? 'PostgreSQL' : 'embedded'}`,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    cpuSeconds: Math.round(Number(used?.cpuTime.total ?? 0) / 1e5) / 10,
    peakMb: Math.round((used?.maxRSS ?? 0) / 1024 / 1024),
    fileMb: Math.round((await stat(args[0] ?? '')).size / 1e5) / 10,
  }
}
