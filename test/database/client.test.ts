/** The pool: every piece of work has a connection of its own and a deadline. */
import { describe, expect, test } from 'bun:test'
import {
  connect,
  type Database,
  DatabaseUnavailable,
  errorCode,
} from '../../src/database/client.ts'
import { sharedDatabase } from '../helpers/shared.ts'

const server = sharedDatabase()

async function withPool<T>(
  options: { connections: number; deadlineMs?: number; maxWaiting?: number },
  work: (pool: Database) => Promise<T>,
): Promise<T> {
  const pool = connect({ url: server.url, ...options })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** Asks for an answer, with all the time that a busy machine may need to connect. */
const answer = (pool: Database) =>
  pool.use(
    async ({ sql }) => {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
      return row?.pid
    },
    { deadlineMs: 10_000 },
  )

const refusal = (work: Promise<unknown>) =>
  work.then(() => undefined).catch((error: unknown) => error)

describe('deadlines', () => {
  test('a statement that runs past the deadline is given up as DatabaseUnavailable, and the pool still works', async () => {
    await withPool({ connections: 1, deadlineMs: 150 }, async (pool) => {
      const error = await refusal(pool.use(({ sql }) => sql`select pg_sleep(30)`))
      expect(error).toBeInstanceOf(DatabaseUnavailable)
      expect(String(error)).toContain('150 ms')
      expect(await answer(pool)).toBeNumber()
    })
  })

  test('its end is unknown, also on a connection that was lost and made again', async () => {
    await withPool({ connections: 1 }, async (pool) => {
      const pid = (await answer(pool)) ?? 0
      await endBackend(pid)
      const error = await refusal(
        pool.use(({ sql }) => sql`select pg_sleep(30)`, { deadlineMs: 1_000 }),
      )
      expect([String(error), error instanceof DatabaseUnavailable && error.isUnknown]).toEqual([
        expect.stringContaining('1000 ms'),
        true,
      ])
    })

    /** Ends the backend, and waits until its client has noticed. */
    async function endBackend(pid: number) {
      await withPool({ connections: 1 }, (admin) =>
        admin.use(({ sql }) => sql`select pg_terminate_backend(${pid}, 5000)`, {
          deadlineMs: 10_000,
        }),
      )
      await Bun.sleep(100)
    }
  })

  test('work that waits for a connection has its deadline too, and a place is free when it has gone', async () => {
    await withPool({ connections: 1 }, async (pool) => {
      const gate = Promise.withResolvers<void>()
      const holder = pool.use(() => gate.promise)
      const waiter = pool.use(({ sql }) => sql`select 1`, { deadlineMs: 50 })
      expect(await refusal(waiter)).toBeInstanceOf(DatabaseUnavailable)
      gate.resolve()
      await holder
      expect(await answer(pool)).toBeNumber()
    })
  })

  test('a piece of work may ask for a longer deadline than the pool’s', async () => {
    await withPool({ connections: 1, deadlineMs: 50 }, async (pool) => {
      const work = pool.use(({ sql }) => sql`select pg_sleep(0.12)`, { deadlineMs: 5_000 })
      expect(await refusal(work)).toBeUndefined()
    })
  })

  test('all connections hung at once: each is replaced and later work is answered', async () => {
    await withPool({ connections: 3, deadlineMs: 150 }, async (pool) => {
      const hung = Array.from({ length: 3 }, () =>
        refusal(pool.use(({ sql }) => sql`select pg_sleep(30)`)),
      )
      for (const error of await Promise.all(hung)) expect(error).toBeInstanceOf(DatabaseUnavailable)
      const pids = await Promise.all([answer(pool), answer(pool), answer(pool)])
      expect(pids.every((pid) => typeof pid === 'number')).toBe(true)
    })
  })
})

describe('connections', () => {
  test('no two pieces of work share a connection at a time', async () => {
    await withPool({ connections: 3 }, async (pool) => {
      const held = new Set<number>()
      let most = 0
      const works = Array.from({ length: 30 }, () =>
        pool.use(async ({ sql }) => {
          const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
          const pid = row?.pid ?? 0
          expect(held.has(pid)).toBe(false)
          held.add(pid)
          most = Math.max(most, held.size)
          await sql`select pg_sleep(0.005)`
          held.delete(pid)
        }),
      )
      await Promise.all(works)
      expect(most).toBeLessThanOrEqual(3)
    })
  })

  test('a backend that is terminated costs its own work and nothing after it', async () => {
    await withPool({ connections: 1 }, async (pool) => {
      const pid = await answer(pool)
      const work = refusal(pool.use(({ sql }) => sql`select pg_sleep(30)`))
      await server.sql`select pg_terminate_backend(${pid ?? 0})`
      expect(await work).toBeInstanceOf(DatabaseUnavailable)
      expect(await answer(pool)).not.toBe(pid)
    })
  })

  test('an error of the statement’s own is passed on as it is, and the connection stays', async () => {
    await withPool({ connections: 1 }, async (pool) => {
      const pid = await answer(pool)
      const error = await refusal(pool.use(({ sql }) => sql`select 1 / 0`))
      expect(error).not.toBeInstanceOf(DatabaseUnavailable)
      expect(errorCode(error)).toBe('22012')
      expect(await answer(pool)).toBe(pid)
    })
  })

  test('more waiting than allowed is refused at once', async () => {
    await withPool({ connections: 1, maxWaiting: 1 }, async (pool) => {
      const gate = Promise.withResolvers<void>()
      const holder = pool.use(() => gate.promise)
      const waiter = answer(pool)
      expect(await refusal(answer(pool))).toBeInstanceOf(DatabaseUnavailable)
      gate.resolve()
      await holder
      expect(await waiter).toBeNumber()
    })
  })

  test('a server that is not there is DatabaseUnavailable, and so is a pool that is closed', async () => {
    const nowhere = connect({
      url: 'postgres://nobody@127.0.0.1:1/none',
      connections: 1,
      deadlineMs: 300,
    })
    expect(await refusal(answer(nowhere))).toBeInstanceOf(DatabaseUnavailable)
    await nowhere.close()
    expect(await refusal(answer(nowhere))).toBeInstanceOf(DatabaseUnavailable)
  })
})
