/**
 * A URL of several hosts leads to the primary, before a failover and after it.
 * Real servers of which one copies the other; tests go on where the one before ended.
 */
import { expect, test } from 'bun:test'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/open.ts'
import { rejection } from '../helpers/rejection.ts'
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

/** A database of these servers, in this order. */
async function opened(servers: readonly Replica[], query = '') {
  const open = await openDatabase(
    { databaseUrl: urlOf(servers, query), dataDir: '' },
    { skipMigrations: true },
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
  return { ...open, note }
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
    const { note, close } = await opened(servers, query)
    expect(await note('found')).toBe(primary.port)
    await close()
  }
  const error = await rejection(opened([standby], '?target_session_attrs=read-write'))
  expect(String(error)).toContain(
    `the server at ${standby.place} is a standby: promote it, or name the primary in DATABASE_URL`,
  )
})

test('a wrong password ends a start at once', async () => {
  const { primary, standby } = pair
  const databaseUrl = urlOf([standby, primary]).replace('postgres:postgres', 'postgres:wrong')
  const options = { waitSeconds: 60, skipMigrations: true }
  const error = await rejection(openDatabase({ databaseUrl, dataDir: '' }, options))
  expect(String(error)).toContain('refuses the password of the user "postgres" (28P01)')
  expect(String(error)).not.toContain('wrong')
})

test('what is wrong with each host is said', async () => {
  const { primary, standby } = pair
  await primary.ask('alter role app connection limit 0')
  const databaseUrl = urlOf([standby, primary]).replace('postgres:postgres', 'app:app')
  const error = await rejection(
    openDatabase({ databaseUrl, dataDir: '' }, { skipMigrations: true }),
  )
  expect(String(error)).toContain(`the server at ${primary.place} has no connection left (53300)`)
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

test('where the standby is promoted while the primary lives, writing goes over to it, and the old one confirms nothing', async () => {
  const { primary, standby } = pair
  const { note, close } = await opened([primary, standby])
  expect(await note('before')).toBe(primary.port)
  // Nobody confirms what the primary commits from now on.
  await standby.promote()
  const lost = note('lost')
  await until(async () => (await note('after')) === standby.port)
  expect(await lost).not.toBe(primary.port)
  await close()
  // No commit of the old one was confirmed to anybody, so what it has alone was never said to be done.
  expect(await notesOf(standby)).toContain('before')
  expect(await notesOf(primary)).not.toContain('after')
})

test('one that was killed is left for the one that was promoted, by statements, listeners and locks', async () => {
  const { standby: primary, third: standby } = pair
  await standby.follow(primary)
  const { database, takeLongLock, note, close } = await opened([primary, standby])
  let [heard, connected] = [0, 0]
  const listening = await database.listen(
    'news',
    () => heard++,
    () => connected++,
  )
  await until(() => connected === 1)
  const lock = await takeLongLock('sync')
  expect([await note('first'), lock?.isHeld()]).toEqual([primary.port, true])
  await primary.kill()
  expect(await note('away')).toBeUndefined()
  await standby.promote()
  expect(await note('second')).toBe(standby.port)
  await until(() => connected === 2 && lock?.isHeld() === false)
  await standby.ask('notify news')
  await until(() => heard > 0)
  expect(await (await takeLongLock('sync'))?.release()).toBeUndefined()
  // It comes back as it was: whoever runs stays with the promoted one.
  await primary.start()
  expect(await note('third')).toBe(standby.port)
  await listening.stop()
  await close()
  expect(await notesOf(standby)).toEqual(expect.arrayContaining(['first', 'second', 'third']))
})

test('a connection whose server takes no changes any more is replaced', async () => {
  const { third } = pair
  const { database, close } = await opened([third])
  const backend = () =>
    database.use(async ({ sql }) => (await sql`select pg_backend_pid() as pid`)[0]?.pid)
  const before = await backend()
  expect(await backend()).toBe(before)
  const writing = database.use(({ sql }) =>
    sql.unsafe(`begin read only; insert into notes values ('no')`),
  )
  expect(await rejection(writing)).toMatchObject({ isUnknown: false })
  expect(await backend()).not.toBe(before)
  await close()
})
