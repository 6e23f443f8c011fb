/** Queries as people paste and type them, and what each has to find. All names are invented. */
import { describe, expect, test } from 'bun:test'
import { listCompanies } from '../../../src/directory/records/company-collection.ts'
import { listPeople } from '../../../src/directory/records/people-collection.ts'
import type { CompanyRow } from '../../../src/directory/records/rows.ts'
import { companyRow, personRow, storeOf } from '../records/fixtures.ts'

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const company = (given: string | (Partial<CompanyRow> & { name: string }), n: number) =>
  companyRow({ id: uuid(n), ...(typeof given === 'string' ? { name: given } : given) })
const person = (name: string, n: number, twitterHandle: string | null = null, followers = 0) =>
  personRow(name, { id: uuid(n), twitterHandle, creatorFollowerCount: followers })

type Rows = Parameters<typeof company>[0][]
const PAGE = { page: 1, limit: 100 }
const namesIn = (store: ReturnType<typeof storeOf>, q: string) =>
  listCompanies(store.companies, 'projects', { ...PAGE, q }).companies.map(({ name }) => name)
const companiesFor = (q: string, rows: Rows) =>
  namesIn(storeOf({ companies: rows.map(company) }), q)

/** @returns names of people found, in the folded form of their order. */
function peopleFor(q: string, people: ReturnType<typeof person>[]) {
  const found = listPeople(storeOf({ people }).people, { ...PAGE, q }).people
  return found.map(({ values }) => JSON.parse(values).slice(0, 2).filter(Boolean).join(' '))
}

describe('what is pasted and typed finds first', () => {
  const people = [
    person('Hal Finwick', 1, 'hal_finwick'),
    person('علی کریمی', 2),
    person('たろう ガスマ', 3, null, 10),
    person('たろう カスマ', 4, null, 9_000),
  ]
  test.each([
    ['https://mobile.twitter.com/hal_finwick', 'Hal Finwick'],
    ['https://twitter.com/#!/hal_finwick', 'Hal Finwick'],
    ['https://twitter.com/intent/user?screen_name=hal_finwick', 'Hal Finwick'],
    ['https://de.linkedin.com/in/hal_finwick', 'Hal Finwick'],
    ['علي كريمي', 'علی کریمی'],
    ['たろう ガスマ', 'たろう ガスマ'],
    ['たろう カスマ', 'たろう カスマ'],
  ])('%s: %s', (q, name) => expect(peopleFor(q, people)[0]).toBe(name))

  const quenlight = { domain: 'quenlight.example', twitterHandle: 'quenlight_hq', ticker: 'QNL' }
  const rows = [
    { name: 'Project Nine', ...quenlight },
    { name: 'Stable Nine', ticker: 'USD₮9' },
    { name: 'Silver S' },
    { name: 'Year ١٢' },
  ]
  test.each([
    ['https://t.me/s/quenlight_hq', 'Project Nine'],
    ['https://telegram.me/quenlight_hq', 'Project Nine'],
    ['<https://quenlight.example>', 'Project Nine'],
    ['#quenlight.example', 'Project Nine'],
    ['https://docs.app.quenlight.example/intro?ref=1', 'Project Nine'],
    ['USDT9', 'Stable Nine'],
    ['USD₮9', 'Stable Nine'],
    ['year 12', 'Year ١٢'],
    ['Year ۱۲', 'Year ١٢'],
  ])('%s: %s', (q, name) => expect(companiesFor(q, rows)[0]).toBe(name))

  test('letters of Arabic and Persian keyboards are the same, so that such a name is exact', () => {
    const names = [person('علی', 1), person('علي رضا', 2, null, 900)]
    expect(peopleFor('علي', names)).toEqual(['علی', 'علي رضا'])
  })

  test('a host is found before those above it, whoever has more followers', () => {
    const hosts = [
      { name: 'Below', domain: 'app.site.example' },
      { name: 'Above', domain: 'site.example', followers: 900 },
    ]
    expect(companiesFor('https://app.site.example/x', hosts)).toEqual(['Below', 'Above'])
    expect(companiesFor('site.example', hosts)[0]).toBe('Above')
  })
})

describe('names in another script', () => {
  const pairs =
    `Viktor Sokolov=Виктор Соколов;Yulia Tymchenko=Юлия Тимченко;Eleni Georgiou=Ελένη Γεωργίου
    Maria Suzuki=マリア スズキ;Zhang Weiming=张伟明;Kim Cheolsu=김철수;Giorgi Beridze=გიორგი ბერიძე
    Armen Sargsyan=Արմեն Սարգսյան;Anita Kumari=अनिता कुमारी;Mohammed Hassan=محمد حسن;Shlomo Mizrahi=שלמה מזרחי`
      .split(/[;\n]/)
      .map((pair) => pair.trim().split('='))
  const others = pairs.map(([name = ''], n) => person(`${name.split(' ')[0]} Ling`, 100 + n))

  test.each(pairs)('%s and %s find each other', (name = '', form = '') => {
    expect(peopleFor(form, [...others, person(name, 1)])[0]).toBe(name)
    expect(peopleFor(name, [...others, person(form, 1)])[0]).toBe(form)
  })

  test('syllables are found written together and apart', () => {
    for (const q of ['bitebi', 'bi te bi']) {
      expect(companiesFor(q, ['比特币', 'Bitebix', 'Bit'])[0]).toBe('比特币')
    }
  })

  test('the script that was typed comes first', () => {
    const both = [person('Viktor Sokolov', 1, null, 900), person('Виктор Соколов', 2)]
    expect(peopleFor('Виктор Соколов', both)).toEqual(['Виктор Соколов', 'Viktor Sokolov'])
  })
})

describe('weak words', () => {
  test('legal forms make no other company', () => {
    for (const q of ['Aave Inc', 'Aave GmbH', 'Aave Labs', 'Aave, Inc.', 'The Aave Ltd.']) {
      expect(companiesFor(q, ['Aave', { name: 'Aaven', followers: 9 }])[0]).toBe('Aave')
    }
    expect(companiesFor('Apple Incorporated', ['Apple Fruit', 'Apple Inc.'])[0]).toBe('Apple Inc.')
  })

  test('are counted from the names of the directory', () => {
    const rivals: Rows = ['Zeta', { name: 'Zeta Orbital', followers: 9 }]
    const ending = (count: number): Rows =>
      Array.from({ length: count }, (_, n) => `Name${'abcdefg'[n]} Orbit`)
    expect(companiesFor('zeta orbit', [...rivals, ...ending(5)])[0]).toBe('Zeta')
    expect(companiesFor('zeta orbit', [...rivals, ...ending(4)])[0]).toBe('Zeta Orbital')
    const store = storeOf({ companies: [...rivals, ...ending(5)].map(company) })
    expect(namesIn(store, 'zeta orbit')[0]).toBe('Zeta')
    for (let n = 2; n < 4; n++) {
      const gone = new Map([[uuid(n), null]])
      store.apply({ companies: gone, rounds: new Map(), people: new Map() })
    }
    expect(namesIn(store, 'zeta orbit')[0]).toBe('Zeta Orbital')
  })

  test('are none in names of people', () => {
    const people = ['Ann Wang', 'Bo Wang', 'Cy Wang', 'Di Wang', 'Ed Wang', 'Flo Wang', 'Gus']
    const found = peopleFor(
      'gus wang',
      people.map((name, n) => person(name, n)),
    )
    expect(found).not.toContain('Ann Wang')
  })
})

describe('the order of all that is found', () => {
  test('exact, letters, words, less weak words, handle, typo, text; followers settle nothing of it', () => {
    const rows = [
      { name: 'Sunpocket Labs' },
      { name: 'Sun Pocket Labs' },
      { name: 'Sun Pocket Labs Two' },
      { name: 'Sun Pocket' },
      { name: 'Key', twitterHandle: 'sunpocketlabs' },
      { name: 'Sun Pocked Labs' },
      { name: 'Text', aiSummary: 'Sun pocket labs' },
    ].map((row, n) => ({ ...row, followers: 10 ** n }))
    expect(companiesFor('sun pocket labs', rows)).toEqual([
      'Sun Pocket Labs',
      'Sunpocket Labs',
      'Sun Pocket Labs Two',
      'Sun Pocket',
      'Key',
      'Sun Pocked Labs',
      'Text',
    ])
  })

  test('a name written together is found whatever else has the word', () => {
    const rows = [
      'Side Chain',
      { name: 'Relay', twitterHandle: 'sidechain_hub', followers: 900 },
      { name: 'Bridge', aiSummary: 'A sidechain', followers: 900 },
    ]
    expect(companiesFor('sidechain', rows)).toEqual(['Side Chain', 'Relay', 'Bridge'])
  })

  test('of a common and a rare word the common one is too many', () => {
    const many: Rows = Array.from({ length: 30 }, (_, n) => ({
      name: `Net ${'abcdefghijklmnopqrstuvwxyzåäöü'[n]}x`,
      aiSummary: 'A platform',
    }))
    const other = { name: 'Quorlem Two', aiSummary: 'A platform', followers: 900 }
    const rows = [...many, 'Quorlem', 'Platform', other]
    expect(companiesFor('quorlem platform', rows).slice(0, 2)).toEqual(['Quorlem', 'Quorlem Two'])
  })

  test('a rare word is one with a typo before it is one too many', () => {
    const rows: Rows = ['Quorlem', 'Quorlem Zentur', ...'abcdefghijklmnop'].map((name) => ({
      name,
    }))
    expect(companiesFor('quorlem zentr', rows)).toEqual(['Quorlem Zentur'])
  })
})

describe('former handles', () => {
  const former = (handle: string) => [{ handle, seenAt: '2021-01-01T00:00:00.000Z' }]

  test('are found behind those of today', () => {
    const rows = [
      { name: 'Before', handleHistory: former('acme_hq'), followers: 900 },
      { name: 'Today', twitterHandle: 'acme_hq' },
    ]
    for (const q of ['@acme_hq', 'https://x.com/acme_hq']) {
      expect(companiesFor(q, rows)).toEqual(['Today', 'Before'])
    }
  })

  test('are found as they change', () => {
    const row = company({ name: 'Renamed', handleHistory: former('oldname') }, 1)
    const store = storeOf({ companies: [row] })
    expect(namesIn(store, 'oldname')).toEqual(['Renamed'])
    const changed = { ...row, handleHistory: former('eldername') }
    const companies = new Map([[row.id, changed]])
    store.apply({ companies, rounds: new Map(), people: new Map() })
    expect(namesIn(store, 'oldname')).toEqual([])
    expect(namesIn(store, 'eldername')).toEqual(['Renamed'])
  })
})

test('the total has all with every word and all that are called so, and others only where they are better', () => {
  const totalFor = (q: string, rows: Rows) => {
    const store = storeOf({ companies: rows.map(company) })
    return listCompanies(store.companies, 'projects', { q, page: 1, limit: 1 }).total
  }
  const texts: Rows = Array.from({ length: 60 }, (_, n) => ({
    name: `Name ${n}`,
    aiSummary: 'sun pocket',
  }))
  expect(totalFor('sun pocket', [...texts, 'Sunpocket', 'Sun Pockets', 'Sunpack'])).toBe(62)
  expect(totalFor('sunpocket', ['Sun Pocket', 'Sunpocket', 'Sunpocked', 'Sunpack'])).toBe(3)
  const short = (count: number): Rows =>
    Array.from({ length: count }, (_, n) => ({ name: `Name ${n}`, aiSummary: 'ab cd' }))
  expect(totalFor('ab cd', [...short(50), 'Ab Ced'])).toBe(51)
  expect(totalFor('ab cd', [...short(51), 'Ab Ced'])).toBe(51)
})
