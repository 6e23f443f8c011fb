/**
 * The least that a billed call could cost: one statement that changes a row and adds one, a round trip each. Made by the
 * bench's own process with postgres.js, as the server would make it, and by pgbench, where it is installed.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type postgres from 'postgres'
import { Chance } from '../../src/server/demo/random.ts'
import { temporaryDirectory } from '../helpers/command.ts'
import { type CallCost, countCosts } from './measured-load.ts'

export interface BareFigures extends CallCost {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

export interface Bare {
  url: string
  sql: postgres.Sql
  accounts: readonly string[]
  /** The server's first process. */
  postgresPid: number
}

export async function prepareBare(sql: postgres.Sql): Promise<void> {
  await sql`create table bare_ledger (account_id uuid, credits integer, at timestamptz default now())`
}

export async function bare(
  { sql, accounts, postgresPid }: Bare,
  inFlight: number,
  seconds: number,
): Promise<BareFigures> {
  const took: number[] = []
  const chance = new Chance(3)
  const costs = countCosts({ postgres: postgresPid })
  const until = performance.now() + seconds * 1_000
  const one = async () => {
    while (performance.now() < until) {
      const startedMs = performance.now()
      await sql`
        with charged as (update accounts set balance = balance - 5 where id = ${chance.pick(accounts)} returning id)
        insert into bare_ledger (account_id, credits) select id, -5 from charged`
      took.push(performance.now() - startedMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  const cost = costs(took.length)
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(took.length * share)] ?? Number.NaN
  return {
    perSecond: Math.round(took.length / seconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    ...cost,
  }
}

/** pgbench tells no percentiles: `p50Ms` is its mean. @returns null where it is not installed */
export async function bareByPgbench(
  { url, accounts, postgresPid }: Bare,
  inFlight: number,
  seconds: number,
): Promise<BareFigures | null> {
  if (!Bun.which('pgbench')) return null
  const directory = await temporaryDirectory()
  try {
    const script = join(directory.path, 'bare.sql')
    await writeFile(script, SCRIPT)
    const costs = countCosts({ postgres: postgresPid })
    const options = ['-n', '-M', 'prepared', '-c', inFlight, '-j', 1, '-T', seconds]
    const variables = ['-D', `accounts=${accounts.length}`]
    const pgbench = Bun.spawn(
      ['pgbench', ...options.map(String), ...variables, '-f', script, url],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const output = await new Response(pgbench.stdout).text()
    if ((await pgbench.exited) !== 0) {
      throw new Error(`pgbench failed: ${await new Response(pgbench.stderr).text()}`)
    }
    const number = (what: RegExp) => Number(what.exec(output)?.[1] ?? Number.NaN)
    const calls = number(/transactions actually processed: (\d+)/)
    return {
      perSecond: Math.round(number(/tps = ([\d.]+)/)),
      p50Ms: number(/latency average = ([\d.]+)/),
      p99Ms: Number.NaN,
      ...costs(calls, Number(pgbench.resourceUsage()?.cpuTime.total) / 1e6),
    }
  } finally {
    await directory.remove()
  }
}

/** The accounts of `makeAccounts`. */
const SCRIPT = `\\set n random(1, :accounts)
with charged as (
  update accounts set balance = balance - 5 where id = lpad(to_hex(:n::integer), 32, '0')::uuid returning id
)
insert into bare_ledger (account_id, credits) select id, -5 from charged;
`
