/** Snapshot files from before an erasure. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { erasePeople } from '../../../src/database/erasures.ts'
import { removeOutdated } from '../../../src/directory/records/snapshot/outdated.ts'
import { writeSnapshot } from '../../../src/directory/records/snapshot/snapshot.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

test('a snapshot from before the last erasure is removed, a later one and other files stay', async () => {
  const file = join(directory.path, 'snapshot')
  const person = await insertPerson(t.sql, 'Gone', await insertCompany(t.sql, 'Holder'))
  await writeSnapshot(t.database, file)
  expect(await removeOutdated(t.database, file)).toBe(false)
  await erasePeople(t.database, [person], 'olga')
  expect(await removeOutdated(t.database, file)).toBe(true)
  expect(existsSync(file)).toBe(false)
  expect(await removeOutdated(t.database, file)).toBe(false)
  await writeSnapshot(t.database, file)
  expect(await removeOutdated(t.database, file)).toBe(false)
  for (const other of ['{"database":"another","position":0}\n', 'no snapshot', '']) {
    await writeFile(file, other)
    expect(await removeOutdated(t.database, file)).toBe(false)
  }
  expect(await removeOutdated(t.database, directory.path)).toBe(false)
})
