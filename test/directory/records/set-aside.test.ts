/** A record that can't be taken in holds up no other, is named, and comes in once it can. */
import { afterAll, expect, test } from 'bun:test'
import type { Database } from '../../../src/database/client.ts'
import { follow, SetAsideChanges } from '../../../src/directory/records/follow.ts'
import { loadState } from '../../../src/directory/records/load.ts'
import { ALONE } from '../../../src/directory/records/pace.ts'
import { createLog, silentLog } from '../../../src/log.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

const db = sharedDatabase()
const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

async function following(database: Database = db.database, retryMs = 20) {
  const logged: string[] = []
  const log = createLog('info', (line) => logged.push(line))
  const state = await loadState(db.database, ALONE)
  const follower = await follow(database, state, { log, pace: () => ALONE, trims: false, retryMs })
  stops.push(follower.stop)
  const said = (level: string) =>
    logged.map((line) => JSON.parse(line)).filter((one) => one.level === level)
  return { follower, said }
}

test('one row that can’t be taken in is set aside by its id; the others of its batch show, and it stays as it was', async () => {
  const bad = await insertCompany(db.sql, 'Endless')
  const team = await insertPerson(db.sql, 'Emp', bad)
  const { follower, said } = await following(db.database, 60_000)
  const others: string[] = []
  const sql = await db.sql.reserve()
  await sql`begin`
  for (let i = 0; i < 5; i++) others.push(await insertCompany(sql, `Before ${i}`))
  // No moment that JavaScript has.
  await sql`update companies set name = 'Changed', created_at = 'infinity' where id = ${bad}`
  for (let i = 0; i < 6; i++) others.push(await insertCompany(sql, `After ${i}`))
  await sql`commit`
  sql.release()
  await follower.refresh()
  const { store } = follower.state
  expect(others.filter((id) => !store.company(id))).toEqual([])
  expect([store.company(bad)?.name, store.company(`c-${bad}`)?.id]).toEqual(['Endless', bad])
  expect(store.person(team)?.company?.name).toBe('Endless')
  expect(follower.following.setAside).toEqual([{ kind: 'company', id: bad, tries: 1 }])
  expect(follower.following.secondsSinceInStep).toBeLessThan(60)
  expect(said('warn')).toEqual([
    expect.objectContaining({
      kind: 'company',
      id: bad,
      error: expect.stringContaining('RangeError'),
    }),
  ])
  // A later change that can be taken in ends it.
  await db.sql`update companies set created_at = now() where id = ${bad}`
  await follower.refresh()
  expect([follower.state.store.company(bad)?.name, follower.following.setAside]).toEqual([
    'Changed',
    [],
  ])
})

test('it is tried again by itself', async () => {
  const bad = await insertCompany(db.sql, 'Later')
  const { follower, said } = await following()
  await db.sql`update companies set name = 'Now', created_at = 'infinity' where id = ${bad}`
  await follower.refresh()
  while (follower.following.setAside[0]?.tries === 1) {
    await Bun.sleep(10)
    await follower.refresh()
  }
  expect(follower.state.store.company(bad)?.name).toBe('Later')
  // Mended without a change that the log has.
  await db.sql.begin(async (sql) => {
    await sql`alter table companies disable trigger user`
    await sql`update companies set created_at = now() where id = ${bad}`
    await sql`alter table companies enable trigger user`
  })
  while (follower.following.setAside.length > 0) {
    await Bun.sleep(10)
    await follower.refresh()
  }
  expect(follower.state.store.company(bad)?.name).toBe('Now')
  expect(said('info').at(-1)).toMatchObject({ id: bad })
})

test('a failure that is no row’s skips nothing: it is a warning once, and all shows when it is over', async () => {
  let isBroken = false
  const database: Database = {
    ...db.database,
    use: async (work, options) => {
      if (isBroken) throw Object.assign(new Error('relation is gone'), { code: '42P01' })
      return db.database.use(work, options)
    },
  }
  const { follower, said } = await following(database)
  isBroken = true
  const company = await insertCompany(db.sql, 'Meanwhile')
  await expectRejection(follower.refresh(), new Error('relation is gone'))
  while (follower.following.failures < 2) await Bun.sleep(20)
  expect(follower.following.setAside).toEqual([])
  expect(follower.following.lastFailureMs).toBeGreaterThan(Date.now() - 60_000)
  expect(said('warn').map(({ message }) => message)).toEqual(["the change log can't be followed"])
  isBroken = false
  while (!follower.state.store.company(company)) await Bun.sleep(20)
  while (said('info').length === 0) await Bun.sleep(20)
  expect(said('info').map(({ message }) => message)).toEqual([
    "over: the change log can't be followed",
  ])
})

test('more rows than single ones can be at fault for are not set aside', async () => {
  const aside = new SetAsideChanges(silentLog)
  const changes = Array.from({ length: 1_001 }, (_, sequence) => ({
    sequence,
    kind: 'person' as const,
    id: `id-${sequence}`,
  }))
  const fail = async () => {
    throw new TypeError('every row')
  }
  await expectRejection(aside.apply(changes, fail), new TypeError('every row'))
  expect(aside.list.length).toBe(1_000)
})
