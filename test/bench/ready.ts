/**
 * `bun run bench:ready [--people N] [--companies N] [--runs N]`
 *
 * From the process's start to its ready line with that many records in PostgreSQL, and what it holds of
 * the machine's memory then, ten seconds later, and after ten seconds of billed calls (the mix of
 * `bench:http`). Each run starts once from the tables and once from a snapshot; `--people 1000000` measures
 * a million.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect } from '../../src/database/client.ts'
import { writeSnapshot } from '../../src/directory/records/snapshot/snapshot.ts'
import type { Environment } from '../helpers/command.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import type { LoadRequest } from './http-load.ts'
import { type ProbedServer, serveProbed } from './probed-server.ts'
import { makeMix } from './requests.ts'
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

const folder = await mkdtemp(join(tmpdir(), 'chainkin-ready-'))
const snapshot = join(folder, 'snapshot')
const bench = await benchDatabase(Number(options.people), Number(options.companies))
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const mix = await makeMix(bench.sql, keys, ACCOUNTS)
  const database = connect({ url: bench.url, connections: 2 })
  await writeSnapshot(database, snapshot)
  await database.close()
  const sources = { tables: {}, snapshot: { INDEX_SNAPSHOT: snapshot } }
  const rows: object[] = []
  for (let number = 0; number < Number(options.runs); number++) {
    for (const [from, environment] of Object.entries(sources)) {
      rows.push({ from, ...(await measured(environment, mix)) })
    }
  }
  console.table(rows)
} finally {
  await bench.close()
  await rm(folder, { recursive: true })
}

async function measured(environment: Environment, mix: readonly LoadRequest[]) {
  const server = await serveProbed({ DATABASE_URL: bench.url, LOG_LEVEL: 'error', ...environment })
  const readyMb = rssMb(server)
  await pause(WATCHED_MS)
  const idleMb = rssMb(server)
  const load = startSteadyLoad(server.apiUrl, mix, PER_SECOND)
  await pause(WATCHED_MS)
  await load.stop()
  const loadedMb = rssMb(server)
  await server.stop()
  return { readyMs: Math.round(server.readyMs), readyMb, idleMb, loadedMb }
}

function rssMb(server: ProbedServer): number {
  return Math.round(server.rssMb())
}
