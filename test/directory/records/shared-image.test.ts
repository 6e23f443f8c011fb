/** Several processes start from one file that each maps. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { applyChanges } from '../../../src/directory/records/load.ts'
import { ALONE } from '../../../src/directory/records/pace.ts'
import { listPeople } from '../../../src/directory/records/people-collection.ts'
import { personItem } from '../../../src/directory/records/render.ts'
import { loadSnapshot, writeSnapshot } from '../../../src/directory/records/snapshot/snapshot.ts'
import type { Store } from '../../../src/directory/records/store.ts'
import { lockedText } from '../../../src/directory/records/template.ts'
import { makeImage } from '../../../src/server/service/workers/shared-directory.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { rejection } from '../../helpers/rejection.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  const company = await insertCompany(db.sql, 'Zürich Ventures 比特币')
  for (const name of ['Ann Lee', 'Björn', 'Zoë 王伟']) await insertPerson(db.sql, name, company)
})
afterAll(() => db.drop())

function shown(store: Store): string[] {
  const queries = ['', 'lee', 'zoe', '王伟', 'changed']
  return queries.flatMap((q) =>
    listPeople(store.people, { q, page: 1, limit: 10 }).people.map((person) =>
      lockedText(personItem(person)),
    ),
  )
}

test('a change in one of them is in neither the file nor the other; the file can be gone', async () => {
  const { file: snapshot, remove } = await makeImage({ command: () => ['true'] })
  await writeSnapshot(db.database, snapshot)
  const before = await readFile(snapshot)
  const open = () => loadSnapshot(db.database, snapshot, ALONE, { isShared: true })
  const [one, other] = [await open(), await open()]
  const first = shown(one.store)
  expect(shown(other.store)).toEqual(first)

  const [person] = await db.sql`
    update people set first_name = 'Changed', last_name = 'Lee Zoë' where first_name = 'Björn' returning id`
  const change = { sequence: 1, kind: 'person', id: person?.id } as const
  await applyChanges(db.database, one.store, [change], ALONE)
  expect(shown(one.store)).not.toEqual(first)
  expect(shown(other.store)).toEqual(first)
  expect((await readFile(snapshot)).equals(before)).toBe(true)

  remove()
  expect(existsSync(snapshot)).toBe(false)
  await applyChanges(db.database, other.store, [change], ALONE)
  expect(shown(other.store)).toEqual(shown(one.store))
})

test('the image is in a folder that its user alone can read, and gone when it is removed', async () => {
  const { file, remove } = await makeImage({ command: () => ['true'] })
  expect((await stat(dirname(file))).mode & 0o077).toBe(0)
  remove()
  expect(existsSync(dirname(file))).toBe(false)
})

test('what a service that was killed at its start has left is removed at the next one, and nothing younger', async () => {
  const [left, young] = await Promise.all(
    ['left', 'young'].map((name) => mkdtemp(join(tmpdir(), `chainkin-image-${name}`))),
  )
  const anHourAgo = new Date(Date.now() - 3_600_000)
  await utimes(left ?? '', anHourAgo, anHourAgo)
  const { remove } = await makeImage({ command: () => ['true'] })
  remove()
  expect([left, young].map((folder) => existsSync(folder ?? ''))).toEqual([false, true])
  await rm(young ?? '', { recursive: true })
})

test('a command that fails leaves nothing, and says why', async () => {
  let folder = ''
  const made = makeImage({
    command: (file) => {
      folder = dirname(file)
      return ['sh', '-c', 'echo the disk is full >&2; exit 1']
    },
  })
  expect(String(await rejection(made))).toContain('the disk is full')
  expect(existsSync(folder)).toBe(false)
})

test('a snapshot of the operator is copied: writing to it changes nothing that is mapped', async () => {
  const { file: snapshot, remove } = await makeImage({ command: () => ['true'] })
  await writeSnapshot(db.database, snapshot)
  const image = await makeImage({ snapshot, command: () => ['false'] })
  expect((await readFile(image.file)).equals(await readFile(snapshot))).toBe(true)
  expect((await stat(image.file)).ino).not.toBe((await stat(snapshot)).ino)
  image.remove()
  remove()
})
