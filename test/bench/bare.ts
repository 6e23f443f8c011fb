/** The least that a billed call could cost: one prepared statement that changes a row and adds one, run by `pgbench`. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type postgres from 'postgres'
import { temporaryDirectory } from '../helpers/command.ts'
import { median, percentile } from './figures.ts'
import { countCosts, type LoadFigures } from './load.ts'

export async function prepareBare(sql: postgres.Sql): Promise<void> {
  await sql`create table bare_ledger (account_id uuid, credits integer, at timestamptz default now())`
}

/** The accounts are those of `makeAccounts`. */
const SCRIPT = `\\set n random(1, :accounts)
with charged as (
  update accounts set balance = balance - 5 where id = lpad(to_hex(:n::integer), 32, '0')::uuid returning id
)
insert into bare_ledger (account_id, credits) select id, -5 from charged;
`

/** @throws where `pgbench` is not installed */
export async function bare(
  { url, accounts, postgresPid }: { url: string; accounts: number; postgresPid: number },
  inFlight: number,
  seconds: number,
): Promise<LoadFigures> {
  const directory = await temporaryDirectory()
  try {
    const script = join(directory.path, 'bare.sql')
    await writeFile(script, SCRIPT)
    const costs = countCosts({ postgres: postgresPid })
    const options = ['-n', '-M', 'prepared', '-c', inFlight, '-j', 1, '-T', seconds, '--log']
    const pgbench = Bun.spawn(
      ['pgbench', ...options.map(String), '-D', `accounts=${accounts}`, '-f', script, url],
      { cwd: directory.path, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const output = await new Response(pgbench.stdout).text()
    if ((await pgbench.exited) !== 0) {
      throw new Error(`pgbench failed: ${await new Response(pgbench.stderr).text()}`)
    }
    const times = await loggedTimes(directory.path)
    return {
      perSecond: Math.round(Number(/tps = ([\d.]+)/.exec(output)?.[1])),
      p50Ms: median(times),
      p99Ms: percentile(times, 0.99),
      ...costs(times.length, Number(pgbench.resourceUsage()?.cpuTime.total) / 1e6),
    }
  } finally {
    await directory.remove()
  }
}

/** Milliseconds of each transaction; the log's third field is in microseconds. */
async function loggedTimes(folder: string): Promise<number[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('pgbench_log'))
  const logs = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const lines = logs.flatMap((log) => log.trim().split('\n'))
  return lines.map((line) => Number(line.split(' ')[2]) / 1_000)
}
