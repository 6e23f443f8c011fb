/** Locks that one process holds for minutes, on a real PostgreSQL and beside an embedded database. */
import { describe, expect, test } from 'bun:test'
import { lockInDirectory, lockInPostgres, type TakeLongLock } from '../../src/database/long-lock.ts'
import { sharedDatabase, sharedDirectory } from '../helpers/shared.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

const places: Record<string, () => TakeLongLock> = {
  'on a PostgreSQL': () => lockInPostgres({ url: t.url }),
  'beside an embedded database': () => lockInDirectory(directory.path),
}

for (const [place, takeIn] of Object.entries(places)) {
  describe(place, () => {
    test('one holds a name until it releases it; other names are free', async () => {
      const take = takeIn()
      const first = await take('night')
      expect(first?.isHeld()).toBe(true)
      expect(await take('night')).toBeUndefined()
      const other = await take('day')
      await first?.release()
      const second = await take('night')
      expect([other, second].map((lock) => lock !== undefined)).toEqual([true, true])
      await other?.release()
      await second?.release()
    })
  })
}

test('a connection that breaks leaves no lock, and whoever held it learns of it', async () => {
  const take = lockInPostgres({ url: t.url })
  const first = await take('night')
  await t.sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`
  while (first?.isHeld()) await Bun.sleep(1)
  const second = await take('night')
  expect(second?.isHeld()).toBe(true)
  await second?.release()
  await first?.release()
})
