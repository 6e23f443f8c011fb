/** A start's statements have more time than a call's: on a busy machine the first of them take longer than two seconds. */
import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../../src/database/client.ts'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { removeOutdated } from '../../../src/directory/records/snapshot/outdated.ts'
import { writeSnapshot } from '../../../src/directory/records/snapshot/snapshot.ts'
import { silentLog } from '../../../src/log.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { insertCompany } from './fixtures.ts'

const db = sharedDatabase()

test('loading the directory, from tables or a snapshot, waits for no statement as shortly as a call does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chainkin-start-'))
  const snapshot = join(folder, 'snapshot')
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
  await writeSnapshot(db.database, snapshot)
  for (const from of [{ snapshot }, {}]) {
    await removeOutdated(noting, snapshot)
    const directory = await openDirectory(noting, { log: silentLog, trims: false, ...from })
    await directory.stop()
  }
  await rm(folder, { recursive: true })
  expect(deadlines.length).toBeGreaterThan(10)
  expect(deadlines.filter((deadlineMs) => (deadlineMs ?? 0) < 30_000)).toEqual([])
})
