/** What a merged record's names mean, whatever order the merges are read in. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Database } from '../../../src/database/client.ts'
import { changesAfter } from '../../../src/directory/records/changes.ts'
import { applyChanges, loadState } from '../../../src/directory/records/load.ts'
import { ALONE, SERVING } from '../../../src/directory/records/pace.ts'
import { type Redirect, Redirects } from '../../../src/directory/records/redirects.ts'
import { Store } from '../../../src/directory/records/store.ts'
import { mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

const t = sharedDatabase()

const redirect: fc.Arbitrary<Redirect> = fc.record({
  id: fc.constantFrom('1', '2', '3', '4'),
  kind: fc.constantFrom('company', 'person'),
  slug: fc.constantFrom(null, 'ada', 'bo'),
  toId: fc.constantFrom('7', '8', '9'),
})
const step = fc.record({ redirect, ends: fc.boolean() })

test('after any merges and their undoing, each name means what it means to an instance that starts', () => {
  fc.assert(
    fc.property(fc.array(step), fc.boolean(), (steps, backwards) => {
      const [followed, loaded] = [new Redirects(), new Redirects()]
      const left = new Map<string, Redirect>()
      for (const { redirect, ends } of steps) {
        followed.put(redirect.id, ends ? null : redirect)
        if (ends) left.delete(redirect.id)
        else left.set(redirect.id, redirect)
      }
      // The table has no order.
      const rows = backwards ? [...left.values()].reverse() : [...left.values()]
      for (const row of rows) loaded.put(row.id, row)
      for (const kind of ['company', 'person'] as const) {
        for (const name of ['1', '2', '3', '4', 'ada', 'bo']) {
          expect(followed.idFor(kind, name)).toBe(loaded.idFor(kind, name))
        }
      }
    }),
  )
})

/** A store that is loaded, and what follows the log for it: `look` is called before each statement. */
async function following(look: (store: Store) => void) {
  const { store, position } = await loadState(t.database, ALONE)
  const watched: Database = {
    ...t.database,
    use: (work, options) => {
      look(store)
      return t.database.use(work, options)
    },
  }
  let since = position
  const follow = async () => {
    const { changes } = await t.database.use(({ sql }) => changesAfter(sql, since, 1_000))
    await applyChanges(watched, store, changes, SERVING)
    since = changes.at(-1)?.sequence ?? since
  }
  return { store, follow }
}

test('while a merge and its undoing are followed, both ids name somebody at every moment', async () => {
  const company = await insertCompany(t.sql, 'Holder')
  const person = () => insertPerson(t.sql, 'Ada', company)
  const people: [string, string] = [await person(), await person()]
  const seen: boolean[] = []
  const { store, follow } = await following((store) => {
    seen.push(people.every((id) => store.person(id) !== undefined))
  })
  const meant = () => people.map((id) => store.person(id)?.id)
  const { id, change } = await mergeRecords(t.database, 'person', people, 'olga')
  await follow()
  expect(meant()).toEqual([id, id])
  await undoChange(t.database, change, 'olga')
  await follow()
  expect(meant()).toEqual(people)
  expect(seen).toEqual(seen.map(() => true))
})

test('while a merge of companies is followed, nobody of theirs is without a company at any moment', async () => {
  const company = (name: string) => insertCompany(t.sql, name)
  const companies: [string, string] = [await company('One'), await company('Two')]
  const people: string[] = []
  // More than are read at a time.
  for (const employer of companies) {
    for (let n = 0; n < 50; n++) people.push(await insertPerson(t.sql, 'Member', employer))
  }
  const without: number[] = []
  const { store, follow } = await following((store) => {
    without.push(people.filter((id) => !store.person(id)?.company).length)
  })
  const { id } = await mergeRecords(t.database, 'company', companies, 'olga')
  await follow()
  expect(new Set(people.map((person) => store.person(person)?.company?.id))).toEqual(new Set([id]))
  expect(without).toEqual(without.map(() => 0))
})

test('a name that comes to mean another record, or no longer does, is another moment', () => {
  const store = new Store()
  const moments = new Set([store.moment])
  store.redirects.put('1', { id: '1', kind: 'company', slug: 'ada', toId: '7' })
  moments.add(store.moment)
  store.redirects.put('1', null)
  moments.add(store.moment)
  expect(moments.size).toBe(3)
})
