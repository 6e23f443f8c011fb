/** Lists that an account keeps, on a real PostgreSQL: through merges, deletions, erasures, and for two at once. */
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import { deleteRecord, mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import {
  addToList,
  deleteList,
  keepList,
  listOf,
  listsOf,
  MAX_ENTRIES,
  MAX_LISTS,
  removeFromList,
  removeGone,
  renameList,
} from '../../../src/people/contacts/record-lists.ts'
import { rejection } from '../../helpers/rejection.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { newAccount } from '../../money/charge/fixtures.ts'

const t = sharedDatabase()

let made = 0
const newcomers = (count: number) =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    slug: `kept-${++made}`,
    createdAt: `2024-01-01T00:00:00.${String(made).padStart(3, '0')}Z`,
  }))
async function people(count: number) {
  const rows = newcomers(count).map((row) => ({ ...row, firstName: 'Ada', lastName: row.slug }))
  expect((await importRows(t.database, 'people', rows)).refusals).toEqual([])
  return rows.map(({ id }) => id)
}
async function company() {
  const rows = newcomers(1).map((row) => ({ ...row, name: row.slug, companyType: 'project' }))
  expect((await importRows(t.database, 'companies', rows)).refusals).toEqual([])
  return rows[0]!.id
}
/** All lists of an account. */
const listed = (account: string) => listsOf(t.database, account, { page: 1, size: MAX_LISTS })

/** An account with a list. */
async function keeper() {
  const { id: account } = await newAccount(t.sql, { tier: 'team', credits: 0 })
  const list = await keepList(t.database, account, 'Founders')
  const add = (...ids: string[]) => addToList(t.database, account, list, ids)
  const read = async () => (await listOf(t.database, account, list))?.entries ?? []
  const ids = async () => (await read()).map(({ id }) => id).sort()
  return { account, list, add, read, ids }
}

test('a record is on a list once, however often and from how many windows it is added', async () => {
  const { account, list, add, read } = await keeper()
  const [a, b] = await people(2)
  const c = await company()
  const ends = await Promise.all(
    [[a, b, c], [c, a, a], [b, c], [randomUUID()]].map((ids) => add(...(ids as string[]))),
  )
  expect(ends.reduce((sum, end) => sum + end!.added, 0)).toBe(3)
  expect(ends.at(-1)).toEqual({ added: 0, known: 0, gone: 1 })
  expect((await read()).map(({ id, kind }) => [id, kind]).sort()).toEqual(
    [
      [a, 'person'],
      [b, 'person'],
      [c, 'company'],
    ].sort() as [string, string][],
  )
  expect((await listed(account)).lists).toMatchObject([{ id: list, name: 'Founders', entries: 3 }])
  expect(await removeFromList(t.database, account, list, [a!, randomUUID()])).toBe(true)
  expect((await read()).length).toBe(2)
})

test('lists come a page at a time, by name, with how many there are; a page past the end is the last one', async () => {
  const { account, list, add } = await keeper()
  await add(...(await people(2)))
  for (const name of ['b', 'C', 'a']) await keepList(t.database, account, name)
  const read = async (page: number) => {
    const asked = { page, size: 3 }
    const { lists, ...rest } = await listsOf(t.database, account, asked)
    return { ...rest, lists: lists.map(({ name, entries }) => [name, entries]) }
  }
  const lists = [
    ['a', 0],
    ['b', 0],
    ['C', 0],
    ['Founders', 2],
  ]
  expect(await read(1)).toEqual({ total: 4, page: 1, lists: lists.slice(0, 3) })
  expect(await read(2)).toEqual({ total: 4, page: 2, lists: lists.slice(3) })
  expect(await read(9)).toEqual({ total: 4, page: 2, lists: lists.slice(3) })
  expect((await listOf(t.database, account, list))?.entries).toHaveLength(2)
  const nobody = crypto.randomUUID()
  expect(await listed(nobody)).toEqual({ total: 0, page: 1, lists: [] })
})

test('names are an account’s once: the same name again is the same list, another’s is refused', async () => {
  const { account, list } = await keeper()
  const again = ['founders', ' Founders ', 'FOUNDERS'].map((name) =>
    keepList(t.database, account, name),
  )
  expect(await Promise.all(again)).toEqual([list, list, list])
  const other = await keepList(t.database, account, 'Funds')
  expect(await rejection(renameList(t.database, account, other, 'founders'))).toMatchObject({
    field: 'name',
  })
  expect(await renameList(t.database, account, other, 'FUNDS')).toBe(true)
  for (const name of ['', ' ', 'x'.repeat(101), 'a\nb']) {
    expect(await rejection(keepList(t.database, account, name))).toMatchObject({ field: 'name' })
  }
})

test('what another account keeps answers as what does not exist', async () => {
  const [{ account, list, add, ids }, { account: other }] = [await keeper(), await keeper()]
  const [a] = await people(1)
  await add(a!)
  for (const id of [list, randomUUID(), 'x']) {
    expect(await listOf(t.database, other, id)).toBeUndefined()
    expect(await addToList(t.database, other, id, [a!])).toBeUndefined()
    expect(await removeFromList(t.database, other, id, [a!])).toBe(false)
    expect(await renameList(t.database, other, id, 'Mine')).toBe(false)
    expect(await deleteList(t.database, other, id)).toBe(false)
  }
  expect(await ids()).toEqual([a!])
  expect(await deleteList(t.database, account, list)).toBe(true)
  expect(await t.sql`select from list_entries where list_id = ${list}`).toHaveLength(0)
})

test('an account has 100 lists of 1,000 records at most, also where several are written at once', async () => {
  const { account, list, add, ids } = await keeper()
  const [a, b, c] = await people(3)
  await t.sql`
    insert into list_entries select ${list}, gen_random_uuid(), 'person', now() from generate_series(3, ${MAX_ENTRIES}::integer)`
  const ends = await Promise.allSettled([add(a!, b!), add(b!, c!), add(c!, a!)])
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await ids()).length).toBe(MAX_ENTRIES)
  const on = await ids()
  const left = [a!, b!, c!].filter((id) => !on.includes(id))
  expect(left).toHaveLength(1)
  expect(await rejection(add(...left))).toMatchObject({ field: 'list' })
  await t.sql`
    insert into record_lists (account_id, name) select ${account}, 'n ' || i from generate_series(3, ${MAX_LISTS}::integer) i`
  const made = await Promise.allSettled(
    ['x', 'y', 'z'].map((name) => keepList(t.database, account, name)),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await listed(account)).lists).toHaveLength(MAX_LISTS)
})

test('a merge makes one of two on a list, undo two again; a deleted record is gone and comes back', async () => {
  const { account, list, add, ids } = await keeper()
  const [kept, lost] = (await people(2)) as [string, string]
  await add(kept, lost)
  const { change } = await mergeRecords(t.database, 'person', [kept, lost], 'olga')
  expect(await ids()).toEqual([kept])
  expect(await add(lost)).toEqual({ added: 0, known: 1, gone: 0 })
  await undoChange(t.database, change, 'olga')
  expect(await ids()).toEqual([kept, lost].sort())
  const deleted = await deleteRecord(t.database, 'person', lost, 'olga')
  expect(await ids()).toEqual([kept, lost].sort())
  expect(await add(lost)).toEqual({ added: 0, known: 0, gone: 1 })
  await undoChange(t.database, deleted.change, 'olga')
  // Taken off after a merge, neither is on it: whoever removed saw one record.
  await mergeRecords(t.database, 'person', [kept, lost], 'olga')
  await removeFromList(t.database, account, list, [kept])
  expect(await ids()).toEqual([])
})

test('a list counts what it shows: records that are one by now are one, wherever the others of them are', async () => {
  const { account, list, add, ids } = await keeper()
  const [a, b, c, d, e, f] = (await people(6)) as [string, string, string, string, string, string]
  await add(b, c, d, e, f)
  const counted = async () => [(await ids()).length, (await listed(account)).lists[0]?.entries]
  expect(await counted()).toEqual([5, 5])
  // The survivor is not on the list; two of it are.
  await mergeRecords(t.database, 'person', [a, b], 'olga')
  await mergeRecords(t.database, 'person', [a, c], 'olga')
  expect(await counted()).toEqual([4, 4])
  // The survivor is.
  await mergeRecords(t.database, 'person', [d, e], 'olga')
  expect(await counted()).toEqual([3, 3])
  await keepList(t.database, account, 'Z, with nobody on it')
  expect((await listed(account)).lists.map(({ entries }) => entries)).toEqual([3, 0])
  await removeFromList(t.database, account, list, [a, d, f])
  expect(await counted()).toEqual([0, 0])
})

test('those who are gone go off a list at once, and nobody who is there, by a former id either', async () => {
  const { account, list, add, ids } = await keeper()
  const [kept, lost, gone, other] = (await people(4)) as [string, string, string, string]
  const place = await company()
  await add(lost, gone, place)
  await mergeRecords(t.database, 'person', [kept, lost], 'olga')
  await deleteRecord(t.database, 'person', gone, 'olga')
  const { account: stranger } = await keeper()
  expect(await removeGone(t.database, stranger, list)).toBe(false)
  expect(await removeGone(t.database, account, 'x')).toBe(false)
  expect((await ids()).length).toBe(3)
  expect(await removeGone(t.database, account, list)).toBe(true)
  expect(await ids()).toEqual([kept, place].sort())
  expect(await add(other)).toMatchObject({ added: 1 })
})

test('an erased person is on no list, and nobody who is added while it runs stays on one', async () => {
  const { add, ids } = await keeper()
  const [early, late] = (await people(2)) as [string, string]
  await add(early)
  await Promise.all([
    erasePerson(t.database, early, 'olga'),
    erasePerson(t.database, late, 'olga'),
    ...Array.from({ length: 6 }, () => add(early, late)),
  ])
  expect(await ids()).toEqual([])
})
