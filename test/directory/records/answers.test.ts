/** Kept answers are those that a directory would make now, and are made anew only where they must be. */
import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { listCompanies, readInvestor, readProject } from '../../../src/api/routes/companies.ts'
import type { ApiEndpoint, Reading } from '../../../src/api/routes/endpoint.ts'
import { listPeople, readPerson } from '../../../src/api/routes/people.ts'
import { search } from '../../../src/api/routes/search.ts'
import { parseQuery } from '../../../src/contract/query.ts'
import type { PrivateChannels } from '../../../src/contract/vocabulary.ts'
import type { DirectoryReads } from '../../../src/directory/records/directory.ts'
import { BYTES_MAX, KeptAnswers } from '../../../src/directory/records/kept-answers.ts'
import { readsOf } from '../../../src/directory/records/reads.ts'
import { filled, readyAnswer } from '../../../src/directory/records/ready-answer.ts'
import type { CompanyRow, PersonRow, RoundRow } from '../../../src/directory/records/rows.ts'
import type { Store } from '../../../src/directory/records/store.ts'
import {
  fill,
  type Template,
  template,
  type Unlocked,
} from '../../../src/directory/records/template.ts'
import { ownText, TextPages } from '../../../src/directory/records/text-pages.ts'
import { releaseMemory } from '../../../src/runtime.ts'
import { batch, putOf, uuid } from './any-batch.ts'
import { companyRow, personRow, storeOf } from './fixtures.ts'

/** Beside a load the runs of a property take longer than usual. */

/** An endpoint, and what is asked of it. */
interface Question {
  endpoint: Pick<ApiEndpoint, 'contract' | 'read'>
  query: string
  id: string
}

const asks = (endpoint: Question['endpoint'], ...queries: string[]) =>
  queries.map((query): Question => ({ endpoint, query, id: '' }))
const reads = (endpoint: Question['endpoint'], ...ids: string[]) =>
  ids.map((id): Question => ({ endpoint, query: '', id }))

const QUESTIONS = [
  ...asks(listPeople, '', 'limit=2', 'limit=2&page=2', 'page=9', 'sort=name&limit=3'),
  ...asks(listPeople, 'roles=founder', 'roles=Founder,legal&channels=email', 'contactType=analyst'),
  ...asks(listPeople, 'q=ann', 'q=lee&limit=1', 'q=王', 'q=nobody', 'q=a&roles=founder&sort=name'),
  ...asks(listCompanies('projects'), '', 'sector=DeFi', 'q=ann', 'sort=name&limit=2&page=2'),
  ...asks(listCompanies('investors'), '', 'sort=roi&limit=2'),
  ...asks(search, 'q=ann', 'q=ANN', 'q=lee&limit=1', 'q=zoe'),
  ...reads(readPerson, uuid(2, 0), 'p-0', 'p-1', 'p-9'),
  ...reads(readProject, uuid(1, 0), 'c-0', 'c-1', 'c-9'),
  ...reads(readInvestor, 'c-0', 'c-2'),
]

function ask(directory: DirectoryReads, { endpoint, query, id }: Question): Reading {
  return endpoint.read(directory, parseQuery(endpoint.contract.parameters, query), id)
}

const decoder = new TextDecoder()

function joined(pieces: ReturnType<typeof filled>): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece))).join('')
}

/** The answer of a directory that keeps nothing, made as text from its template. */
function madeNow(directory: DirectoryReads, question: Question, unlocked: Unlocked): string | null {
  let made: Template | null = null
  const ready: DirectoryReads['ready'] = (_, look) => {
    made = look().text()
    return readyAnswer([])
  }
  const { exists, channels } = ask({ ...directory, ready }, question)
  return exists && made ? fill(made, unlocked, channels) : null
}

function keptNow(directory: DirectoryReads, question: Question, unlocked: Unlocked) {
  const { exists, channels, answer, contacts } = ask(directory, question)
  if (!exists) return null
  expect(contacts).toEqual(answer.slots.map(({ id }) => id))
  return joined(filled(answer, unlocked, channels))
}

function directoryOf(store: () => Store) {
  const answers = new KeptAnswers()
  return { answers, directory: readsOf(store, answers) }
}

const channel = fc.constantFrom(null, 'x@example.com', '王 "quoted" é')
const channels: fc.Arbitrary<PrivateChannels> = fc.record({
  email: channel,
  phone: channel,
  telegram: channel,
  linkedinUrl: channel,
})
/** What one caller has unlocked. */
const unlocked = fc
  .uniqueArray(fc.tuple(fc.nat(5), channels), { selector: ([n]) => n, maxLength: 4 })
  .map((people) => new Map(people.map(([n, its]) => [uuid(2, n), its])))

describe('kept answers', () => {
  test('after any changes and rebuilds each is what a directory that keeps nothing answers', () => {
    const steps = fc.array(fc.record({ batch, rebuilds: fc.boolean(), unlocked }), { maxLength: 6 })
    fc.assert(
      fc.property(steps, (steps) => {
        const rows = {
          companies: new Map<string, CompanyRow>(),
          people: new Map<string, PersonRow>(),
          rounds: new Map<string, RoundRow>(),
        }
        for (let n = 0; n < 6; n++) {
          const row = companyRow({ id: uuid(1, n), slug: `c-${n}`, name: `Start ${n}` })
          rows.companies.set(row.id, row)
        }
        let store = storeOf({ companies: [...rows.companies.values()] })
        const { directory } = directoryOf(() => store)
        for (const { batch, rebuilds, unlocked } of steps) {
          const put = putOf(batch)
          store.apply(put)
          for (const kind of ['companies', 'people', 'rounds'] as const) {
            const now: Map<string, unknown> = rows[kind]
            for (const [id, row] of put[kind]) row ? now.set(id, row) : now.delete(id)
          }
          if (rebuilds) {
            const [companies, people, rounds] = [rows.companies, rows.people, rows.rounds]
            store = storeOf({
              companies: [...companies.values()],
              people: [...people.values()],
              rounds: [...rounds.values()],
            })
          }
          // Twice: the second time nothing has changed since the answer was kept.
          for (const question of [...QUESTIONS, ...QUESTIONS]) {
            for (const caller of [unlocked, new Map()]) {
              const expected = madeNow(directory, question, caller)
              expect(keptNow(directory, question, caller)).toBe(expected)
            }
          }
        }
      }),
      { numRuns: 40 },
    )
  })

  const company = companyRow({ id: uuid(1, 0), slug: 'c-0', name: 'Acme' })
  const people = Array.from({ length: 4 }, (_, n) =>
    personRow(`Ann ${n}`, {
      id: uuid(2, n),
      slug: `p-${n}`,
      createdAt: 10 - n,
      companyId: company.id,
      roles: ['founder'],
    }),
  )
  const nobody = { companies: new Map(), rounds: new Map(), people: new Map() }
  const [first, , , last] = people
  if (!first || !last) throw new Error('four people are made above')

  test('an answer is made once, and once more when what it shows has changed, not when others have', () => {
    const store = storeOf({ companies: [company], people })
    const { answers, directory } = directoryOf(() => store)
    const question = asks(listPeople, 'limit=2')[0]
    if (!question) throw new Error('no question')
    const counted = () => {
      const { hits, confirmed, misses } = answers.counts
      return { hits, confirmed, misses }
    }
    ask(directory, question)
    ask(directory, question)
    expect(counted()).toEqual({ hits: 1, confirmed: 0, misses: 1 })
    // The second page's alone.
    store.apply({ ...nobody, people: new Map([[last.id, { ...last, jobTitle: 'CTO' }]]) })
    ask(directory, question)
    ask(directory, question)
    expect(counted()).toEqual({ hits: 2, confirmed: 1, misses: 1 })
    // One that is shown; then the company of those that are; then how many there are.
    store.apply({ ...nobody, people: new Map([[first.id, { ...first, jobTitle: 'CEO' }]]) })
    ask(directory, question)
    store.apply({ ...nobody, companies: new Map([[company.id, { ...company, size: '1-10' }]]) })
    ask(directory, question)
    store.apply({ ...nobody, people: new Map([[last.id, null]]) })
    ask(directory, question)
    expect(counted()).toEqual({ hits: 2, confirmed: 1, misses: 4 })
  })

  test('a change of what nobody is found by has nobody searched again, one of a name has', () => {
    const store = storeOf({ companies: [company], people })
    const { directory } = directoryOf(() => store)
    const [question] = asks(listPeople, 'q=ann')
    if (!question) throw new Error('no question')
    const workOfAsking = () => {
      const before = store.people.work
      ask(directory, question)
      return store.people.work - before
    }
    expect(workOfAsking()).toBeGreaterThan(0)
    store.apply({ ...nobody, companies: new Map([[company.id, { ...company, size: '1-10' }]]) })
    store.apply({ ...nobody, people: new Map([[first.id, { ...first, avatarUrl: 'new.png' }]]) })
    expect(workOfAsking()).toBe(0)
    store.apply({ ...nobody, people: new Map([[last.id, { ...last, firstName: 'Anne' }]]) })
    expect(workOfAsking()).toBeGreaterThan(0)
  })

  test('an id and a slug have one answer, and what is not found has none', () => {
    const store = storeOf({ companies: [company], people })
    const { answers, directory } = directoryOf(() => store)
    for (const question of reads(readPerson, first.id, 'p-0', 'p-9')) ask(directory, question)
    expect(answers.counts).toMatchObject({ hits: 1, misses: 1, entries: 1 })
  })

  test('nothing of a store stays once another is in its place', () => {
    let store = storeOf({ companies: [company], people })
    const { answers, directory } = directoryOf(() => store)
    for (const question of QUESTIONS) ask(directory, question)
    expect(answers.counts.entries).toBeGreaterThan(10)
    store = storeOf({ companies: [company], people })
    const [question] = QUESTIONS
    if (question) ask(directory, question)
    expect(answers.counts.entries).toBe(1)
  })

  test('a store that was replaced is not held until the next call', async () => {
    const held = Array.from({ length: 20 }, () => {
      const answers = new KeptAnswers()
      const source = { moment: {} }
      answers.of(source, 'any', () => ({ shows: [], text: () => ['text'] }))
      return { answers, source: new WeakRef(source) }
    })
    // What was made in a turn of the event loop is held until its end.
    await setImmediate()
    releaseMemory()
    // A collector that looks for references on the stack may take a number there for one.
    expect(held.filter(({ source }) => source.deref()).length).toBeLessThan(5)
    expect(held.every(({ answers }) => answers.counts.entries === 1)).toBe(true)
  })

  test('moments that are over are not held, though answers of them are kept', async () => {
    const answers = new KeptAnswers()
    const source = { moment: {} }
    const moments = Array.from({ length: 20 }, (_, n) => {
      source.moment = {}
      answers.of(source, String(n), () => ({ shows: [], text: () => ['text'] }))
      return new WeakRef(source.moment)
    })
    await setImmediate()
    releaseMemory()
    expect(moments.filter((moment) => moment.deref()).length).toBeLessThan(5)
    expect(answers.counts.entries).toBe(20)
  })

  test('texts that an answer is compared by count among its bytes', () => {
    const answers = new KeptAnswers()
    const text = 'x'.repeat(10_000)
    answers.of({ moment: {} }, 'fund', () => ({ shows: [text, {}], text: () => [text] }))
    expect(answers.counts.bytes).toBeGreaterThan(text.length * 3)
  })

  test('a kept answer is compressed once, and that counts among its bytes until it goes', () => {
    const answers = new KeptAnswers()
    const source = { moment: {} }
    const ask = (key: string, text: string) =>
      answers.of(source, key, () => ({ shows: [text], text: () => [text] }))
    const answer = ask('list', 'x'.repeat(10_000))
    const before = answers.counts.bytes
    const compressed = answer.compressed?.()
    expect(answers.counts.bytes).toBe(before + (compressed?.bytes.length ?? 0))
    expect(ask('list', 'x'.repeat(10_000)).compressed?.()).toBe(compressed)
    source.moment = {}
    expect(ask('list', 'x'.repeat(10_000)).compressed?.()).toBe(compressed)
    // Another answer is in its place: the one before is neither given nor measured.
    source.moment = {}
    expect(ask('list', 'y'.repeat(10_000)).compressed?.()).not.toEqual(compressed)
    const now = answers.counts.bytes
    expect(answer.compressed?.()).toBeUndefined()
    expect(answers.counts).toMatchObject({ bytes: now, entries: 1 })
  })

  test('a kept answer stays kept when it is compressed, however large the result; one that is too large is kept in neither form', () => {
    const answers = new KeptAnswers()
    const source = { moment: {} }
    // Half of its length when compressed.
    const text = crypto.getRandomValues(Buffer.alloc(240_000)).toString('hex')
    const ask = (key: string, text: string) =>
      answers.of(source, key, () => ({ shows: [], text: () => [text] }))
    const compressed = ask('team', text).compressed?.()
    expect(compressed).toBeDefined()
    expect(ask('team', text).compressed?.()).toBe(compressed)
    expect(answers.counts).toMatchObject({ misses: 1, entries: 1 })
    // The answer of that key has grown: what was kept goes.
    source.moment = {}
    const grown = answers.of(source, 'team', () => ({ shows: [{}], text: () => [text, text] }))
    expect(grown.compressed?.()).toBeUndefined()
    expect(answers.counts).toMatchObject({ misses: 2, entries: 0, bytes: 0 })
  })

  test('compressed answers push others out, so that all of them stay within the bound', () => {
    const answers = new KeptAnswers()
    const source = { moment: {} }
    for (let n = 0; n < 1.2 * (BYTES_MAX / 300_000); n++) {
      // Digits that take three quarters of their length.
      const text = crypto.getRandomValues(Buffer.alloc(100_000)).toString('hex')
      const answer = answers.of(source, String(n), () => ({ shows: [], text: () => [text] }))
      const before = answers.counts.bytes
      expect(answer.compressed?.()?.bytes.length).toBeGreaterThan(text.length / 3)
      expect(answers.counts.bytes).not.toBe(before)
      expect(answers.counts.bytes).toBeLessThanOrEqual(BYTES_MAX)
    }
    expect(answers.counts.bytes).toBeGreaterThan(BYTES_MAX / 2)
  })

  test('they take a bounded number of bytes, keys included, and no one of them much', () => {
    const answers = new KeptAnswers()
    const source = { moment: {} }
    const text = 'x'.repeat(100_000)
    for (let n = 0; n < 2 * (BYTES_MAX / text.length); n++) {
      answers.of(source, `short ${n}`, () => ({ shows: [], text: () => [text] }))
      answers.of(source, `${n} ${text}`, () => ({ shows: [], text: () => [''] }))
    }
    expect(answers.counts.bytes).toBeLessThanOrEqual(BYTES_MAX)
    expect(answers.counts.bytes).toBeGreaterThan(BYTES_MAX / 2)
    const { entries, bytes } = answers.counts
    answers.of(source, 'long', () => ({ shows: [], text: () => [text.repeat(20)] }))
    expect(answers.counts).toMatchObject({ entries, bytes })
  })
})

test('slots stand where the text has them, in any script, and texts of pages between them', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 })
  const slots = fc.array(fc.tuple(text, text, fc.nat(5)), { maxLength: 5 })
  fc.assert(
    fc.property(slots, text, unlocked, fc.boolean(), (slots, end, unlocked, showsChannels) => {
      const pages = new TextPages()
      const parts = slots.flatMap(([before, onPage, n]) => [
        before,
        n % 3 ? pages.add(onPage) : ownText(onPage),
        { id: uuid(2, n), channels: n % 2 ? (['email'] as const) : [] },
      ])
      const body: Template = template`${parts}${end}`
      const pieces = filled(readyAnswer(body), unlocked, showsChannels)
      expect(joined(pieces)).toBe(fill(body, unlocked, showsChannels))
    }),
  )
})
