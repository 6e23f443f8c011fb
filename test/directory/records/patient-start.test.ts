/** A start's statements have more time than a call's: on a busy machine the first of them take longer than two seconds. */
import { expect, test } from 'bun:test'
import type { Database } from '../../../src/database/client.ts'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { silentLog } from '../../../src/log.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { insertCompany } from './fixtures.ts'

const db = sharedDatabase()

test('loading the directory waits for no statement as shortly as a call does', async () => {
  const deadlines: (number | undefined)[] = []
  const noting: Database = {
    ...db.database,
    use: (work, options) => {
      deadlines.push(options?.deadlineMs)
      return db.database.use(work, options)
    },
    // What it says leads to looks at the log while the directory serves.
    listen: async () => ({ stop: async () => {} }),
  }
  await insertCompany(db.sql, 'Acme')
  const directory = await openDirectory(noting, { log: silentLog, trims: false })
  await directory.stop()
  expect(deadlines.length).toBeGreaterThan(5)
  expect(deadlines.filter((deadlineMs) => (deadlineMs ?? 0) < 30_000)).toEqual([])
})
