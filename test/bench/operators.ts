/**
 * `bun run bench:operators [--people N] [--companies N] [--rounds N] [--seconds S] [--look S] [--rows N] [--calls N] [--only TASK]`
 *
 * The API's latency with and without three operators at work on the same server, in alternating rounds of S seconds: the
 * target is a p99 of at most 1.25 times. One reads accounts and payments; one finds and changes records, and reads Home and the
 * audit log; one imports files of N companies and makes backups (`operators-at-work.ts`). Each looks at a page for some seconds.
 * The server's processor time holds that of the processes by which it imports and makes backups. `--only accounts`, `records` or
 * `imports` measures one of the three.
 */
import { parseArgs } from 'node:util'
import type postgres from 'postgres'
import { connect } from '../../src/database/client.ts'
import { run, serve, temporaryDirectory } from '../helpers/command.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import { measureBeside, startOthers, tellBeside } from './beside.ts'
import { fillAccount, makeReaders, type Reader } from './full-account.ts'
import { makeOperator } from './operator-kinds.ts'
import type { Company, Task, Work } from './operators-at-work.ts'
import { makeMix } from './requests.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '30' },
    look: { type: 'string', default: '2' },
    rows: { type: 'string', default: '3000' },
    // Of the API, a second.
    calls: { type: 'string', default: '150' },
    only: { type: 'string' },
  },
})
const TASKS: readonly Task[] = ['accounts', 'records', 'imports']
const TARGET_TIMES = 1.25
const ACCOUNTS = 1_000
/** Backups that are kept. */
const KEEP = '2'

const tasks = TASKS.filter((task) => options.only === undefined || options.only === task)
if (tasks.length === 0) throw new Error(`--only: expected one of ${TASKS.join(', ')}`)

const bench = await benchDatabase(Number(options.people), Number(options.companies))
const database = connect({ url: bench.url, connections: 4 })
const backups = await temporaryDirectory()
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const operators = await makeReaders(database, TASKS.length)
  for (const operator of operators) await makeOperator(database, bench.sql, operator)
  // One account with all that there may be.
  for (const { accountId } of operators.slice(0, 1)) await fillAccount(bench.sql, accountId)
  const environment = { DATABASE_URL: bench.url, LOG_LEVEL: 'error' }
  // With one there, none of the server's own is due.
  const { code, stderr } = await run(['backup', backups.path, '--keep', KEEP], { env: environment })
  if (code !== 0) throw new Error(stderr)
  const server = await serve({ ...environment, BACKUP_DIR: backups.path, BACKUP_KEEP: KEEP })
  const work = await workOf(bench.sql, server.appUrl, operators)
  const measured = await measureBeside({
    apiUrl: server.apiUrl,
    requests: await makeMix(bench.sql, keys, ACCOUNTS),
    perSecond: Number(options.calls),
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    pids: { server: server.pid, postgres: bench.server.pid },
    start: () => startOthers('operators-at-work.ts', work),
  })
  await server.stop()
  tellBeside(measured, `operators at work (${tasks.join(', ')})`, TARGET_TIMES)
} finally {
  await database.close()
  await bench.close()
  await backups.remove()
}

async function workOf(
  sql: postgres.Sql,
  appUrl: string,
  operators: readonly Reader[],
): Promise<Work> {
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  const accounts = idsOf(
    await sql<{ id: string }[]>`select id from accounts order by random() limit 50`,
  )
  const filled = operators.slice(0, 1).map(({ accountId }) => accountId)
  const cookieOf = (task: Task) => operators[TASKS.indexOf(task)]?.cookie ?? ''
  return {
    appUrl,
    operators: Object.fromEntries(tasks.map((task) => [task, cookieOf(task)])),
    lookMs: Number(options.look) * 1_000,
    searches: ['reader-1@', 'Bench', ...accounts],
    // Every second one is that with all that there may be.
    accounts: accounts.flatMap((id) => [id, ...filled]),
    payments: idsOf(await sql<{ id: string }[]>`select id from payments`),
    people: await sql<{ id: string; name: string }[]>`
      select id, first_name || ' ' || last_name as name from people order by random() limit 200`,
    companies: await sql<Company[]>`
      select id, external_id as "externalId", name, company_type as "companyType"
        from companies order by random() limit ${Number(options.rows)}`,
    rows: Number(options.rows),
  }
}
