/** Other processes' connections to the embedded database, each worse than the other, while calls are billed. */
import { expect, test } from 'bun:test'
import { createConnection, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { connect, type Database } from '../../src/database/client.ts'
import { socketPathOf } from '../../src/database/data-dir.ts'
import { SILENCE_MS } from '../../src/database/embedded.ts'
import { openDatabase } from '../../src/database/open.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { prepare } from '../bench/ways.ts'
import { startGivenTime } from '../helpers/given-time.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'
import { plainRead } from '../money/charge/calls.ts'

const CALLS_PER_SECOND = 50
/** For the calls that waited, so that none waits for two of them. */
const PAUSE_MS = 300
const MAX_WAIT_MS = SILENCE_MS + 1_000

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

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${body}\0`, 'latin1')
  bytes.writeInt32BE(bytes.length - type.length, type.length)
  return bytes
}
const query = (sql: string) => message('Q', sql)
const STARTUP = Buffer.concat([message('', '\0\x03\0\0user\0postgres\0')])

/** A client that speaks the protocol by hand. */
async function client(...messages: Uint8Array[]): Promise<Socket> {
  const socket = createConnection(socketPathOf(directory.path))
  socket.on('error', () => {})
  socket.resume()
  for (const each of messages) socket.write(each)
  await setTimeout(50)
  return socket
}

const ended = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once('close', () => resolve())
  })

const MISDEEDS: Record<string, () => Promise<unknown>> = {
  'is stopped in a transaction': async () =>
    ended(
      await client(STARTUP, query('begin; lock table accounts; update accounts set balance = 0')),
    ),
  'is stopped between Parse and Bind': async () =>
    ended(await client(STARTUP, message('P', '\0select 1\0\0'), message('H', '').subarray(0, 5))),
  'leaves a transaction open': async () =>
    (await client(STARTUP, query('begin; update accounts set balance = 0'))).destroy(),
  'stops in the middle of a message': async () => {
    const socket = await client(STARTUP, query('select 1').subarray(0, 8))
    await setTimeout(100)
    socket.destroy()
  },
  'asks for TLS': async () => ended(await client(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))),
  'speaks another language': async () =>
    (await client(Buffer.from('GET / HTTP/1.1\r\n'))).destroy(),
  'asks for much and reads nothing': async () => {
    const socket = await client(STARTUP)
    socket.pause()
    socket.write(query(`select repeat('x', 1000) from generate_series(1, 20000)`))
    await setTimeout(100)
    socket.destroy()
  },
}

test('no call fails, none waits longer than a stopped process may be silent, and nothing of theirs stays', async () => {
  const admin = open.pool(1)
  const accounts = await admin.use(({ sql }) => prepare(sql, 20), { deadlineMs: 30_000 })
  await admin.use(({ sql }) => sql`update accounts set rate_count = -1000000000`)
  // Patient, so that how long a call waits is measured, and not whether the meter gives it up.
  const { use, ...charging } = open.pool(3)
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
  for (const [name, misdeed] of Object.entries(MISDEEDS)) {
    during = name
    await misdeed()
    await setTimeout(PAUSE_MS)
  }
  clearInterval(caller)
  await Promise.all(calls)
  clock.stop()
  const [longest] = waits.toSorted((a, b) => b.waitMs - a.waitMs)
  expect(failures).toEqual([])
  expect(longest?.waitMs).toBeLessThan(MAX_WAIT_MS)
  expect(troubles).toEqual([])
  const [row] = await admin.use(
    ({ sql }) => sql`
        select (select count(*)::integer from ledger where kind = 'charge') as charges,
               (select count(*)::integer from accounts where balance = 0) as emptied`,
  )
  expect(row).toEqual({ charges: calls.length, emptied: 0 })
})

test('a process may think for a while between the statements of a transaction, again and again', async () => {
  const { use, close } = connect({ socketPath: socketPathOf(directory.path), connections: 1 })
  const seen = await use(
    ({ sql }) =>
      sql.begin(async (transaction) => {
        for (let pause = 0; pause < 3; pause++) {
          await transaction`select 1`
          await setTimeout(SILENCE_MS / 2)
        }
        return transaction`select 2 as n`
      }),
    { deadlineMs: PATIENCE_MS },
  )
  expect([...seen]).toEqual([{ n: 2 }])
  await close()
})

test('statements that another process prepared end with it', async () => {
  for (let n = 0; n < 5; n++) {
    const { use, close } = connect({ socketPath: socketPathOf(directory.path), connections: 1 })
    expect([...(await use(({ sql }) => sql`select ${n}::integer as n`))]).toEqual([{ n }])
    await close()
  }
  const left = () =>
    open.database.use(
      ({ sql }) =>
        sql`select statement from pg_prepared_statements where statement like '%::integer as n'`,
    )
  while ((await left()).length > 0) await setTimeout(20)
})
