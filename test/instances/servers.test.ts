/**
 * A URL of several hosts leads to the primary, before a failover and after it, and never to a server that was replaced.
 * Real servers of which one copies the other; tests go on where the one before ended.
 */
import { expect, test } from 'bun:test'
import postgres from 'postgres'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/open.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { expectRejection, rejection } from '../helpers/rejection.ts'
import { type Replica, startReplicas, until, urlOf } from '../helpers/replicas.ts'
import { shared } from '../helpers/shared.ts'

const pair = shared(startPair, ({ stop }) => stop())

async function startPair() {
  const { primary, replicas, stop } = await startReplicas(3)
  const [, standby, third] = replicas
  if (!standby || !third) throw new Error('three servers')
  await primary.ask('create table notes (text text)')
  await primary.ask(`create role app login password 'app'`)
  await standby.follow(primary)
  return { primary, standby, third, stop }
}

/** A database of these servers, in this order, with what was told of them. */
async function opened(servers: readonly Replica[], query = '') {
  const told: string[] = []
  const open = await openDatabase(
    { databaseUrl: urlOf(servers, query), dataDir: '' },
    { skipMigrations: true, onTrouble: (what) => told.push(what) },
  )
  /** The port of the server that takes a note; undefined where none does. */
  const note = (text: string) =>
    open.database
      .use(async ({ sql }) => {
        const [row] = await sql<{ port: number }[]>`
          insert into notes values (${text}) returning inet_server_port() as port`
        return row?.port
      })
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) throw error
        return undefined
      })
  return { ...open, told, note }
}

const notesOf = async (server: Replica) =>
  (await server.ask('select text from notes order by text')).map(({ text }) => text)

test('it is found in any order of the hosts, with either word for it, and by one host alone', async () => {
  const { primary, standby } = pair
  for (const [servers, query] of [
    [[primary, standby], ''],
    [[standby, primary], '?target_session_attrs=read-write'],
    [[standby, primary], '?sslmode=disable&target_session_attrs=primary'],
    [[primary], '?target_session_attrs=primary'],
    // As where an address that moves stands beside those of the servers.
    [[primary, standby, primary], ''],
  ] as const) {
    const { note, told, close } = await opened(servers, query)
    expect([await note('found'), told]).toEqual([primary.port, []])
    await close()
  }
  const error = await rejection(opened([standby], '?target_session_attrs=read-write'))
  expect(String(error)).toContain(
    `no server takes changes (${standby.place} is a standby): promote a standby, or correct the hosts in DATABASE_URL`,
  )
})

test('a wrong password, and two databases that are no copies of each other, end a start at once', async () => {
  const { primary, standby } = pair
  const databaseUrl = urlOf([standby, primary]).replace('postgres:postgres', 'postgres:wrong')
  const options = { waitSeconds: 60, skipMigrations: true }
  const error = await rejection(openDatabase({ databaseUrl, dataDir: '' }, options))
  expect(String(error)).toContain('refuses the password of the user "postgres" (28P01)')
  expect(String(error)).not.toContain('wrong')
  const other = await startPostgres()
  const sql = postgres(other.url('postgres'), { max: 1 })
  await sql`create database chainkin`
  await sql.end()
  const both = urlOf([primary]).replace(
    primary.place,
    `$&,127.0.0.1:${new URL(other.url('')).port}`,
  )
  await expectRejection(
    openDatabase({ databaseUrl: both, dataDir: '' }, options),
    'are not copies of one database: correct the hosts in DATABASE_URL',
  )
  await other.stop()
})

test('what is wrong with the primary is said of it, not of the host that stands first', async () => {
  const { primary, standby } = pair
  await primary.ask('alter role app connection limit 1')
  const databaseUrl = urlOf([standby, primary]).replace('postgres:postgres', 'app:app')
  // The connection that asks takes the one that there is.
  await until(async () => {
    const error = await rejection(
      openDatabase({ databaseUrl, dataDir: '' }, { skipMigrations: true }),
    )
    return String(error).includes(`the server at ${primary.place} has no connection left (53300)`)
  })
  await primary.ask('alter role app connection limit -1')
})

test('a commit whose wait for the standby was cancelled counts as unknown, not as done', async () => {
  const { primary, standby } = pair
  await primary.waitFor('*')
  standby.freeze('SIGSTOP')
  const { database, close } = await opened([primary, standby])
  const writing = database.use(({ sql }) => sql`insert into notes values ('alone')`, {
    deadlineMs: 20_000,
  })
  const error = rejection(writing)
  const waiting = `from pg_stat_activity where wait_event = 'SyncRep' and query like '%alone%'`
  await until(async () => (await primary.ask(`select ${waiting}`)).length > 0)
  await primary.ask(`select pg_cancel_backend(pid) ${waiting}`)
  expect(await error).toMatchObject({ isUnknown: true })
  standby.freeze('SIGCONT')
  await close()
})

test('where the standby is promoted while the primary lives, connections leave the one for the other, and it keeps nothing of theirs', async () => {
  const { primary, standby } = pair
  const { database, takeLongLock, told, note, close } = await opened([primary, standby])
  let heard = 0
  let connected = 0
  const listening = await database.listen(
    'news',
    () => heard++,
    () => connected++,
  )
  await until(() => connected === 1)
  const lock = await takeLongLock('sync')
  expect([await note('before'), lock?.isHeld()]).toEqual([primary.port, true])
  // Nobody confirms what the primary commits from now on.
  await standby.promote()
  const lost = note('lost')
  await until(async () => (await note('after')) === standby.port)
  expect(await lost).not.toBe(primary.port)
  expect(told).toContain(`the primary is ${standby.place} (timeline 2) from now on`)
  expect(told.join()).toContain(`beside the primary ${primary.place} (timeline 1) takes changes`)
  await until(() => connected === 2 && lock?.isHeld() === false)
  await standby.ask('notify news')
  await until(() => heard > 0)
  expect(await (await takeLongLock('sync'))?.release()).toBeUndefined()
  await listening.stop()
  await close()
  // No commit of the old one was confirmed to anybody, so what it has alone was never said to be done.
  expect(await notesOf(standby)).toContain('before')
  expect(await notesOf(primary)).not.toContain('after')
})

test('a replaced primary that is started again is passed over, by those who run and by a fresh start', async () => {
  const { primary, standby } = pair
  const running = await opened([primary, standby])
  await primary.kill()
  await primary.start()
  expect(await running.note('running')).toBe(standby.port)
  const fresh = await opened([primary, standby])
  expect(await fresh.note('fresh')).toBe(standby.port)
  // Where the one that counts is away, who has seen it takes no other.
  await standby.kill()
  expect(await running.note('away')).toBeUndefined()
  await until(async () => {
    const error = await rejection(running.database.use(({ sql }) => sql`select 1`))
    return String(error).includes(
      `${primary.place} was replaced: it is of timeline 1, and 2 was seen`,
    )
  })
  await standby.start()
  await until(async () => (await running.note('back')) === standby.port)
  await Promise.all([running.close(), fresh.close()])
})

test('a fresh start passes a replaced primary over where a standby alone knows of the promotion, also for a user without rights', async () => {
  const { primary, standby, third } = pair
  await third.follow(standby)
  await standby.kill()
  const databaseUrl = urlOf([primary, standby, third]).replace('postgres:postgres', 'app:app')
  const error = await rejection(
    openDatabase({ databaseUrl, dataDir: '' }, { skipMigrations: true }),
  )
  expect(String(error)).toContain(
    `${primary.place} was replaced: it is of timeline 1, and 2 was seen`,
  )
  await third.kill()
  await standby.start()
})

test('of two that take changes on one timeline nothing tells which counts: a start takes neither', async () => {
  const { primary, standby } = pair
  await primary.kill()
  await primary.follow(standby)
  // As somebody would who takes a standby's sign away instead of promoting it.
  await primary.kill()
  await primary.forgetPrimary()
  await primary.start()
  await expectRejection(opened([primary, standby]), 'both take changes, and nothing says which one')
})
