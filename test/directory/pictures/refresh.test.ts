/** A refresh ends whatever hosts do, asks no more than it must, and can be stopped. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type RefreshOptions, refreshPictures } from '../../../src/directory/pictures/refresh.ts'
import { createResizer } from '../../../src/directory/pictures/resize.ts'
import { readPicture } from '../../../src/directory/pictures/store.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { startHostileHost } from './hostile-host.ts'

const t = sharedDatabase()
let host: Awaited<ReturnType<typeof startHostileHost>>
const resizer = createResizer()
beforeAll(async () => {
  host = await startHostileHost()
})
afterAll(async () => {
  await resizer.close()
  await host.stop()
})
beforeEach(async () => {
  await t.sql`delete from people`
  await t.sql`delete from companies`
  host.requests.length = 0
})

async function companies(...urls: string[]): Promise<string[]> {
  const rows = urls.map((logoUrl) => ({ id: randomUUID(), logoUrl, companyType: 'project' }))
  await importRows(
    t.database,
    'companies',
    rows.map((row) => ({ ...row, name: row.id })),
  )
  return rows.map(({ id }) => id)
}

const DAY = 86_400
const refresh = (options: Partial<RefreshOptions> = {}) =>
  refreshPictures(t.database, { olderThan: 30 * DAY, reach: host.reach, resizer, ...options })
const NONE = { got: 0, same: 0, gone: 0, failed: 0, left: 0 }

test('whatever hosts do, it ends, says of each what became of it, and the next run asks nobody again', async () => {
  const bad = ['/script.svg', '/bomb.png', '/huge', '/to-private', '/loop', '/page.png', '/error']
  const [good = ''] = await companies(
    ...['/good.png', '/gone', ...bad].map((path) => host.url(path)),
  )
  const reasons: string[] = []
  const counts = await refresh({ onFailure: (_, reason) => reasons.push(reason) })
  expect(counts).toEqual({ ...NONE, got: 1, gone: 1, failed: bad.length })
  expect(reasons).toHaveLength(bad.length + 1)
  expect(await readPicture(t.database, good)).toBeDefined()
  host.requests.length = 0
  expect(await refresh()).toEqual(NONE)
  expect(host.requests).toEqual([])
})

test('what is kept is asked for again when it is old, by its tag', async () => {
  const [id = ''] = await companies(host.url('/tagged'))
  await refresh()
  const before = await readPicture(t.database, id)
  expect(await refresh({ olderThan: 0 })).toEqual({ ...NONE, same: 1 })
  expect(host.requests.at(-1)?.headers).toMatchObject({ 'if-none-match': '"1"' })
  expect(await readPicture(t.database, id)).toEqual(before)
})

test('a host is asked for one picture at a time, and all hosts together for four', async () => {
  const urls = Array.from({ length: 24 }, (_, n) => host.url('/held', `host${n % 6}.example`))
  await companies(...urls)
  const [most, mostOfOne] = await host.whileHolding(() => refresh())
  expect([most, mostOfOne]).toEqual([4, 1])
})

test('a host that does not answer is left alone for the rest of the run, and asked by the next', async () => {
  await companies(...Array.from({ length: 6 }, () => host.url('/busy')))
  expect(await refresh()).toEqual({ ...NONE, failed: 3, left: 3 })
  expect(await refresh()).toEqual({ ...NONE, failed: 3 })
})

test('it stops at its limit and when it is told to, and the next run goes on from there', async () => {
  await companies(...Array.from({ length: 5 }, (_, n) => host.url(`/tagged${n}`)))
  expect(await refresh({ limit: 2 })).toEqual({ ...NONE, got: 2 })
  const interrupted = new AbortController()
  const stopped = await refresh({
    signal: interrupted.signal,
    onProgress: () => interrupted.abort(),
  })
  expect(stopped).toEqual({ ...NONE, got: 1 })
  expect(await refresh()).toEqual({ ...NONE, got: 2 })
})

test('somebody who is erased while their avatar is fetched has none afterwards', async () => {
  const id = randomUUID()
  const row = { id, firstName: 'Ada', lastName: 'Erased', avatarUrl: host.url('/held') }
  await importRows(t.database, 'people', [row])
  const [, asked] = await host.whileHolding(async () => {
    const refreshed = refresh()
    while (host.requests.length === 0) await pause(2)
    await erasePerson(t.database, id, 'olga')
    return refreshed
  })
  expect(asked).toBe(1)
  expect(await t.sql`select from pictures`).toHaveLength(0)
})
