/** Which records have a picture, as an instance that follows knows it and one that starts. */
import { expect, setSystemTime, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { Store } from '../../../src/directory/records/store.ts'
import { silentLog } from '../../../src/log.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const t = sharedDatabase()

test('an instance that follows has the pictures as an instance that starts, of many records and few', async () => {
  const following = await openDirectory(t.database, { log: silentLog })
  try {
    // More than are read at a time.
    const ids = Array.from({ length: 2_100 }, () => randomUUID())
    await t.sql`
      insert into pictures (record_id, kind, url, bytes, version, tried_at)
      select id, 'company', 'https://pictures.example', 'x', 1, now() from unnest(${ids}::uuid[]) id`
    await following.refresh()
    expect(following.pictureVersion({ id: ids[65] ?? '' })).toBe(1)
    await t.sql`update pictures set version = 2 where record_id in ${t.sql(ids.slice(0, 50))}`
    await t.sql`update pictures set version = null, bytes = null where record_id in ${t.sql(ids.slice(50, 60))}`
    await t.sql`delete from pictures where record_id in ${t.sql(ids.slice(60, 70))}`
    await following.refresh()
    const starting = await openDirectory(t.database, { log: silentLog })
    await starting.stop()
    for (const directory of [following, starting]) {
      const versions = ids.map((id) => directory.pictureVersion({ id }))
      expect(versions.slice(0, 50)).toEqual(Array(50).fill(2))
      expect(versions.slice(50, 70)).toEqual(Array(20).fill(undefined))
      expect(versions.slice(70)).toEqual(Array(2_030).fill(1))
    }
  } finally {
    await following.stop()
  }
})

test('a picture that comes, changes or goes is another moment; one that is read again is none', () => {
  const store = new Store()
  const moments = [store.moment]
  for (const version of [7, 8, undefined]) {
    store.pictures.put('1', version)
    expect(moments).not.toContain(store.moment)
    moments.push(store.moment)
    expect(store.pictures.get('1')).toBe(version)
    store.pictures.put('1', version)
    expect(moments.at(-1)).toBe(store.moment)
  }
})

test('another day is another moment, because who invested lately changes with it', () => {
  try {
    setSystemTime(new Date('2026-02-28T23:59:59.900Z'))
    const store = new Store()
    const { moment } = store
    setSystemTime(new Date('2026-02-28T23:59:59.999Z'))
    expect(store.moment).toBe(moment)
    setSystemTime(new Date('2026-03-01T00:00:00Z'))
    const next = store.moment
    expect(next).not.toBe(moment)
    expect(store.moment).toBe(next)
  } finally {
    setSystemTime()
  }
})
