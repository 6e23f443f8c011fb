/**
 * The speed of what reads and grows a ledger of years: `bun run bench ledger --entries 20000000 --own 5000000`.
 *
 * One account has `--own` of the entries, evenly over `--days` days up to now; `--accounts` others share the rest. Then, each unless
 * `--only` names others (`--only pages,doctor`):
 *
 *   pages     queries of pages and commands for that account, in this process
 *   charges   charges a second, 64 at once, beside a ledger with no entries on the same server: `--rounds` of `--seconds`, in turns
 *   usage     the command, of a year
 *   archive   the command, of the oldest month, and how long charges take meanwhile, 8 at once
 *   doctor    the command
 *
 * `--unsummed` leaves all daily sums to the service: `pages` asks before and after they are made, and says what that takes.
 * PostgreSQL has its default settings, so that every commit reaches the disk. With `BENCH_DATABASE_URL` the ledger is filled once, in a
 * database of that server which stays, and further runs go on with it as it is: the archive takes a month from it each time.
 */
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { countFigures } from '../../src/console/acts/figures.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { keysOf } from '../../src/money/accounts/keys.ts'
import { creditsPerDay, ledgerFilters, ledgerPage, usage } from '../../src/money/accounts/ledger.ts'
import { overviewOf } from '../../src/money/accounts/overview.ts'
import { sumLedger } from '../../src/money/charge/ledger-days.ts'
import { run, temporaryDirectory } from '../helpers/command.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { createDatabase, hasDatabase, namedServer } from './bench-database.ts'
import { after, timesOf } from './figures.ts'
import { compareCharges, openCharges } from './ledger-charges.ts'
import { fillLedger, giveCredits, makeTeams } from './long-ledger.ts'

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    own: { type: 'string', default: '250000' },
    days: { type: 'string', default: '395' },
    accounts: { type: 'string', default: '10000' },
    times: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '6' },
    only: { type: 'string', default: 'pages,charges,usage,archive,doctor' },
    unsummed: { type: 'boolean', default: false },
  },
})
const shape = {
  entries: Number(options.entries),
  own: Number(options.own),
  days: Number(options.days),
  accounts: Number(options.accounts),
  hasSums: !options.unsummed,
}
const times = Number(options.times)
const only = options.only.split(',')
const DEADLINE_MS = 600_000
const HOUR_SECONDS = 3_600
/** Charges at once: as many as fill groups, and so few that the rest of the machine is free for a command. */
const [MANY, FEW] = [64, 8]
/** How long charges are measured before the archive begins. */
const ALONE_MS = 4_000

const began = performance.now()
const named = process.env.BENCH_DATABASE_URL
const server = named ? await namedServer(named) : await startPostgres([], { durable: true })
try {
  const name = `ledger_${shape.entries}_${shape.own}_${shape.days}_${shape.accounts}${options.unsummed ? '_unsummed' : ''}`
  const url = server.url(name)
  if (!(await hasDatabase(server, name)))
    await fill(await createDatabase(server, `${name}_new`), name)
  const database = connect({ url, connections: 2, deadlineMs: DEADLINE_MS })
  await migrate(database)
  const account = await ownAccount(url)
  await sayShape(url)
  if (only.includes('pages')) await askPages(database, account)
  await database.close()
  if (only.includes('charges')) await compare(url)
  if (only.includes('usage'))
    await command(url, ['usage', account, '--since', '365d', '--by', 'endpoint'])
  if (only.includes('archive')) await archive(url)
  if (only.includes('doctor')) await command(url, ['doctor'])
} finally {
  await server.stop()
}

function say(what: string) {
  console.log(`${((performance.now() - began) / 1_000).toFixed(1)} s: ${what}`)
}

/** Under another name until it is whole: a run that was ended leaves none that looks filled. */
async function fill(url: string, name: string) {
  const database = connect({ url, connections: 1, deadlineMs: DEADLINE_MS })
  await migrate(database)
  await database.close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await fillLedger(sql, shape, say)
  await sql.end()
  const admin = postgres(server.url('postgres'), { max: 1 })
  await admin.unsafe(`alter database ${name}_new rename to ${name}`)
  await admin.end()
}

/** The one with the most entries. */
async function ownAccount(url: string): Promise<string> {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql<{ id: string }[]>`select id from accounts order by id limit 1`
  await sql.end()
  return row?.id ?? ''
}

async function sayShape(url: string) {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`
    select count(*) filter (where reltuples > 0)::integer as tables, sum(greatest(reltuples, 0))::float8 as entries,
           sum(pg_relation_size(oid))::float8 as heap, sum(pg_total_relation_size(oid))::float8 as bytes
      from pg_class where oid in (select relid from pg_partition_tree('ledger') where isleaf)`
  const [sums] = await sql`
    select count(*)::integer as rows, pg_total_relation_size('ledger_days')::float8 as bytes from ledger_days`
  await sql.end()
  const each = (bytes: number) => (bytes / row?.entries).toFixed(0)
  say(
    `${row?.entries} entries in ${row?.tables} tables, ${shape.own} of one account: ${each(row?.bytes)} bytes each, of which ${each(row?.heap)} the row; ${sums?.rows} daily sums, ${(sums?.bytes / 1e6).toFixed(1)} MB`,
  )
}

async function askPages(database: Database, account: string) {
  const middle = new Date(Date.now() - (shape.days / 2) * 24 * HOUR_SECONDS * 1_000)
  const day = middle.toISOString().slice(0, 10)
  const asked: Record<string, () => Promise<unknown>> = {
    'days of the Usage page': () => creditsPerDay(database, account),
    'filters of the Usage page': () => ledgerFilters(database, account),
    'a page of the ledger': () => ledgerPage(database, account),
    'a page of the middle': () => ledgerPage(database, account, { before: shape.entries / 2 }),
    'a page of a day': () => ledgerPage(database, account, { day }),
    'a page of an endpoint': () => ledgerPage(database, account, { endpoint: '/v1/search' }),
    'a page of a key without calls': () => ledgerPage(database, account, { key: account }),
    'a page of an old request': () => ledgerPage(database, account, { request: 'the first' }),
    keys: () => keysOf(database, account),
    'usage, a year': () => usage(database, account, 365 * 24 * HOUR_SECONDS, 'endpoint'),
    'usage, 12 hours': () => usage(database, account, 12 * HOUR_SECONDS, 'day'),
    overview: () => overviewOf(database, account),
  }
  if (options.unsummed) console.table(await timesOf(asked, times))
  const fromMs = performance.now()
  await sumLedger(database)
  say(`summed up in ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`)
  const restMs = performance.now()
  await sumLedger(database)
  say(`with nothing to sum up: ${(performance.now() - restMs).toFixed(1)} ms`)
  const figuresMs = performance.now()
  await countFigures(database)
  say(`figures of all accounts: ${(performance.now() - figuresMs).toFixed(1)} ms`)
  console.table(await timesOf(asked, times))
}

async function compare(url: string) {
  const empty = await createDatabase(server, 'ledger_empty')
  const database = connect({ url: empty, connections: 1 })
  await migrate(database)
  await database.close()
  const sql = postgres(empty, { max: 1, onnotice: () => {} })
  await makeTeams(sql, shape.accounts)
  await giveCredits(sql)
  await sql`vacuum analyze`
  await sql`checkpoint`
  await sql.end()
  const { perSecond, ratio, ratios } = await compareCharges([url, empty], {
    rounds: Number(options.rounds),
    forMs: Number(options.seconds) * 1_000,
    atOnce: MANY,
  })
  say(
    `charges a second: ${perSecond[0]}, of an empty ledger ${perSecond[1]}; ${ratio} times (${ratios.join(' ')})`,
  )
}

/** The oldest month, into a folder that is thrown away. */
async function archive(url: string) {
  const sql = postgres(url, { max: 1 })
  const [oldest] = await sql<{ until: Date }[]>`select until from ledger_parts() limit 1`
  await sql.end()
  const before = oldest?.until.toISOString().slice(0, 7) ?? ''
  const folder = await temporaryDirectory()
  const { charge, close } = await openCharges(url)
  console.table({ 'charges alone': await charge(after(ALONE_MS), FEW) })
  let isOver = false
  const archived = command(url, ['ledger', 'archive', '--to', folder.path, '--before', before])
  const ended = archived.finally(() => {
    isOver = true
  })
  console.table({ 'charges meanwhile': await charge(() => isOver, FEW) })
  await ended
  await close()
  await folder.remove()
}

async function command(url: string, args: readonly string[]) {
  const fromMs = performance.now()
  const { code, stdout, stderr } = await run(args, { env: { DATABASE_URL: url } })
  const seconds = ((performance.now() - fromMs) / 1_000).toFixed(1)
  say(`chainkin ${args.join(' ')}: ${seconds} s, exit ${code}\n${(stdout + stderr).trimEnd()}`)
}
