/**
 * `bun run bench:ready [--people N] [--companies N] [--runs N]`
 *
 * From the process's start to its ready line with that many records in PostgreSQL, and what it holds of
 * the machine's memory then, ten seconds later, and after ten seconds of billed calls (the mix of
 * `bench:http`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { benchDatabase, makeAccounts, makeMix } from './bench-database.ts'
import { type ProbedServer, serveProbed } from './probed-server.ts'
import { startSteadyLoad } from './steady-load.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    runs: { type: 'string', default: '3' },
  },
})
const WATCHED_MS = 10_000
const PER_SECOND = 150
const ACCOUNTS = 10_000

const bench = await benchDatabase(Number(options.people), Number(options.companies))
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const mix = await makeMix(bench.sql, keys, ACCOUNTS)
  const rows: object[] = []
  for (let number = 0; number < Number(options.runs); number++) {
    const server = await serveProbed({ DATABASE_URL: bench.url, LOG_LEVEL: 'error' })
    const readyMb = rssMb(server)
    await pause(WATCHED_MS)
    const idleMb = rssMb(server)
    const load = startSteadyLoad(server.apiUrl, mix, PER_SECOND)
    await pause(WATCHED_MS)
    await load.stop()
    rows.push({ readyMs: Math.round(server.readyMs), readyMb, idleMb, loadedMb: rssMb(server) })
    await server.stop()
  }
  console.table(rows)
} finally {
  await bench.close()
}

function rssMb(server: ProbedServer): number {
  return Math.round(server.rssMb())
}
