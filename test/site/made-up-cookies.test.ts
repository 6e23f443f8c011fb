/** Made-up cookies cost a few statements however many there are, and people who are signed in go on beside them. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { countAttempt, RATE_LIMITS } from '../../src/people/users/rate-limiter.ts'
import { counted } from '../helpers/counted.ts'
import { postgresService, type TestService } from '../helpers/service.ts'
import { shared } from '../helpers/shared.ts'
import { startTown } from './visitor.ts'

const service: TestService = shared(
  () => postgresService(),
  ({ stop }) => stop(),
)

const FEW = 5
const madeUp = () => randomBytes(32).toString('base64url')

for (const [name, path, status] of [
  ['session', '/keys', 303],
  ['session', '/operator', 404],
  ['pending', '/sign-in/code', 303],
] as const) {
  test(`500 made-up cookies of the kind "${name}" at ${path} at once are looked up in a few statements`, async () => {
    const { used, database } = counted(service.database)
    const town = await startTown({ ...service, database })
    const person = await town.person()
    expect((await person.get('/settings')).status).toBe(200)
    used.times = 0
    const answers = await Promise.all(
      Array.from({ length: 500 }, () =>
        town.site.get(path, { headers: { cookie: `__Host-ck_${name}=${madeUp()}` } }),
      ),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]))
    expect(used.times).toBeLessThanOrEqual(FEW)
    expect((await person.get('/settings')).status).toBe(200)
  })
}

test('a made-up cookie that comes again within seconds is not looked up again', async () => {
  const { used, database } = counted(service.database)
  const town = await startTown({ ...service, database })
  const headers = { cookie: `__Host-ck_session=${madeUp()}` }
  for (let round = 0; round < 10; round++) await town.site.get('/keys', { headers })
  expect(used.times).toBe(1)
})

test('sessions are read together, and each page is its own reader’s', async () => {
  const town = await startTown(service)
  const people = await Promise.all(['Ada', 'Ben', 'Cyd', 'Dan'].map((name) => town.person(name)))
  for (let round = 0; round < 3; round++) {
    const pages = await Promise.all(people.map((person) => person.text('/settings')))
    expect(pages.map((page, at) => page.includes(people[at]?.email ?? '-'))).toEqual(
      people.map(() => true),
    )
  }
})

test('a session that another transaction holds is read all the same', async () => {
  const town = await startTown(service)
  const person = await town.person()
  await service.sql`update sessions set used_at = used_at - interval '1 hour'`
  const page = await service.sql.begin(async (sql) => {
    await sql`select from sessions for update`
    return person.get('/settings')
  })
  expect(page.status).toBe(200)
  const noted = async () => {
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)::integer as count from sessions where used_at > now() - interval '1 minute'`
    return row?.count
  }
  expect(await noted()).toBe(0)
  expect((await person.get('/settings')).status).toBe(200)
  expect(await noted()).toBe(1)
})

test('an address over its limit of pages is refused without a statement', async () => {
  const { used, database } = counted(service.database)
  const attempt = { kind: 'visit', address: '192.0.2.99' } as const
  const { limit } = RATE_LIMITS.visit.address
  for (let count = 0; count < limit; count++) {
    expect((await countAttempt(database, attempt)).allowed).toBe(true)
  }
  used.times = 0
  for (let count = 0; count < 100; count++) {
    expect(await countAttempt(database, attempt)).toMatchObject({
      allowed: false,
      count: limit + 1,
    })
  }
  expect(used.times).toBe(1)
  expect((await countAttempt(database, { ...attempt, address: '192.0.2.98' })).allowed).toBe(true)
})
