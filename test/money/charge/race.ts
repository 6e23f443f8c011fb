/** Two instances of the meter on two pools, for races over both. */
import { test } from 'bun:test'
import { connect, type Database } from '../../../src/database/client.ts'
import type { Call, Outcome } from '../../../src/money/charge/call.ts'
import { createMeter, type Meter } from '../../../src/money/charge/meter.ts'
import { startClock, startTickingClock } from '../../helpers/clock.ts'
import { LIMIT_MS, PATIENCE_MS } from '../../helpers/limit.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { shared } from '../../helpers/shared.ts'
import { expectBooksToBalance, START } from './fixtures.ts'

const ROUNDS = Number(process.env.RACE_ROUNDS ?? 3)
const AT_ONCE = 10

export interface Arena {
  test: TestDatabase
  pools: Database[]
  meters: Meter[]
  close(): Promise<void>
}

async function arena(): Promise<Arena> {
  const test = await testDatabase()
  const pools = [1, 2].map(() =>
    connect({ url: test.url, connections: 2, deadlineMs: PATIENCE_MS }),
  )
  const meters = pools.map((pool) => createMeter(pool, { maxWaitMs: PATIENCE_MS }))
  const close = async () => {
    await expectBooksToBalance(test.sql)
    await Promise.all(pools.map((pool) => pool.close()))
    await test.drop()
  }
  return { test, pools, meters, close }
}

/** With a clock that ticks at each reading, so that no rate is in the way. */
export function tickingArena() {
  return shared(
    async () => {
      const ticks = await arena()
      return { ...ticks, clock: await startTickingClock(ticks.test.sql, START) }
    },
    ({ close }) => close(),
  )
}

/** With a clock that stands still, so that a window holds. */
export function stillArena() {
  return shared(
    async () => {
      const stands = await arena()
      await startClock(stands.test.sql, START)
      return stands
    },
    ({ close }) => close(),
  )
}

/** Rounds run ten at a time, each on accounts of its own. */
export function race(name: string, round: () => Promise<void>) {
  test(
    `${name} (${ROUNDS} rounds)`,
    async () => {
      for (let done = 0; done < ROUNDS; done += AT_ONCE) {
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, ROUNDS - done) }, round))
      }
    },
    LIMIT_MS * 2,
  )
}

/** `count` calls at once, over as many instances. */
export function atOnce(count: number, meters: Meter[], call: () => Call): Promise<Outcome[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) => meters[i % meters.length]!.charge(call())),
  )
}

export const count = (outcomes: readonly Outcome[], name: Outcome['outcome']) =>
  outcomes.filter((outcome) => outcome.outcome === name).length
