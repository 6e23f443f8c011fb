/** The clock of a test directory: every window and expiry is measured by it. */
import type { Database } from '../embed-testing.ts'
import { advanceClock } from './database.ts'

export type Clock = ReturnType<typeof startClock>

/** @param standsAt the time at which the database's clock stands still but for being advanced; undefined for the real time, which flows. */
export function startClock(database: Database, standsAt: Date | undefined) {
  let aheadMs = 0
  return {
    now: () => new Date((standsAt?.getTime() ?? Date.now()) + aheadMs),
    async advance(ms: number) {
      aheadMs += ms
      await advanceClock(database, ms)
    },
    /** The database's own clock is reset with its accounts. */
    reset() {
      aheadMs = 0
    },
  }
}
