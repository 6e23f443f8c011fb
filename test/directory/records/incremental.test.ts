/** A directory that followed any changes answers as one that is loaded from what is left. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DIRECTORIES } from '../../../src/contract/vocabulary.ts'
import {
  browseCompanies,
  listCompanies,
} from '../../../src/directory/records/company-collection.ts'
import { browsePeople, listPeople } from '../../../src/directory/records/people-collection.ts'
import type { CompanyRow, PersonRow, RoundRow } from '../../../src/directory/records/rows.ts'
import { textAt } from '../../../src/directory/records/text-pages.ts'
import { effortOf } from '../../helpers/effort.ts'
import { batch, byId, putOf, uuid } from './any-batch.ts'
import { companyRow, personRow, storeOf } from './fixtures.ts'

/** Beside a load a hundred runs of a property take longer than usual. */

type Listed = ReturnType<typeof storeOf>
const QUERIES = ['', 'ann', 'lee', 'a', 'l', 'z', 'founder', 'emile', '王']

/** Every order of pages, with and without filters: records as ids, what rounds say of them, and all facets. */
function browsed({ people, companies }: Listed) {
  const page = { page: 1, limit: 100 }
  const company = { ...page, q: '', wanted: {} }
  return ['', 'ann'].flatMap((q) => [
    ...([undefined, 'followers'] as const).flatMap((sort) =>
      [{}, { roles: ['founder'], company: ['c-1', 'c-2'] }, { raised: ['2024'] }].map((wanted) => {
        const { records, ...rest } = browsePeople(people, { ...page, q, sort, wanted })
        return { ids: records.map(({ id }) => id), ...rest }
      }),
    ),
    ...([undefined, 'raised', 'last-round', 'investors'] as const).flatMap((sort) =>
      [{}, { stage: ['seed'], sector: ['defi'] }].map((wanted) => {
        const found = browseCompanies(companies, 'projects', { ...company, q, sort, wanted })
        return { ...found, records: found.records.map(({ id, funding }) => ({ id, funding })) }
      }),
    ),
  ])
}

/** Every order of every query, with and without filters, as ids. */
function everything(store: Listed) {
  return [...listed(store), ...browsed(store)]
}

function listed({ people, companies }: Listed) {
  const page = { page: 1, limit: 100 }
  return QUERIES.flatMap((q) => [
    ...([undefined, 'recent', 'name'] as const).flatMap((sort) =>
      [[], ['founder']].map((roles) => {
        const { people: found, ...rest } = listPeople(people, {
          ...page,
          q,
          sort,
          roles,
          channels: [],
        })
        return { q, sort, roles, ids: found.map(({ id }) => id), ...rest }
      }),
    ),
    ...DIRECTORIES.flatMap((directory) =>
      ([undefined, 'recent', 'name', 'portfolio', 'roi'] as const).map((sort) => {
        const { companies: found, total } = listCompanies(companies, directory, {
          ...page,
          q,
          sort,
        })
        return { q, sort, directory, ids: found.map(({ id }) => id), total }
      }),
    ),
  ])
}

test('after any changes every list, total and facet is that of a directory loaded anew', () => {
  const start = Array.from({ length: 6 }, (_, n) => n)
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
      // Companies never go here: with them go rounds, which the tables do by themselves.
      const rows = {
        companies: new Map<string, CompanyRow>(),
        people: new Map<string, PersonRow>(),
        rounds: new Map<string, RoundRow>(),
      }
      for (const n of start) {
        const row = companyRow({ id: uuid(1, n), slug: `c-${n}`, name: `Start ${n}` })
        rows.companies.set(row.id, row)
      }
      const followed = storeOf({ companies: [...rows.companies.values()] })
      for (const batch of batches) {
        const put = putOf(batch)
        followed.apply(put)
        // Asked after every change, so that what is kept for the next time has to follow as well.
        everything(followed)
        for (const kind of ['companies', 'people', 'rounds'] as const) {
          const now: Map<string, unknown> = rows[kind]
          for (const [id, row] of put[kind]) row ? now.set(id, row) : now.delete(id)
        }
      }
      const loaded = storeOf({
        companies: [...rows.companies.values()],
        people: [...rows.people.values()],
        rounds: [...rows.rounds.values()],
      })
      expect(everything(followed)).toEqual(everything(loaded))
    }),
    { numRuns: 100 },
  )
})

test('a record that a reader holds never changes, and shows its company as it is now', () => {
  const companyIds = Array.from({ length: 6 }, (_, n) => uuid(1, n))
  const personIds = Array.from({ length: 6 }, (_, n) => uuid(2, n))
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 8 }), fc.nat(5), (batches, removed) => {
      const store = storeOf({})
      const held: { value: unknown; text: string }[] = []
      const hold = (value: unknown) => held.push({ value, text: JSON.stringify(value) })
      for (const { companies, people, rounds } of batches) {
        const put = { companies: byId(companies), people: byId(people), rounds: byId(rounds) }
        if (batches.length % 2) put.companies.set(uuid(1, removed), null)
        store.apply(put)
        for (const { value, text } of held) expect(JSON.stringify(value)).toBe(text)
        for (const id of personIds) {
          const person = store.person(id)
          hold(person ?? null)
          if (!person?.company) continue
          expect(store.company(person.company.id)).toBe(person.company)
          expect(store.team(person.company)).toContain(person)
        }
        for (const id of companyIds) {
          const company = store.company(id)
          if (!company) continue
          const lists = [store.team(company), store.fundingRounds(company)]
          const portfolio = store.portfolio(company)
          for (const value of [company, portfolio, ...lists]) hold(value)
          expect(portfolio).toHaveLength(company.portfolioCount)
        }
        const all = { roles: [], channels: [], page: 1, limit: 100 }
        for (const person of listPeople(store.people, all).people) {
          expect(store.person(person.id)).toBe(person)
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('a change of a company with ten thousand people is applied in one pass over them', () => {
  const acme = companyRow({ id: uuid(1, 1), name: 'Acme' })
  const members = Array.from({ length: 10_000 }, (_, n) => {
    const id = `00000002-0000-7000-8000-${String(n).padStart(12, '0')}`
    return personRow(`Ann ${n % 97}`, { id, companyId: acme.id })
  })
  const store = storeOf({ companies: [acme], people: members })
  const teamOf = () => {
    const company = store.company(acme.id)
    return company ? store.team(company) : []
  }
  const order = teamOf().map(({ id }) => id)
  expect(order).toHaveLength(members.length)
  const companies = new Map([[acme.id, { ...acme, name: 'Acme Labs' }]])
  const effort = effortOf(() => store.apply({ companies, rounds: new Map(), people: new Map() }))
  // Member by member it takes several seconds.
  expect(effort).toBeLessThan(2_000)
  const team = teamOf()
  expect(team.map(({ id }) => id)).toEqual(order)
  expect(
    team.every(({ company }) => company && textAt(company.project).includes('Acme Labs')),
  ).toBe(true)
})

test('whatever alone changes of what a record is found by, it is found by that and no longer by what was there', () => {
  const company = companyRow({ id: uuid(1, 1), name: 'Quokka' })
  const person = personRow('Quentin Quill', { id: uuid(2, 1) })
  const store = storeOf({ companies: [company], people: [person] })
  const apply = (companies: CompanyRow[], people: PersonRow[]) =>
    store.apply({ companies: byId(companies), people: byId(people), rounds: new Map() })
  for (const field of ['name', 'ticker', 'twitterHandle', 'domain', 'aiSummary'] as const) {
    apply([{ ...company, [field]: 'narwhal' }], [])
    expect([field, store.companies.matches('narwhal').slots.length]).toEqual([field, 1])
    apply([company], [])
    expect([field, store.companies.matches('narwhal').slots.length]).toEqual([field, 0])
  }
  for (const field of ['firstName', 'lastName', 'jobTitle', 'twitterHandle'] as const) {
    apply([], [{ ...person, [field]: 'narwhal' }])
    expect([field, store.people.matches('narwhal').slots.length]).toEqual([field, 1])
    apply([], [person])
    expect([field, store.people.matches('narwhal').slots.length]).toEqual([field, 0])
  }
})
