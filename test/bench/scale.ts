/**
 * A directory of any size: `bun test/bench/scale.ts [--people 100000,1000000,5000000] [--requests 400]`
 *
 * For each size: from the process's start to its ready line and the processor time that this took, what it holds of the machine's
 * memory then (and at most until then), and what searches and lists take, one call at a time over HTTP, charge included.
 * `src/SCALE.md` has the figures. 30,000 companies; people are made by PostgreSQL, of the names of an invented 20,000, because
 * an import of five millions would take longer than all else.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type postgres from 'postgres'
import { Chance } from '../../src/demo/random.ts'
import { serve } from '../helpers/command.ts'
import { type BenchDatabase, benchDatabase, makeAccounts } from './bench-database.ts'
import { rounded } from './medians.ts'
import { requestKinds } from './requests.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000,1000000,5000000' },
    requests: { type: 'string', default: '400' },
  },
})
const FIRST_PEOPLE = 20_000
const COMPANIES = 30_000
const ACCOUNTS = 2_000
/** After the garbage of the load is gone. */
const REST_MS = 10_000
/** Of processor time in `/proc`. */
const TICKS_PER_SECOND = 100

const bench = await benchDatabase(FIRST_PEOPLE, COMPANIES)
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  // What imports alone need.
  await bench.sql`drop index people_name`
  const rows: object[] = []
  for (const people of options.people.split(',').map(Number)) {
    await growTo(bench.sql, people)
    const row = await measured(bench, people, keys)
    console.log(JSON.stringify(row))
    rows.push(row)
  }
  console.table(rows)
} finally {
  await bench.close()
}

/** Adds people whose first name is of one and whose last name of another of the first, and who work where a third does. */
async function growTo(sql: postgres.Sql, people: number) {
  const [row] = await sql<{ there: number }[]>`select count(*)::integer as there from people`
  const there = row?.there ?? 0
  await sql.begin(async (tx) => {
    await tx.unsafe('set local session_replication_role = replica')
    await tx`
      create temporary table first_people on commit drop as
      select row_number() over (order by id) - 1 as place, * from people order by id limit ${FIRST_PEOPLE}`
    await tx`create unique index on first_people (place)`
    await tx`
      insert into people (id, first_name, last_name, job_title, twitter_handle, is_creator, creator_follower_count, company_id,
                          contact_type, roles, has_email, has_phone, has_telegram, has_linkedin, created_at)
      select gen_random_uuid(), f.first_name, l.last_name, w.job_title, lower(f.first_name) || n, w.is_creator,
             w.creator_follower_count, w.company_id, w.contact_type, w.roles, w.has_email, w.has_phone, w.has_telegram,
             w.has_linkedin, w.created_at + n * interval '1 second'
        from generate_series(${there + 1}::bigint, ${people}::bigint) n
        join first_people f on f.place = n % ${FIRST_PEOPLE}
        join first_people l on l.place = (n * 7919 + n / ${FIRST_PEOPLE}) % ${FIRST_PEOPLE}
        join first_people w on w.place = (n * 104729 + n / ${FIRST_PEOPLE}) % ${FIRST_PEOPLE}`
  })
  await sql`analyze people`
}

async function measured({ url, sql }: BenchDatabase, people: number, keys: readonly string[]) {
  const startedMs = performance.now()
  const server = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error' })
  const readySeconds = (performance.now() - startedMs) / 1_000
  const cpuSeconds = cpuSecondsOf(server.pid)
  const most = statusMb(server.pid, 'VmHWM')
  await pause(REST_MS)
  const rest = statusMb(server.pid, 'VmRSS')
  const { search, misspelt, anyPeopleList, beginning } = await requestKinds(sql)
  const chance = new Chance(5)
  const timesOf = async (what: string, draw: typeof search) => {
    const took: number[] = []
    const cpuBefore = cpuSecondsOf(server.pid)
    for (let n = 0; n < Number(options.requests); n++) {
      const key = chance.pick(keys)
      const askedMs = performance.now()
      const response = await fetch(server.apiUrl + draw(chance, key), {
        headers: { authorization: `Bearer ${key}` },
      })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`answered ${response.status}`)
      took.push(performance.now() - askedMs)
    }
    took.sort((a, b) => a - b)
    const at = (share: number) => rounded(took[Math.floor(took.length * share)] ?? Number.NaN)
    const cpuMs = ((cpuSecondsOf(server.pid) - cpuBefore) * 1_000) / took.length
    return {
      [`${what} cpu ms`]: rounded(cpuMs),
      [`${what} p50`]: at(0.5),
      [`${what} p99`]: at(0.99),
    }
  }
  const times: Record<string, number> = {}
  for (const [what, draw] of Object.entries({ search, misspelt, list: anyPeopleList, beginning })) {
    // The first calls pay for what is made at first use.
    await timesOf(what, draw)
    Object.assign(times, await timesOf(what, draw))
  }
  const callsMb = statusMb(server.pid, 'VmRSS')
  await server.stop('SIGINT')
  return {
    people,
    'ready s': rounded(readySeconds),
    'cpu s': rounded(cpuSeconds),
    'most MB': most,
    'rest MB': rest,
    'after calls MB': callsMb,
    ...times,
  }
}

function statusMb(pid: number, field: string): number {
  const [, kb = ''] =
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1_024)
}

/** User and system, of all threads. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
