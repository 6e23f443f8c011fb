/** Settings of sessions: databases and roles may have any defaults, and each session has those on which the SQL relies. */
import { afterEach, expect, test } from 'bun:test'
import postgres from 'postgres'
import { connect } from '../../src/database/client.ts'
import { migrationState } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { SETTINGS, sessionFacts } from '../../src/database/session-settings.ts'
import { run } from '../helpers/command.ts'
import { fakePostgres, refusal, speakAs } from '../helpers/fake-postgres.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { rejection } from '../helpers/rejection.ts'
import { shared } from '../helpers/shared.ts'

const server = shared(startPostgres, ({ stop }) => stop())
const admin = shared(
  async () => ({ sql: postgres(server.url('postgres'), { max: 1, onnotice: () => {} }) }),
  ({ sql }) => sql.end(),
)

/** Each another value than the one that is needed. */
const DEFAULTS: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'serializable',
  search_path: '"$user", elsewhere',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  IntervalStyle: 'sql_standard',
  statement_timeout: '400ms',
  lock_timeout: '400ms',
  idle_in_transaction_session_timeout: '400ms',
  idle_session_timeout: '400ms',
  DateStyle: 'German',
  TimeZone: 'Asia/Tokyo',
  standard_conforming_strings: 'off',
}

let count = 0
const closes: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

/** A new database of a new user, for whom it has these defaults. */
async function databaseWith(defaults: Readonly<Record<string, string>>) {
  const name = `d${++count}`
  await admin.sql.unsafe(`create user ${name} password 'p'`)
  await admin.sql.unsafe(`create database ${name} owner ${name}`)
  const sql = postgres(server.url(name), { max: 1, onnotice: () => {} })
  await sql.unsafe('create schema elsewhere')
  for (const [setting, value] of Object.entries(defaults)) {
    const text = setting === 'search_path' ? value : `'${value}'`
    await sql.unsafe(`alter role ${name} in database ${name} set ${setting} = ${text}`)
  }
  await sql.end()
  return { name, url: server.url(name).replace('postgres:postgres@', `${name}:p@`) }
}

test('a database and a role with other defaults: sessions have what the SQL relies on, and tables are made in public', async () => {
  expect(Object.keys(DEFAULTS)).toEqual(Object.keys(SETTINGS))
  const { name, url } = await databaseWith(DEFAULTS)
  const { database, pool, takeLongLock, plainSession, close } = await openDatabase({
    databaseUrl: url,
    dataDir: '',
  })
  closes.push(close)
  for (const each of [database, pool(1)]) {
    expect((await each.use(({ sql }) => sessionFacts(sql))).deviations).toEqual([])
  }
  expect(await migrationState(database)).toEqual({ missing: [], unknown: [] })
  const values = await database.use(
    ({ sql }) => sql`
      select current_schema() as schema, decode('00ff', 'hex') as bytes, 9007199254740991::float8 as number,
             '2026-01-02T03:04:05Z'::timestamptz as time, json_build_array('2026-01-02T03:04:05Z'::timestamptz) as json
        from pg_sleep(0.8)`,
  )
  expect([...values]).toEqual([
    {
      schema: 'public',
      bytes: Buffer.from([0, 255]),
      number: Number.MAX_SAFE_INTEGER,
      time: '2026-01-02T03:04:05.000Z',
      json: ['2026-01-02T03:04:05+00:00'],
    },
  ])
  // A lock is a transaction that waits, and a listener is a session that does.
  const lock = await takeLongLock('lock')
  let connections = 0
  const heard = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<void>()
  const listener = await database.listen(
    'channel',
    () => heard.resolve(),
    () => {
      connections += 1
      listening.resolve()
    },
  )
  await listening.promise
  await Bun.sleep(800)
  await database.use(({ sql }) => sql`select pg_notify('channel', '')`)
  await heard.promise
  expect([lock?.isHeld(), connections]).toEqual([true, 1])
  await lock?.release()
  await listener.stop()
  // What sessions of other programs have.
  const { user, deviations } = await plainSession()
  const differing = Object.keys(DEFAULTS).filter(
    (setting) => !['DateStyle', 'TimeZone', 'standard_conforming_strings'].includes(setting),
  )
  expect([user, deviations.map((deviation) => deviation.name)]).toEqual([name, differing])
})

test('under any default of isolation, concurrent statements wait for each other instead of failing', async () => {
  const { url } = await databaseWith({ default_transaction_isolation: 'repeatable read' })
  const pools = [connect({ url, connections: 4 }), connect({ url, connections: 4 })]
  for (const pool of pools) closes.push(pool.close)
  const [first] = pools
  await first?.use(({ sql }) => sql`create table counts as select 0 as n`)
  const count = (pool: (typeof pools)[number]) =>
    pool.use(({ sql }) => sql`update counts set n = n + 1`, { deadlineMs: 30_000 })
  await Promise.all(Array.from({ length: 50 }, () => pools.map(count)).flat())
  const rows = await first?.use(({ sql }) => sql<{ n: number }[]>`select n from counts`)
  expect(rows?.[0]?.n).toBe(100)
})

test.each([
  ['08P01', 'unsupported startup parameter: search_path', '17.2'],
  ['42704', 'unrecognized configuration parameter "idle_session_timeout"', '13.5'],
])(
  'a server that refuses them (%s) gets a session without them, and is asked once',
  async (code, text, version) => {
    let refusals = 0
    const { url, close } = await fakePostgres((socket, sent) => {
      if (!sent.includes('idle_session_timeout')) return speakAs(version)(socket, sent)
      refusals += 1
      socket.end(refusal(code, text))
    })
    const pool = connect({ url, connections: 2 })
    const versionOf = () => pool.use(({ sql }) => sql.unsafe('show server_version'))
    const [one] = await versionOf()
    const both = await Promise.all([versionOf(), versionOf()])
    expect([one?.server_version, both.length, refusals]).toEqual([version, 2, 1])
    await pool.close()
    close()
  },
)

test('what the address sets does not count before it', async () => {
  const { url } = await databaseWith({})
  const options = encodeURIComponent(
    '-c default_transaction_isolation=serializable -c work_mem=8MB',
  )
  const database = connect({ url: `${url}?options=${options}`, connections: 1 })
  closes.push(database.close)
  const [row] = await database.use(
    ({ sql }) => sql`
      select current_setting('transaction_isolation') as isolation, current_setting('work_mem') as work_mem`,
  )
  expect({ ...row }).toEqual({ isolation: 'read committed', work_mem: '8MB' })
})

test('a role whose triggers don’t fire is refused, because sessions can’t set that', async () => {
  const { name, url } = await databaseWith({ session_replication_role: 'replica' })
  const error = await rejection(openDatabase({ databaseUrl: url, dataDir: '' }))
  expect(String(error)).toEndWith(
    `sessions of the user "${name}" begin with session_replication_role = replica instead of origin, and a pooler or their rights keep this program from setting it: run alter role "${name}" in database "${name}" set session_replication_role = 'origin'; behind a pooler let it connect anew`,
  )
})

test('doctor names defaults that differ, fails for those that sessions can’t have, and names what of an address changes nothing', async () => {
  const doctor = async (url: string) => {
    const { code, json } = await run(['doctor', '--json'], { env: { DATABASE_URL: url } })
    const { configuration, settings } = json()
    return { code, configuration: configuration.text, settings }
  }
  const usual = await databaseWith({})
  const migrated = await openDatabase({ databaseUrl: usual.url, dataDir: '' })
  await migrated.close()
  expect(await doctor(usual.url)).toMatchObject({
    configuration: 'DATABASE_URL',
    settings: { state: 'ok', text: 'as they are needed' },
  })
  const isolated = await databaseWith({ default_transaction_isolation: 'repeatable read' })
  expect(await doctor(`${isolated.url}?supa=x&keepalives=1`)).toMatchObject({
    configuration: 'DATABASE_URL, of which these parameters change nothing here: supa, keepalives',
    settings: {
      state: 'ok',
      text: 'as they are needed, set by each session against the defaults: default_transaction_isolation = repeatable read instead of read committed',
    },
  })
  const careless = await databaseWith({ synchronous_commit: 'off' })
  expect(await doctor(careless.url)).toMatchObject({
    code: 1,
    settings: {
      state: 'failed',
      text: `synchronous_commit = off instead of on: run alter role "${careless.name}" in database "${careless.name}" set synchronous_commit = 'on'`,
    },
  })
})
