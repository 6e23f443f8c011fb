/** Whether a call that failed was charged is said truly, by every kind of failure. */
import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { WEB_OPERATIONS } from '../../../src/contract/endpoints.ts'
import { connect, type Database, DatabaseUnavailable } from '../../../src/database/client.ts'
import { startMemoryDatabase } from '../../../src/database/memory.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { type BegunRun, paidUnits, runId, type Till } from '../../../src/money/accounts/web-runs.ts'
import type { Call } from '../../../src/money/charge/call.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { temporaryDirectory } from '../../helpers/command.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { freePort } from '../../helpers/postgres.ts'
import { type Bench, newAccount, plainRead, sharedBench } from './fixtures.ts'

const bench = sharedBench()

/** What the failure of `work` says, or that it did not fail. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) return error
      return error.isUnknown ? 'unknown' : 'not charged'
    },
  )

/** A call of a new account that can pay. */
async function payable(changes: Partial<Call> = {}): Promise<Call> {
  return plainRead(await newAccount(bench.sql, { tier: 'team', credits: 100 }), changes)
}

async function chargesOf({ account }: { account: string }): Promise<number> {
  const [row] = await bench.sql<{ n: number }[]>`
    select count(*)::integer as n from ledger where account_id = ${account} and kind = 'charge'`
  return row?.n ?? 0
}

async function withPool<T>(place: object, work: (pool: Database) => Promise<T>): Promise<T> {
  const pool = connect({ connections: 1, deadlineMs: PATIENCE_MS, ...place })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** The same pool, for work that won't end. */
const hurried = (pool: Database): Database => ({
  ...pool,
  use: (work) => pool.use(work, { deadlineMs: 500 }),
})

const pidOf = (pool: Database) =>
  pool.use(async ({ sql }) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid ?? 0
  })

/** Holds the ledger, so that a charge waits in the middle of its statement, until `meanwhile` is done. */
async function whileLedgerIsHeld<T>(meanwhile: () => Promise<T>): Promise<T> {
  const holder = await bench.sql.reserve()
  await holder`begin`
  try {
    await holder`lock table ledger in access exclusive mode`
    return await meanwhile()
  } finally {
    await holder`rollback`
    holder.release()
  }
}

/** Waits until the backend is in the middle of a statement. */
async function untilItWaits(pid: number) {
  for (;;) {
    const [row] = await bench.sql`select wait_event_type from pg_stat_activity where pid = ${pid}`
    if (row?.wait_event_type === 'Lock') return
    await Bun.sleep(5)
  }
}

describe('unknown, where a statement was sent and no end of it was told', () => {
  test('a backend that is frozen', async () => {
    const call = await payable()
    await withPool({ url: bench.url }, async (pool) => {
      // Prepared by an earlier call, the statement goes out whole.
      await createMeter(pool).charge(await payable())
      const meter = createMeter(hurried(pool))
      const pid = await pidOf(pool)
      process.kill(pid, 'SIGSTOP')
      try {
        expect(await failureOf(meter.charge(call))).toBe('unknown')
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    })
    // The statement had arrived, so it is carried out after all: that is what "unknown" is for.
    while ((await chargesOf(call)) === 0) await Bun.sleep(10)
    expect(await chargesOf(call)).toBe(1)
  })

  test('a connection that is lost under way', async () => {
    const call = await payable()
    await withPool({ url: bench.url }, async (pool) => {
      const pid = await pidOf(pool)
      const failure = await whileLedgerIsHeld(async () => {
        const charge = failureOf(createMeter(pool).charge(call))
        await untilItWaits(pid)
        await bench.sql`select pg_terminate_backend(${pid})`
        return charge
      })
      expect(failure).toBe('unknown')
    })
  })

  test('every kind of database tells when its session has begun', async () => {
    const lost = async ({ sql }: { sql: Bench['sql'] }) => {
      await sql`select 1`
      throw Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' })
    }
    const directory = await temporaryDirectory()
    const embedded = await openDatabase({ databaseUrl: undefined, dataDir: directory.path })
    const memory = await startMemoryDatabase()
    const openStream = (): Duplex => memory.open()
    try {
      expect(await failureOf(embedded.database.use(lost))).toBe('unknown')
      for (const place of [{ openStream }, { url: bench.url }]) {
        const failure = await withPool(place, (pool) => failureOf(pool.use(lost)))
        expect(failure).toBe('unknown')
      }
    } finally {
      await Promise.all([embedded.close(), memory.close()])
      await directory.remove()
    }
  })
})

describe('not charged, where nothing was sent or the server turned it away', () => {
  test('no server', async () => {
    const call = await payable()
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    const failure = await withPool({ url }, (pool) =>
      failureOf(createMeter(hurried(pool)).charge(call)),
    )
    expect(failure).toBe('not charged')
  })

  test('a server that accepts and begins no session', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    const port = await freePort()
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve))
    const call = await payable()
    const url = `postgres://nobody@127.0.0.1:${port}/none`
    const failure = await withPool({ url }, (pool) =>
      failureOf(createMeter(hurried(pool)).charge(call)),
    )
    silent.close()
    expect(failure).toBe('not charged')
  })

  test('all connections taken, too many calls waiting, and a pool that is closed', async () => {
    const failures = await withPool({ url: bench.url, maxWaiting: 1 }, async (pool) => {
      const gate = Promise.withResolvers<void>()
      const holder = pool.use(() => gate.promise, { deadlineMs: 10_000 })
      const ask = () => failureOf(pool.use(({ sql }) => sql`select 1`, { deadlineMs: 50 }))
      const both = await Promise.all([ask(), ask()])
      gate.resolve()
      await holder
      await pool.close()
      return [...both, await ask()]
    })
    expect(failures).toEqual(['not charged', 'not charged', 'not charged'])
  })

  test('a lock that is not to be had, and a statement that is cancelled', async () => {
    const call = await payable()
    await withPool({ url: bench.url }, async (pool) => {
      await pool.use(({ sql }) => sql`set lock_timeout = 100`)
      const failure = await whileLedgerIsHeld(() => failureOf(createMeter(pool).charge(call)))
      expect(failure).toBe('not charged')
    })
    await withPool({ url: bench.url }, async (pool) => {
      const pid = await pidOf(pool)
      const failure = await whileLedgerIsHeld(async () => {
        const charge = failureOf(createMeter(pool).charge(call))
        await untilItWaits(pid)
        await bench.sql`select pg_cancel_backend(${pid})`
        return charge
      })
      expect(failure).toBe('not charged')
    })
    expect(await chargesOf(call)).toBe(0)
  })

  test('calls of a group that failed for one of them are tried alone, and all the others are charged', async () => {
    const calls = await Promise.all([payable(), payable({ person: 'nobody' }), payable()])
    const meter = bench.anotherMeter()
    const results = await Promise.allSettled(calls.map((call) => meter.charge(call)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await Promise.all(calls.map(chargesOf))).toEqual([1, 0, 1])
  })
})

describe('a run of several batches', () => {
  const run = async () => {
    const { id } = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const operation = WEB_OPERATIONS.bulkSearch
    const began = new Date(bench.clock.now()).toISOString()
    const run = { accountId: id, operation, id: runId(id, 'once', 'everything'), units: 60 }
    return { ...run, began, ledgerStart: 0 }
  }
  const endOf = async (till: Till, of: BegunRun) => {
    const units = paidUnits(till, of, 60, (unit) => unit, { rightEnd: async () => null })
    for (;;) {
      const { done, value } = await units.next()
      if (done) return value
    }
  }

  test.each([true, false])(
    'tells what the batches before were charged, and whether the last one’s end is unknown: %p',
    async (isUnknown) => {
      let charges = 0
      const meter = bench.anotherMeter()
      const failing = {
        ...meter,
        charge: async (call: Call) => {
          if (++charges === 3) throw new DatabaseUnavailable('test', { isUnknown })
          return meter.charge(call)
        },
      }
      const till = { database: bench.database, meter: failing }
      const stopped = isUnknown ? 'unknown' : 'unavailable'
      expect(await endOf(till, await run())).toEqual({ units: 40, charged: 200, stopped })
    },
  )

  test('one that could not read what it had paid for was not charged, however the read ended', async () => {
    const database: Database = {
      ...bench.database,
      use: async () => {
        throw new DatabaseUnavailable('test', { isUnknown: true })
      },
    }
    const end = await endOf({ database, meter: bench.meter }, await run())
    expect(end).toEqual({ units: 0, charged: 0, stopped: 'unavailable' })
  })
})
