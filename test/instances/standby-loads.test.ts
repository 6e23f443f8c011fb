/** The directory is loaded from a standby, also one that is behind, and loses no change by it. */
import { expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { openDirectory } from '../../src/directory/records/open.ts'
import { createLog } from '../../src/log.ts'
import { insertCompany } from '../directory/records/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { type Replica, startReplicas, until } from '../helpers/replicas.ts'
import { shared } from '../helpers/shared.ts'

const pair = shared(startPair, ({ stop }) => stop())

async function startPair() {
  const { primary, replicas, stop } = await startReplicas(2)
  const [, standby] = replicas
  if (!standby) throw new Error('two servers')
  const database = connect({ url: primary.url, connections: 1, deadlineMs: PATIENCE_MS })
  await migrate(database)
  await database.close()
  await standby.follow(primary)
  const sql = primary.connect()
  await insertCompany(sql, 'First')
  return { primary, standby, sql, stop }
}

/** A directory of the primary's changes that is loaded from the standby. */
async function opened() {
  const { primary, standby } = pair
  const warnings: string[] = []
  const log = createLog('warn', (line) => warnings.push(line))
  const config = { databaseUrl: primary.url, databaseReadUrl: standby.url, dataDir: '' }
  const open = await openDatabase(config)
  const directory = await openDirectory(open.database, { log, standby: open.standby })
  const shows = (...names: string[]) =>
    until(() => names.every((name) => directory.search(name, 1).projects.length === 1))
  const stop = async () => {
    await directory.stop()
    await open.close()
  }
  return { directory, warnings, shows, stop }
}

/** Has it replay nothing more until it is told to. */
async function paused(standby: Replica) {
  await standby.ask('select pg_wal_replay_pause()')
  await until(
    async () =>
      (await standby.ask(`select where pg_get_wal_replay_pause_state() = 'paused'`)).length > 0,
  )
}

/** How often the standby and the primary have read whole tables of companies. */
const scans = async (server: { ask(statement: string): Promise<{ n: number }[]> }) => {
  await server.ask('select pg_stat_force_next_flush()')
  const [row] = await server.ask(
    `select (seq_scan + coalesce(idx_scan, 0))::int as n from pg_stat_user_tables where relname = 'people'`,
  )
  return row?.n ?? 0
}

test('tables are read from the standby, and what changes while its replay is paused is followed on the primary', async () => {
  const { primary, standby, sql } = pair
  await until(async () => (await standby.ask('select from companies')).length === 1)
  await paused(standby)
  await insertCompany(sql, 'Second')
  const before = await scans(primary)
  const { directory, warnings, shows, stop } = await opened()
  expect(await scans(primary)).toBe(before)
  expect(await standby.ask('select from companies')).toHaveLength(1)
  // It has caught up with the primary before anybody is served.
  expect(directory.counts.companies).toBe(2)
  await insertCompany(sql, 'Third')
  await shows('First', 'Second', 'Third')
  await stop()
  expect(warnings).toEqual([])
})

test('a rebuild waits for the standby to have what it was asked for, and then reads the primary', async () => {
  const { sql, standby } = pair
  const { directory, warnings, shows, stop } = await opened()
  const rebuilt = directory.rebuild()
  await until(() => warnings.length > 0)
  await rebuilt
  expect(warnings.join()).toContain('is loaded from the primary')
  await standby.ask('select pg_wal_replay_resume()')
  warnings.length = 0
  await insertCompany(sql, 'Fourth')
  await directory.rebuild()
  await shows('First', 'Second', 'Third', 'Fourth')
  expect(warnings).toEqual([])
  await stop()
})

test('a standby whose position the log no longer reaches, or that is away, is not used', async () => {
  const { sql, standby } = pair
  await paused(standby)
  await insertCompany(sql, 'Fifth')
  await sql`delete from change_log where sequence < (select max(sequence) from change_log)`
  const late = await opened()
  expect([late.directory.counts.companies, late.warnings.length]).toEqual([5, 1])
  expect(late.warnings[0]).toContain('are needed')
  await late.stop()
  await standby.kill()
  const alone = await opened()
  expect([alone.directory.counts.companies, alone.warnings.length]).toEqual([5, 1])
  expect(alone.warnings[0]).toContain('correct host and port in DATABASE_READ_URL')
  await alone.stop()
})

test('a standby that has yet to receive a migration is waited for, and one that is no copy of the primary is not used', async () => {
  const { primary, standby, sql } = pair
  await standby.follow(primary)
  await paused(standby)
  const [last] = await sql`
    delete from chainkin_migrations where name = (select max(name) from chainkin_migrations) returning name`
  await standby.ask('select pg_wal_replay_resume()')
  await until(
    async () =>
      (await standby.ask(`select from chainkin_migrations where name = '${last?.name}'`)).length ===
      0,
  )
  await paused(standby)
  await sql`insert into chainkin_migrations (name) values (${last?.name})`
  const waiting = opened()
  const isSettled = await Promise.race([waiting.then(() => true), pause(300, false)])
  expect(isSettled).toBe(false)
  await standby.ask('select pg_wal_replay_resume()')
  const { warnings, stop } = await waiting
  expect(warnings).toEqual([])
  await stop()
  await standby.promote()
  const other = standby.connect()
  await insertCompany(other, 'Its own')
  await other.end()
  await insertCompany(sql, 'Sixth')
  await insertCompany(sql, 'Seventh')
  const alone = await opened()
  expect([alone.directory.counts.companies, alone.warnings.length]).toEqual([7, 1])
  expect(alone.warnings[0]).toContain(
    'is not that of the primary: name a standby of it in DATABASE_READ_URL',
  )
  await alone.stop()
})
