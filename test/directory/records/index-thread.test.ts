/** A load whose search index a thread of its own makes is the load that makes all of it here. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listCompanies } from '../../../src/directory/records/company-collection.ts'
import { IndexThread, IndexThreadFailed } from '../../../src/directory/records/index-thread.ts'
import { loadState } from '../../../src/directory/records/load.ts'
import { ALONE } from '../../../src/directory/records/pace.ts'
import { listPeople } from '../../../src/directory/records/people-collection.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { rejection } from '../../helpers/rejection.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

/** A slice of two: the records come in several messages. */
const PACE = { ...ALONE, slice: 2 }

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  const company = await insertCompany(db.sql, 'Zürich Ventures 比特币')
  await insertCompany(db.sql, 'Anna Labs')
  for (const name of ['Ann Lee', 'Björn', 'Chloé Stone', 'J.P. Lee', 'Zoë 王伟']) {
    await insertPerson(db.sql, name, company)
  }
})
afterAll(() => db.drop())

const QUERIES = ['lee', 'an', 'zurich', 'ventrues', '王伟', 'jp', 'labs', 'stone example']

/** What queries find, in their order. */
async function loaded(thread: IndexThread | null, onFailure?: (reason: string) => void) {
  const { store, position } = await loadState(db.database, PACE, thread, onFailure)
  const page = { page: 1, limit: 10 }
  const found = QUERIES.map((q) => ({
    people: listPeople(store.people, { ...page, q }).people.map(({ nameKey }) => nameKey),
    companies: listCompanies(store.companies, 'projects', { ...page, q }).companies.map(
      ({ name }) => name,
    ),
  }))
  return { position, found }
}

test('everything is found as where the load makes the index', async () => {
  const here = await loaded(null)
  expect(await loaded(new IndexThread())).toEqual(here)
  expect(here.found[0]?.people.toSorted()).toEqual(['Ann Lee Example', 'J.P. Lee Example'])
  expect(here.found.every(({ people, companies }) => people.length + companies.length > 0)).toBe(
    true,
  )
})

test('where the thread ends before it has the index, the load makes it', async () => {
  const thread = new IndexThread()
  await thread.close()
  expect(await rejection(thread.parts())).toBeInstanceOf(IndexThreadFailed)
  const reasons: string[] = []
  const state = await loaded(thread, (reason) => reasons.push(reason))
  expect(state).toEqual(await loaded(null))
  expect(reasons).toEqual(['it stopped'])
})
