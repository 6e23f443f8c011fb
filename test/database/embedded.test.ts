/** The embedded database: one PGlite behind a socket that many processes may use at once. */
import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Database } from '../../src/database/client.ts'
import { DataDirError } from '../../src/database/data-dir.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { PROJECT_ROOT, temporaryDirectory } from '../helpers/command.ts'
import { expectRejection } from '../helpers/rejection.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'

const CLIENTS = 8

const directory = sharedDirectory()
const embedded = shared(
  () => openEmbedded(directory.path),
  ({ stop }) => stop(),
)

async function withPool<T>(connections: number, work: (pool: Database) => Promise<T>): Promise<T> {
  const pool = connect({ socketPath: embedded.socketPath, connections, deadlineMs: 20_000 })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

describe('many clients of one session', () => {
  test('8 clients with interleaved extended-protocol statements each get their own answers', async () => {
    const pools = Array.from({ length: CLIENTS }, () =>
      connect({ socketPath: embedded.socketPath, connections: 1, deadlineMs: 20_000 }),
    )
    // Each client asks only what nobody else asks: an answer meant for another is seen at once.
    const ask = (pool: Database, client: number) =>
      pool.use(async ({ sql }) => {
        for (let turn = 0; turn < 60; turn++) {
          const mark = `client ${client} turn ${turn}`
          const [row, ...more] = await sql`
            select ${mark}::text as mark, ${client}::integer as client, ${turn}::integer as turn`
          expect(more).toEqual([])
          expect(row).toEqual({ mark, client, turn })
          const rows = await sql`
            select ${client}::integer * 1000 + n as n from generate_series(1, ${turn}::integer) n`
          expect(rows.map(({ n }) => n)).toEqual(
            Array.from({ length: turn }, (_, position) => client * 1_000 + position + 1),
          )
        }
      })
    await Promise.all(pools.map(ask))
    await Promise.all(pools.map((pool) => pool.close()))
  })

  test('errors of one client reach that client alone', async () => {
    await withPool(CLIENTS, async (pool) => {
      const good = Array.from({ length: 60 }, (_, n) =>
        pool.use(async ({ sql }) => (await sql`select ${n}::integer as n`)[0]?.n),
      )
      const bad = Array.from({ length: 60 }, (_, n) =>
        pool
          .use(({ sql }) => sql`select ${n}::integer / 0`)
          .then(
            () => 'an answer',
            (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
          ),
      )
      expect(await Promise.all(good)).toEqual(Array.from({ length: 60 }, (_, n) => n))
      expect(new Set(await Promise.all(bad))).toEqual(new Set(['22012']))
    })
  })

  test('statements that change a row one after another lose none of the changes', async () => {
    await withPool(CLIENTS, async (pool) => {
      await pool.use(({ sql }) => sql`create table counter (n integer); `.simple())
      await pool.use(({ sql }) => sql`insert into counter values (0)`)
      const add = () => pool.use(({ sql }) => sql`update counter set n = n + ${1}::integer`)
      await Promise.all(Array.from({ length: 200 }, add))
      const [row] = await pool.use(({ sql }) => sql`select n from counter`)
      expect(row?.n).toBe(200)
    })
  })

  test('transactions of several statements keep the session to themselves', async () => {
    await withPool(CLIENTS, async (pool) => {
      await pool.use(({ sql }) => sql`create table moves (client integer, step integer)`)
      const move = (client: number) =>
        pool.use(({ sql }) =>
          sql.begin(async (tx) => {
            const [before] = await tx`select count(*)::integer as n from moves`
            for (let step = 0; step < 3; step++)
              await tx`insert into moves values (${client}, ${step})`
            const [after] = await tx`select count(*)::integer as n from moves`
            expect(after?.n).toBe(before?.n + 3)
            if (client % 2) throw new Error('rolled back')
          }),
        )
      await Promise.allSettled(Array.from({ length: 16 }, (_, client) => move(client)))
      const [row] = await pool.use(({ sql }) => sql`select count(*)::integer as n from moves`)
      expect(row?.n).toBe(8 * 3)
    })
  })

  test('a client that leaves in the middle of a transaction leaves the others a clean session', async () => {
    await withPool(1, async (pool) => {
      await pool.use(({ sql }) => sql`create table left_behind (n integer)`)
      const leaver = connect({ socketPath: embedded.socketPath, connections: 1, deadlineMs: 300 })
      const left = leaver.use(async ({ sql }) => {
        await sql.begin(async (tx) => {
          await tx`insert into left_behind values (1)`
          await new Promise(() => {})
        })
      })
      await left.catch(() => {})
      await leaver.close()
      const [row] = await pool.use(({ sql }) => sql`select count(*)::integer as n from left_behind`)
      expect(row?.n).toBe(0)
    })
  })

  test('20 pools that migrate at once leave one clean schema', async () => {
    // The prepared image is migrated already.
    await withPool(1, (pool) =>
      pool.use(({ sql }) => sql`drop schema public cascade; create schema public`.simple()),
    )
    const applied = await Promise.all(Array.from({ length: 20 }, () => withPool(1, migrate)))
    expect(applied.some((names) => names.length > 0)).toBe(true)
    const rows = await withPool(1, (pool) =>
      pool.use(
        ({ sql }) => sql`select name, count(*)::integer as n from chainkin_migrations group by 1`,
      ),
    )
    expect(rows.every(({ n }) => n === 1)).toBe(true)
  })
})

describe('the data directory', () => {
  test('a second opening shares the first one’s database and owns nothing', async () => {
    const second = await openEmbedded(directory.path)
    expect({ owned: second.owned, socketPath: second.socketPath }).toEqual({
      owned: false,
      socketPath: embedded.socketPath,
    })
    await second.stop()
    const [row] = await withPool(1, (pool) => pool.use(({ sql }) => sql`select 1 as still`))
    expect(row?.still).toBe(1)
  })

  test('whoever wants it alone is told that another server runs on it', async () => {
    const opening = openDatabase(
      { databaseUrl: undefined, dataDir: directory.path },
      { exclusive: true },
    )
    await expectRejection(opening, 'another server already runs on the data directory')
  })

  test('nobody but its owner can open the socket: it is the database’s superuser', async () => {
    const { mode } = await stat(embedded.socketPath)
    expect((mode & 0o777).toString(8)).toBe('600')
  })

  test('a DATA_DIR whose socket path would be too long is named together with the limit', async () => {
    const long = join(directory.path, 'd'.repeat(120))
    const error = await openEmbedded(long).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(DataDirError)
    expect(String(error)).toMatch(/DATA_DIR: .* may have 103 bytes, .* choose a shorter one/)
  })

  test('a process that was killed leaves nothing that stops the next start, and nothing committed is lost', async () => {
    const crashed = await temporaryDirectory()
    const script = `
      const { openDatabase } = await import('./src/database/open.ts')
      const { database } = await openDatabase({ databaseUrl: undefined, dataDir: process.argv[1] })
      await database.use(({ sql }) => sql\`create table kept (n integer)\`)
      await database.use(({ sql }) => sql\`insert into kept values (42)\`)
      console.log('committed')`
    const child = spawn(process.execPath, ['-e', script, crashed.path], {
      cwd: PROJECT_ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const gone = once(child, 'close')
    // Where it ends by itself, stderr has said why.
    const [said] = await Promise.race([once(child.stdout, 'data'), gone])
    expect(String(said)).toContain('committed')
    child.kill('SIGKILL')
    await gone
    const reopened = await openDatabase(
      { databaseUrl: undefined, dataDir: crashed.path },
      { exclusive: true },
    )
    const [row] = await reopened.database.use(({ sql }) => sql`select n from kept`)
    await reopened.close()
    await crashed.remove()
    expect(row?.n).toBe(42)
  })
})
