/** What a search finds depends on the records that are there, never on how they came there. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { companyDocument } from '../../../index-build/documents.ts'
import { listCompanies } from '../../../src/directory/records/company-collection.ts'
import { listPeople } from '../../../src/directory/records/people-collection.ts'
import type { CompanyRow, PersonRow } from '../../../src/directory/records/rows.ts'
import type { Store } from '../../../src/directory/records/store.ts'
import { effortOf } from '../../helpers/effort.ts'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { companyRow, personRow, storeOf } from '../records/fixtures.ts'

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

const word = fc.constantFrom(
  ...['Ann', 'Lee', 'Retro', 'Bridge', 'retrobridge', 'Celestia', 'Uniswap', 'Labs', 'J.P.'],
  ...[
    '王伟',
    'Émile',
    'ß',
    '...',
    '\u0301',
    '🦄',
    'ﷺ',
    '$USD_S',
    'a',
    'x',
    'क्षि',
    'foo.bar',
    '@ann',
  ],
)
const text = fc
  .tuple(fc.array(word, { maxLength: 3 }), fc.constantFrom(' ', '', '_', '.'))
  .map(([words, between]) => words.join(between))
const maybe = fc.option(text)
const followers = fc.constantFrom(null, 0, 5)
const n = fc.nat(19)

const company = fc
  .record({
    n,
    name: text,
    ticker: maybe,
    twitterHandle: maybe,
    domain: maybe,
    aiSummary: maybe,
    followers,
  })
  .map(({ n, ...given }) => companyRow({ ...given, id: uuid(n), slug: `c-${n}` }))
const person = fc
  .record({ n, name: text, twitterHandle: maybe, jobTitle: maybe, creatorFollowerCount: followers })
  .map(({ n, name, ...given }) => personRow(name, { ...given, id: uuid(n), slug: `p-${n}` }))

/** What people type, with a letter wrong somewhere, and what nobody means. */
const query = fc.oneof(
  text,
  fc.tuple(text, fc.nat(20)).map(([q, at]) => `${q.slice(0, at)}q${q.slice(at + 1)}`),
  fc.tuple(text, fc.nat(20)).map(([q, at]) => `${q.slice(0, at)}${q.slice(at + 1)}`),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const step = fc.oneof(
  company.map((row) => (now: Rows, store: Store) => change(now, store, 'companies', row.id, row)),
  person.map((row) => (now: Rows, store: Store) => change(now, store, 'people', row.id, row)),
  n.map((n) => (now: Rows, store: Store) => change(now, store, 'companies', uuid(n), null)),
  n.map((n) => (now: Rows, store: Store) => change(now, store, 'people', uuid(n), null)),
  query.map((q) => (_: Rows, store: Store) => void find(store, q)),
)

interface Rows {
  companies: Map<string, CompanyRow>
  people: Map<string, PersonRow>
}

function change<T extends keyof Rows>(
  now: Rows,
  store: Store,
  table: T,
  id: string,
  row: Parameters<Rows[T]['set']>[1] | null,
) {
  const nothing = { companies: new Map(), rounds: new Map(), people: new Map() }
  store.apply({ ...nothing, [table]: new Map([[id, row]]) })
  if (row === null) now[table].delete(id)
  else (now[table] as Map<string, typeof row>).set(id, row)
}

/** The ids on all pages, people and companies. */
function find({ people, companies }: Store, q: string): string[][] {
  const pages = (list: (page: number) => { ids: string[]; total: number }) => {
    const first = list(1)
    const all = [first.ids, list(2).ids, list(3).ids].flat()
    expect(new Set(all).size).toBe(first.total)
    expect(all.length).toBe(first.total)
    return all
  }
  return [
    pages((page) => {
      const found = listPeople(people, { q, page, limit: 7 })
      return { ids: found.people.map(({ id }) => id), total: found.total }
    }),
    pages((page) => {
      const found = listCompanies(companies, 'projects', { q, page, limit: 7 })
      return { ids: found.companies.map(({ id }) => id), total: found.total }
    }),
  ]
}

describe('a search', () => {
  test(
    'finds after any changes and queries what it finds in a directory loaded anew, in any order',
    () => {
      fc.assert(
        fc.property(
          fc.array(step, { maxLength: 50, size: 'max' }),
          fc.array(query, { minLength: 8, maxLength: 8 }),
          (steps, queries) => {
            const store = storeOf({})
            const now: Rows = { companies: new Map(), people: new Map() }
            for (const take of steps) take(now, store)
            const rows = {
              companies: [...now.companies.values()],
              people: [...now.people.values()],
            }
            const loaded = storeOf(rows)
            const reversed = storeOf({
              companies: rows.companies.toReversed(),
              people: rows.people.toReversed(),
            })
            for (const q of [...queries, 'a', 'l', 'niswap @ann', 'retrobrigde']) {
              const found = find(loaded, q)
              expect(find(store, q)).toEqual(found)
              expect(find(reversed, q)).toEqual(found)
            }
          },
        ),
        { numRuns: Number(process.env.HISTORY_RUNS ?? 60) },
      )
    },
    LIMIT_MS * 2,
  )

  test('finds a name with typos whatever has been deleted since the start', () => {
    const names = ['Ann', '', '', 'uniswap']
    const people = names.map((name, i) => personRow(name, { id: uuid(i), slug: `p-${i}` }))
    const loaded = storeOf({ people })
    const followed = storeOf({
      people: [
        ...people,
        ...Array.from({ length: 200 }, (_, i) => personRow('Bo', { id: uuid(9 + i) })),
      ],
    })
    const gone = new Map(Array.from({ length: 200 }, (_, i) => [uuid(9 + i), null]))
    followed.apply({ companies: new Map(), rounds: new Map(), people: gone })
    for (const q of ['niswap @ann', 'uniswap crypto', 'ann niswop']) {
      expect(find(followed, q)).toEqual(find(loaded, q))
    }
  })

  test('finds of many names that are equally near the most followed', () => {
    const rows = Array.from({ length: 30 }, (_, i) =>
      companyRow({ id: uuid(i), name: 'Polygon Technology', followers: (i * 7) % 30 }),
    )
    const others = Array.from({ length: 300 }, (_, i) => companyRow({ name: `Other ${i}` }))
    for (const companies of [rows, rows.toReversed()]) {
      const { companies: found } = listCompanies(
        storeOf({ companies: [...companies, ...others] }).companies,
        'projects',
        { q: 'Polgyon Tehnologgy', page: 1, limit: 50 },
      )
      expect(found.map(({ followers }) => followers)).toEqual(
        Array.from({ length: 12 }, (_, i) => 29 - i),
      )
    }
  })

  test('of one letter ranks a handle of 258 letters the same before and after a change', () => {
    const long = companyRow({
      id: uuid(1),
      name: 'One',
      twitterHandle: 'k'.padEnd(258, 'z'),
      followers: 9,
    })
    const short = companyRow({ id: uuid(2), name: 'Two', twitterHandle: 'kz' })
    const store = storeOf({ companies: [long, short] })
    const found = find(store, 'k')
    expect(found[1]).toEqual([uuid(2), uuid(1)])
    store.apply({ companies: new Map([[long.id, long]]), rounds: new Map(), people: new Map() })
    expect(find(store, 'k')).toEqual(found)
  })
})

test('a long text in place of a domain takes no longer than any text', () => {
  const domains = [
    `${'a'.repeat(50_000)} b`,
    `${'a+'.repeat(25_000)} b`,
    `${' '.repeat(50_000)}x y`,
  ]
  const effort = effortOf(() =>
    domains.map((domain) => companyDocument(companyRow({ name: 'One', domain }))),
  )
  expect(effort).toBeLessThan(500)
})
