/** Pictures in a real PostgreSQL: each stands as long as its record has the address that it was fetched from. */
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  duePictures,
  type FetchEnd,
  notePicture,
  readPicture,
  versionOf,
} from '../../../src/directory/pictures/store.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import { deleteRecord, setRecord } from '../../../src/intake/editing/edit.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const t = sharedDatabase()

const URL = 'https://pictures.example/a.png'
const BYTES = new Uint8Array([137, 80, 78, 71, 1, 2, 3])
const GOT: FetchEnd = { end: 'got', bytes: BYTES, etag: '"1"', lastModified: null }
const DAYS = 86_400

async function company(logoUrl = URL): Promise<string> {
  const id = randomUUID()
  await importRows(t.database, 'companies', [
    { id, name: `Name ${id}`, companyType: 'project', logoUrl },
  ])
  return id
}

async function person(avatarUrl = URL): Promise<string> {
  const id = randomUUID()
  await importRows(t.database, 'people', [{ id, firstName: 'Ada', lastName: id, avatarUrl }])
  return id
}

async function isDue(id: string, olderThan = 30 * DAYS): Promise<boolean> {
  const due = await duePictures(t.database, { after: null, limit: 1_000, olderThan })
  return due.some((one) => one.id === id)
}

const note = (id: string, end: FetchEnd, url = URL) => notePicture(t.database, { id, url }, end)
const kept = async (id: string) => (await readPicture(t.database, id))?.bytes ?? null

async function loggedFor(id: string): Promise<number> {
  const [row] = await t.sql`
    select count(*)::int as times from change_log where kind = 'picture' and id = ${id}`
  return row?.times
}

test('a picture that was got is read as it is, is due again when it is old, and followers hear of each change once', async () => {
  const id = await company()
  expect(await isDue(id)).toBe(true)
  expect(await note(id, GOT)).toBe(true)
  expect(await readPicture(t.database, id)).toEqual({ bytes: BYTES, version: versionOf(BYTES) })
  expect(await isDue(id)).toBe(false)
  expect(await isDue(id, 0)).toBe(true)
  await note(id, { end: 'same' })
  await note(id, GOT)
  expect(await loggedFor(id)).toBe(1)
  await note(id, { end: 'gone', error: 'answered 404' })
  expect(await kept(id)).toBe(null)
  expect(await loggedFor(id)).toBe(2)
})

test('what failed keeps its picture and waits a day, then twice as long each time', async () => {
  const id = await company()
  await note(id, GOT)
  const waits: number[] = []
  for (let failure = 0; failure < 7; failure++) {
    await note(id, { end: 'failed', error: 'no answer in 10 s' })
    const [row] = await t.sql`
      select extract(day from next_at - tried_at)::int as days from pictures where record_id = ${id}`
    waits.push(row?.days)
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 32])
  expect(await kept(id)).toEqual(BYTES)
  expect(await isDue(id, 0)).toBe(false)
  await t.sql`update pictures set next_at = now() - interval '1 second' where record_id = ${id}`
  expect(await isDue(id)).toBe(true)
})

test('a picture goes with its record, with its address, and with a person who is erased', async () => {
  const [deleted, changed, erased, other] = [
    await company(),
    await company(),
    await person(),
    await person(),
  ]
  for (const id of [deleted, changed, erased, other]) await note(id, GOT)
  await deleteRecord(t.database, 'company', deleted, 'olga')
  await setRecord(t.database, 'company', changed, { logoUrl: `${URL}?2` }, 'olga')
  await erasePerson(t.database, erased, 'olga')
  const left = await t.sql`
    select record_id as id from pictures where record_id in ${t.sql([deleted, changed, erased, other])}`
  expect([...left]).toEqual([{ id: other }])
  expect(await isDue(changed)).toBe(true)
  for (const id of [deleted, changed, erased]) expect(await loggedFor(id)).toBe(2)
})

test('what was fetched for a record that has gone, was erased or has another address by now is not kept', async () => {
  const [gone, erased, changed] = [await company(), await person(), await company(`${URL}?2`)]
  await deleteRecord(t.database, 'company', gone, 'olga')
  await erasePerson(t.database, erased, 'olga')
  for (const id of [gone, erased, changed]) {
    expect(await note(id, GOT)).toBe(false)
    expect(await kept(id)).toBe(null)
  }
})

test('another value of a record leaves its picture as it is', async () => {
  const id = await person()
  await note(id, GOT)
  await setRecord(t.database, 'person', id, { jobTitle: 'Chair' }, 'olga')
  expect(await kept(id)).toEqual(BYTES)
})
