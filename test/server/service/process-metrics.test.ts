/** Metrics of a process about its database and the directory. */
import { afterAll, expect, test } from 'bun:test'
import { type Database, DatabaseUnavailable } from '../../../src/database/client.ts'
import type { Directory } from '../../../src/directory/records/directory.ts'
import type { Family } from '../../../src/server/metrics/families.ts'
import { createProcessMetrics } from '../../../src/server/service/process-metrics.ts'

const metrics = createProcessMetrics(3)
afterAll(metrics.stop)

const directory = {
  position: 7,
  answers: { hits: 0, confirmed: 0, misses: 0, bytes: 0 },
  counts: { people: 2, companies: 3, rounds: 4 },
  following: {
    secondsSinceInStep: 20,
    failures: 5,
    lastFailureMs: 1_700_000_000_000,
    setAside: [{ kind: 'company', id: 'c', tries: 1 }],
  },
} as unknown as Directory

function valuesOf(families: readonly Family[]) {
  return new Map(
    families.flatMap(({ name, values }) =>
      values.map(({ metricName = name, labels, value }) => [
        [metricName, ...Object.entries(labels).map((pair) => pair.join('='))].join(' '),
        value,
      ]),
    ),
  )
}

const read = async (look: object, isDraining = false) => {
  const health = { look: async () => look, isDraining } as Parameters<
    typeof metrics.families
  >[0]['health']
  return valuesOf(await metrics.families({ directory, health }))
}

test('how far the follower is, what it failed at, and whether the process is ready', async () => {
  const late = await read({ reasons: ['late'], lag: { seconds: 20, changes: 12 } })
  expect(late.get('chainkin_directory_position worker=3')).toBe(7)
  expect(late.get('chainkin_directory_lag_changes worker=3')).toBe(12)
  expect(late.get('chainkin_directory_lag_seconds worker=3')).toBe(20)
  expect(late.get('chainkin_follow_failures_total')).toBe(5)
  expect(late.get('chainkin_follow_last_failure_timestamp_seconds worker=3')).toBe(1_700_000_000)
  expect(late.get('chainkin_records_set_aside worker=3')).toBe(1)
  expect(late.get('chainkin_directory_records worker=3 kind=companies')).toBe(3)
  expect(late.get('chainkin_ready worker=3')).toBe(0)
  expect((await read({ reasons: [] })).get('chainkin_ready worker=3')).toBe(1)
  expect((await read({ reasons: [] }, true)).get('chainkin_ready worker=3')).toBe(0)
  const away = await read({ reasons: ['away'] })
  expect(away.has('chainkin_directory_lag_seconds worker=3')).toBe(false)
})

test('waits for a connection and work on it are counted by pool, failures by their end', async () => {
  const failing = { now: false, isUnknown: false }
  const use = async (work: (connection: never) => Promise<unknown>) => {
    if (failing.now) throw new DatabaseUnavailable('away', { isUnknown: failing.isUnknown })
    return work(undefined as never)
  }
  const database = metrics.aroundDatabase({ use } as Pick<Database, 'use'>, 'charges')
  expect(await database.use(async () => 'done')).toBe('done')
  failing.now = true
  await database.use(async () => {}).catch(() => {})
  failing.isUnknown = true
  for (let n = 0; n < 2; n++) await database.use(async () => {}).catch(() => {})
  const values = await read({ reasons: [] })
  expect(values.get('chainkin_database_wait_seconds_count pool=charges')).toBe(1)
  expect(values.get('chainkin_database_work_seconds_count pool=charges')).toBe(1)
  expect(values.get('chainkin_database_failures_total pool=charges end=nothing done')).toBe(1)
  expect(values.get('chainkin_database_failures_total pool=charges end=unknown')).toBe(2)
})
