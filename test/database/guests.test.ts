/**
 * Other clients of the embedded database's socket, each worse than the other, while calls are billed.
 * `GUEST_ROUNDS` sets how often all of it happens (100 in `.ci/long models`).
 */
import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { createConnection, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import { connect, type Database, errorCode } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/open.ts'
import { query, STARTUP, SYNC } from '../../src/database/protocol.ts'
import { HOLD_MS } from '../../src/database/session-scheduler.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { prepare } from '../bench/ways.ts'
import { givenTime, startGivenTime } from '../helpers/given-time.ts'
import { LIMIT_MS, PATIENCE_MS } from '../helpers/limit.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'
import { plainRead } from '../money/charge/calls.ts'

const ROUNDS = Number(process.env.GUEST_ROUNDS ?? 1)
const CALLS_PER_SECOND = 50
const MAX_WAIT_MS = 1_000

const directory = sharedDirectory()
const troubles: string[] = []
const open = shared(
  () =>
    openDatabase(
      { databaseUrl: undefined, dataDir: directory.path },
      { onTrouble: (what) => troubles.push(what) },
    ),
  ({ close }) => close(),
)

function guest(settings: Record<string, string> = {}) {
  const connection = { application_name: 'guest', ...settings }
  const options = { user: 'postgres', database: 'postgres', max: 1, connect_timeout: 30 }
  return postgres({
    ...options,
    path: `${directory.path}/.s.PGSQL.5432`,
    connection,
    onnotice: () => {},
  })
}

async function withGuest<T>(
  work: (sql: postgres.Sql) => Promise<T>,
  settings?: Record<string, string>,
) {
  const sql = guest(settings)
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 0 })
  }
}

/** A client that speaks the protocol by hand. */
async function rawGuest(...messages: Uint8Array[]): Promise<Socket> {
  const socket = createConnection(`${directory.path}/.s.PGSQL.5432`)
  socket.on('error', () => {})
  socket.resume()
  for (const each of [STARTUP, ...messages]) socket.write(each)
  await setTimeout(20)
  return socket
}

/** @returns all that a client is told before its connection ends. */
async function lastWords(sql: string): Promise<string> {
  const socket = await rawGuest(query(sql))
  socket.pause()
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part)
  return Buffer.concat(parts).toString('latin1')
}

const SENT_AWAY = /57014.*held others up/s

/** What the operator and a careless colleague do. Each returns what it saw, where that is to be checked. */
const MISDEEDS: Record<string, () => Promise<unknown>> = {
  'changes settings and stays': () =>
    withGuest(async (sql) => {
      await sql.unsafe(
        `set search_path = ''; set default_transaction_read_only = on; set role pg_monitor`,
      )
      await setTimeout(50)
      const [row] = await sql`select current_setting('search_path') as path, current_user as name`
      expect(row).toMatchObject({ path: '""', name: 'pg_monitor' })
    }),
  'discards everything': () => withGuest((sql) => sql.unsafe('discard all')),
  'forgets to commit': async () => {
    const sql = 'begin; lock table accounts; update accounts set balance = 0'
    expect(await lastWords(sql)).toMatch(SENT_AWAY)
  },
  'shadows a table, locks and listens': () =>
    withGuest(async (sql) => {
      await sql.unsafe('create temp table accounts (n integer); listen anything; notify anything')
      await sql.unsafe('select pg_advisory_lock(7163384756), pg_advisory_lock(1)')
      await sql.unsafe(`set statement_timeout = 1; set idle_session_timeout = 1`)
    }),
  sleeps: async () => expect(await lastWords('select pg_sleep(100)')).toMatch(SENT_AWAY),
  'joins everything with everything': async () => {
    const sql = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b'
    expect(await lastWords(sql)).toMatch(SENT_AWAY)
  },
  'stalls in the middle of a message': async () => {
    const socket = await rawGuest(query('select 1').subarray(0, 8))
    await setTimeout(100)
    socket.destroy()
  },
  'stalls in the middle of an exchange': async () => {
    const parse = Buffer.from('P\0\0\0\x10\0select 1\0\0\0', 'latin1')
    parse.writeInt32BE(parse.length - 1, 1)
    const socket = await rawGuest(parse)
    await setTimeout(HOLD_MS + 100)
    socket.destroy()
  },
  'leaves in the middle of a COPY': async () => {
    const socket = await rawGuest(
      query('copy ledger (credits) from stdin'),
      Buffer.from('d\0\0\0\x06'),
    )
    socket.destroy()
  },
  'copies in and falls silent': async () => {
    const socket = await rawGuest(query('begin; copy ledger (credits) from stdin'))
    await setTimeout(HOLD_MS + 100)
    socket.destroy()
  },
  'asks for a huge result and reads nothing': async () => {
    const huge = `select repeat('x', 1000) from generate_series(1, 1000000)`
    const socket = await rawGuest(query(huge))
    socket.pause()
    await setTimeout(HOLD_MS + 100)
    socket.destroy()
  },
  'speaks another language': async () => {
    const socket = await rawGuest(SYNC, Buffer.from('GET / HTTP/1.1\r\n\r\n'))
    socket.destroy()
  },
  'ends its own backend': () =>
    withGuest((sql) => sql`select pg_terminate_backend(pg_backend_pid())`),
  dumps: () => program('pg_dump', '--schema-only'),
  'looks around with psql': () => program('psql', '-X', '-c', 'begin', '-c', 'table accounts'),
}

/** Runs a program of PostgreSQL's where there is one; it may fail. */
async function program(name: string, ...args: string[]): Promise<void> {
  const child = spawn(name, ['-h', directory.path, '-U', 'postgres', ...args, 'postgres'], {
    stdio: 'ignore',
  })
  await new Promise((resolve) => child.once('error', resolve).once('close', resolve))
}

describe('guests of the embedded database', () => {
  test(
    `while guests do their worst, no call fails and none waits longer than a second`,
    async () => {
      const { pool } = open
      const admin = pool(1)
      // A guest could be held up by the start's own work.
      const accounts = await admin.use(({ sql }) => prepare(sql, 20), { deadlineMs: 30_000 })
      await admin.use(({ sql }) => sql`update accounts set rate_count = -1000000000`)
      // Patient, so that how long a call waits is measured, and not whether the meter gives it up.
      const { use, ...charging } = pool(3)
      const patient: Database = {
        ...charging,
        use: (work) => use(work, { deadlineMs: PATIENCE_MS }),
      }
      const meter = createMeter(patient, { maxWaitMs: PATIENCE_MS })
      const clock = startGivenTime()
      const waits: { waitMs: number; during: string }[] = []
      const failures: string[] = []
      let during = ''
      const calls: Promise<unknown>[] = []
      const call = async () => {
        const misdeed = during
        const beganMs = clock.now()
        await meter.charge(plainRead(accounts[calls.length % accounts.length]!)).then(
          ({ outcome }) => outcome !== 'charged' && failures.push(`${misdeed}: ${outcome}`),
          (error: unknown) => failures.push(`${misdeed}: ${error}`),
        )
        waits.push({ waitMs: clock.now() - beganMs, during: misdeed })
      }
      const caller = setInterval(() => calls.push(call()), 1_000 / CALLS_PER_SECOND)
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, misdeed] of Object.entries(MISDEEDS)) {
          during = name
          await misdeed()
        }
      }
      clearInterval(caller)
      await Promise.all(calls)
      clock.stop()
      const longest = waits.toSorted((a, b) => b.waitMs - a.waitMs).slice(0, 3)
      console.log(`${calls.length} calls, the longest waits:`, longest)
      expect(failures).toEqual([])
      expect(longest[0]?.waitMs).toBeLessThan(MAX_WAIT_MS)
      expect(troubles).toEqual([])
      const [sum] = await admin.use(
        ({ sql }) => sql`
        select count(*)::integer as charges from ledger where kind = 'charge'`,
      )
      expect(sum?.charges).toBe(calls.length)
    },
    LIMIT_MS + ROUNDS * 60_000,
  )

  test('a guest keeps its settings and prepared statements, and leaves nothing to others', async () => {
    const { database } = open
    await withGuest(
      async (first) => {
        await first.unsafe(
          `set search_path = pg_catalog; set role pg_monitor; create temp table mine (n integer)`,
        )
        await first.unsafe(
          `select pg_advisory_lock(7); prepare theirs as select 1; listen anything`,
        )
        const told = () => first`
        select current_setting('search_path') as path, current_user as role, current_setting('DateStyle') as style`
        const seen = { path: 'pg_catalog', role: 'pg_monitor', style: 'SQL, DMY' }
        expect(await told()).toMatchObject([seen])
        const left = await database.use(
          ({ sql }) => sql`
          select current_setting('search_path') as path, current_user as role, current_setting('DateStyle') as style,
                 to_regclass('mine')::text as temporary, (select count(*)::integer from pg_listening_channels()) as channels,
                 (select count(*)::integer from pg_locks where locktype = 'advisory') as locks,
                 (select count(*)::integer from pg_prepared_statements where name = 'theirs') as prepared`,
        )
        expect(left).toMatchObject([
          {
            path: 'public',
            role: 'postgres',
            style: 'ISO, MDY',
            temporary: null,
            channels: 0,
            locks: 0,
            prepared: 0,
          },
        ])
        await withGuest(async (second) => {
          expect(await second`select current_setting('search_path') as path`).toMatchObject([
            { path: 'public' },
          ])
        })
        // The statement is made anew, with the settings.
        expect(await told()).toMatchObject([seen])
      },
      { DateStyle: 'SQL, DMY' },
    )
  })

  test('a guest that acts as another user stays it, and the program stays itself', async () => {
    const who = 'select session_user::text as session, current_user::text as role'
    await withGuest(async (sql) => {
      await sql.unsafe('create role reader; create role writer; grant writer to reader')
      await sql.unsafe('set session authorization reader; set role writer')
      const own = await open.database.use((connection) => connection.sql.unsafe(who))
      expect(own).toMatchObject([{ session: 'postgres', role: 'postgres' }])
      expect(await sql.unsafe(who)).toMatchObject([{ session: 'reader', role: 'writer' }])
    })
  })

  test('statements that a command of the program prepared end with it', async () => {
    for (let n = 0; n < 5; n++) {
      const { use, close } = connect({
        socketPath: `${directory.path}/.s.PGSQL.5432`,
        connections: 1,
      })
      expect(await use(({ sql }) => sql`select ${n}::integer as n`)).toMatchObject([{ n }])
      await close()
    }
    const left = () =>
      open.database.use(
        ({ sql }) =>
          sql`select statement from pg_prepared_statements where statement like '%::integer as n'`,
      )
    while ((await left()).length > 0) await setTimeout(20)
  })

  test('a guest that does not read its answer is sent away', async () => {
    const sql = `select repeat('x', 1000) from generate_series(1, 100000)`
    let last = ''
    do {
      const socket = await rawGuest()
      socket.pause()
      socket.write(query(sql))
      await givenTime(1_000)
      last = ''
      for await (const part of socket) last = (last + part.toString('latin1')).slice(-500)
      // On a busy machine it may have held somebody up before.
    } while (SENT_AWAY.test(last))
    expect(last).toContain('53400')
    expect(last.match(/53400/g)).toHaveLength(1)
  })

  test('data copied in by a guest arrives, and a cancelled statement leaves its session usable', async () => {
    await withGuest(async (sql) => {
      await sql`create table copied (n integer)`
      const into = await sql`copy copied from stdin`.writable()
      const written = new Promise((resolve, reject) =>
        into.once('finish', resolve).once('error', reject),
      )
      for (let n = 0; n < 1_000; n++) into.write(`${n}\n`)
      into.end()
      await written
      expect(await sql`select count(*)::integer as n from copied`).toMatchObject([{ n: 1_000 }])
      const sleeping = sql`select pg_sleep(30)`
      const failed = sleeping.catch((error: unknown) => errorCode(error))
      await setTimeout(100)
      sleeping.cancel()
      expect(await failed).toBe('57014')
      expect(await sql`select 1 as n`).toMatchObject([{ n: 1 }])
    })
  })
})
