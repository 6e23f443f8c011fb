/** What a rebuild puts in place is never behind what was shown before. */
import { expect, test } from 'bun:test'
import type { Database } from '../../../src/database/client.ts'
import { follow } from '../../../src/directory/records/follow.ts'
import { loadState } from '../../../src/directory/records/load.ts'
import { ALONE } from '../../../src/directory/records/pace.ts'
import { silentLog } from '../../../src/log.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

/** A follower whose load waits, once it has read the one person, until `goOn` is called. */
async function withLoad() {
  const own = await testDatabase()
  const person = await insertPerson(own.sql, 'Zero')
  const rename = (name: string) =>
    own.sql`update people set first_name = ${name} where id = ${person}`
  const [hasRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let beforeUse = async () => {}
  const database: Database = {
    ...own.database,
    // Changes are applied when the test says so.
    listen: async () => ({ stop: async () => {} }),
    use: async (work, options) => {
      const before = beforeUse
      beforeUse = async () => {}
      await before()
      return own.database.use(work, options)
    },
  }
  const pace = ALONE
  const pausing = {
    ...ALONE,
    pause: async () => {
      hasRead.resolve()
      await mayGoOn.promise
    },
  }
  // The first asked for is of the rebuild's load.
  const paces = [pausing]
  let onApply = () => {}
  const follower = await follow(database, await loadState(database, pace), {
    log: silentLog,
    pace: () => {
      const next = paces.shift()
      if (!next) onApply()
      return next ?? pace
    },
    trims: false,
  })
  await rename('One')
  const rebuilt = follower.rebuild()
  await hasRead.promise
  return {
    own,
    rename,
    follower,
    rebuilt,
    goOn: mayGoOn.resolve,
    name: () => JSON.parse(follower.state.store.person(person)?.values ?? '[]')[0],
    /** Has it done before the rows of the next changes are read. */
    beforeRows: (work: () => Promise<void>) => {
      onApply = () => {
        onApply = () => {}
        beforeUse = work
      }
    },
    end: async () => {
      await follower.stop()
      await own.drop()
    },
  }
}

test('a rebuild shows nothing older than was shown before, where a record was shown as of later than the position that was served', async () => {
  const { rename, follower, rebuilt, goOn, name, beforeRows, end } = await withLoad()
  beforeRows(async () => {
    await rename('Two')
    goOn()
    // The load ends and waits for its turn: before the rest of the log has its own.
    await Bun.sleep(50)
  })
  const refreshed = follower.refresh()
  await rebuilt
  expect(name()).toBe('Two')
  await refreshed
  await end()
})

test('a rebuild shows nothing older than was shown before, where the log was trimmed past what was loaded: all is loaded again', async () => {
  const { own, rename, follower, rebuilt, goOn, name, end } = await withLoad()
  const before = follower.state.store
  await rename('Two')
  await follower.refresh()
  await own.sql`delete from change_log where sequence < (select max(sequence) from change_log)`
  goOn()
  await rebuilt
  expect(follower.state.store).not.toBe(before)
  expect(name()).toBe('Two')
  await end()
})

test('where the log was trimmed, changes that go on coming ask for one load, not for one each', async () => {
  const own = await testDatabase()
  const mayLoad = Promise.withResolvers<void>()
  let loads = 0
  let isFollowing = false
  const pace = {
    ...ALONE,
    pause: async () => {
      if (isFollowing) await mayLoad.promise
    },
  }
  const person = await insertPerson(own.sql, 'Zero')
  const rename = (name: string) =>
    own.sql`update people set first_name = ${name} where id = ${person}`
  const follower = await follow(
    { ...own.database, listen: async () => ({ stop: async () => {} }) },
    await loadState(own.database, pace),
    {
      log: { ...silentLog, info: () => loads++ },
      pace: () => pace,
      trims: false,
    },
  )
  isFollowing = true
  await rename('One')
  await rename('Two')
  await own.sql`delete from change_log where sequence < (select max(sequence) from change_log)`
  for (const name of ['Three', 'Four', 'Five']) {
    await follower.refresh()
    await rename(name)
  }
  mayLoad.resolve()
  const shown = () => JSON.parse(follower.state.store.person(person)?.values ?? '[]')[0]
  while (shown() !== 'Five') await Bun.sleep(5)
  // A load that waits for its turn would begin now.
  await Bun.sleep(50)
  expect(loads).toBe(1)
  await follower.stop()
  await own.drop()
})

test('a load has searched each kind once, so that the first caller after the swap does not number all records', async () => {
  const own = await testDatabase()
  await insertPerson(own.sql, 'Ann')
  await insertCompany(own.sql, 'Acme')
  const { store } = await loadState(own.database, ALONE)
  expect([store.people.work, store.companies.work]).not.toContain(0)
  await own.drop()
})
