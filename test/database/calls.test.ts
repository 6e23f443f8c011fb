/** Work beside a service slows down while it answers calls, and only then. */
import { afterAll, describe, expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { watchCalls } from '../../src/database/calls.ts'
import type { Database } from '../../src/database/client.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { postgresService, testService } from '../helpers/service.ts'

const services = [
  { name: 'PostgreSQL', service: await postgresService(fixtures) },
  { name: 'the embedded database', service: await testService() },
]
afterAll(() => Promise.all(services.map(({ service }) => service.stop())))

/** A watch whose clock the test moves, and what it said. */
function watching(database: Database) {
  const clock = { ms: 0 }
  const told: boolean[] = []
  const areCallsAnswered = watchCalls(database, {
    onChange: (areAnswered) => told.push(areAnswered),
    now: () => clock.ms,
  })
  const after = (ms: number) => {
    clock.ms += ms
    return areCallsAnswered()
  }
  return { after, told }
}

for (const { name, service } of services) {
  describe(`on ${name}`, () => {
    const path = '/v1/projects?limit=1'

    test('calls that nobody makes slow nothing down', async () => {
      const { after, told } = watching(service.database)
      expect([await after(0), await after(1_000), await after(10_000)]).toEqual([
        false,
        false,
        false,
      ])
      expect(told).toEqual([false])
    })

    test('a call that is charged counts at once, and for five seconds', async () => {
      const caller = await service.account({ credits: 1_000 })
      const { after, told } = watching(service.database)
      expect(await after(0)).toBe(false)
      expect((await caller.get(path)).status).toBe(200)
      expect(await after(1_000)).toBe(true)
      expect(await after(200)).toBe(true)
      // The statistics may count it a little later once more.
      while (await after(5_001));
      expect((await caller.get(path)).status).toBe(200)
      expect(await after(1_000)).toBe(true)
      expect(told).toEqual([false, true, false, true])
    })

    test('work that begins looks for calls of the last minute', async () => {
      const caller = await service.account({ credits: 1_000 })
      await caller.get(path)
      const { after } = watching(service.database)
      expect(await after(0)).toBe(true)
      await service.sql`update accounts set rate_started_at = rate_started_at - interval '2 minutes'`
      expect(await watching(service.database).after(0)).toBe(false)
    })

    test('between two looks lies a quarter of a second, however often it is asked', async () => {
      let looks = 0
      const use: Database['use'] = (...given) => {
        looks++
        return service.database.use(...given)
      }
      const { after } = watching({ ...service.database, use })
      await after(0)
      const first = looks
      for (let i = 0; i < 24; i++) await after(10)
      expect(looks).toBe(first)
      await after(10)
      expect(looks).toBe(first + 1)
    })
  })
}

test('a call that is free counts, too', async () => {
  const [{ service }] = services as [(typeof services)[0]]
  const caller = await service.account({ credits: 1_000 })
  await service.sql`update accounts set rate_started_at = null`
  const { after } = watching(service.database)
  await after(0)
  // PostgreSQL's statistics count within seconds what a session did.
  let isSeen = false
  while (!isSeen) {
    expect((await caller.get('/v1/me')).status).toBe(200)
    isSeen = await after(1_000)
    await setTimeout(50)
  }
})

test('where the database does not tell, calls are taken to be answered', async () => {
  const [{ service }] = services as [(typeof services)[0]]
  const { database } = service
  const failing = { ...database, use: () => Promise.reject(new Error('no right to look')) }
  expect(await watching(failing).after(0)).toBe(true)
})
