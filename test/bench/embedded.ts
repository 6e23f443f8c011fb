/**
 * What it costs the embedded database to wait for the disk: charges a second with it, and with
 * PostgreSQL's `fsync` off, in turns within one run. `bun run bench:embedded [SECONDS]`
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { connect, DatabaseUnavailable } from '../../src/database/client.ts'
import { type EmbeddedDatabase, openEmbedded } from '../../src/database/embedded.ts'
import { openDatabase } from '../../src/database/open.ts'
import type { TestAccount } from '../money/charge/calls.ts'
import { median } from './medians.ts'
import { grouped, prepare, type Way } from './ways.ts'

const MEASURE_MS = Number(process.argv[2] ?? 2) * 1_000
const ROUNDS = 5
const IN_FLIGHT = [1, 8, 64, 256]

interface Subject {
  name: string
  way: Way
  accounts: TestAccount[]
  stop(): Promise<void>
}

async function subject(name: string, setting: string): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chainkin-'))
  const first = await openDatabase({ databaseUrl: undefined, dataDir })
  // Read by the next start.
  await first.database.use(({ sql }) => sql.unsafe(`alter system set fsync = ${setting}`))
  await first.close()
  const embedded: EmbeddedDatabase = await openEmbedded(dataDir)
  const { socketPath: path } = embedded
  const sql = postgres({ path, user: 'postgres', database: 'postgres', max: 1 })
  const [row] = await sql`show fsync`
  if (row?.fsync !== setting) throw new Error(`fsync is ${row?.fsync}`)
  const accounts = await prepare(sql, 1_000)
  await sql`update accounts set rate_count = -1000000000`
  await sql.end()
  const way = grouped(connect({ ...embedded.address, connections: 3 }))
  const stop = async () => {
    await way.close()
    await embedded.stop()
    await rm(dataDir, { recursive: true })
  }
  return { name, way, accounts, stop }
}

/** Charges a second of `inFlight` callers, each of which calls again once it is answered. */
async function perSecond({ way, accounts }: Subject, inFlight: number): Promise<number> {
  let calls = 0
  let charges = 0
  const beganMs = performance.now()
  const endsMs = beganMs + MEASURE_MS
  const caller = async () => {
    while (performance.now() < endsMs) {
      try {
        await way.charge(accounts[calls++ % accounts.length]!)
        charges++
      } catch (error) {
        // A busy machine's meter refuses calls that waited too long: they are no charges.
        if (!(error instanceof DatabaseUnavailable)) throw error
      }
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  return charges / ((performance.now() - beganMs) / 1_000)
}

const subjects = [await subject('waits', 'on'), await subject('does not', 'off')]
const rows: Record<string, Record<string, number>> = {}
for (const inFlight of IN_FLIGHT) {
  const samples = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of subjects) {
      samples.set(each.name, [...(samples.get(each.name) ?? []), await perSecond(each, inFlight)])
    }
  }
  rows[`${inFlight} in flight, charges/s`] = Object.fromEntries(
    [...samples].map(([name, values]) => [name, Math.round(median(values))]),
  )
}
console.table(rows)
for (const { stop } of subjects) await stop()
process.exit(0)
