/** What funds did in the last twelve months. */
import { expect, test } from 'bun:test'
import {
  browseMostActive,
  mostActiveFirst,
  recentInvestments,
} from '../../../src/directory/records/reads.ts'
import type { RoundRow } from '../../../src/directory/records/rows.ts'
import { companyRow, storeOf } from './fixtures.ts'

const NOW = Date.UTC(2026, 10, 23, 15)
const uuid = (kind: number, n: number) =>
  `0000000${kind}-0000-7000-8000-${String(n).padStart(12, '0')}`
const fund = (n: number, followers: number | null = null) =>
  companyRow({ id: uuid(1, n), name: `Fund ${n}`, companyType: 'investor', followers })
const project = companyRow({ id: uuid(2, 0), name: 'Project' })
const round = (n: number, announceDate: number | null, ...funds: number[]): RoundRow => ({
  id: uuid(3, n),
  companyId: project.id,
  roundType: 'Seed',
  roundEventName: null,
  amountUsd: null,
  announceDate,
  investors: funds.map((k) => ({
    id: uuid(4, 100 * n + k),
    investorId: uuid(1, k),
    isLead: false,
  })),
})

test('rounds from the same day of the last year to the end of today count', () => {
  const dates = {
    'a day too old': Date.UTC(2025, 10, 22, 23, 59),
    'a year ago': Date.UTC(2025, 10, 23),
    today: Date.UTC(2026, 10, 23, 23, 59),
    tomorrow: Date.UTC(2026, 10, 24),
    'without a date': null,
  }
  const counted = Object.entries(dates).flatMap(([name, date]) => {
    const store = storeOf({ companies: [fund(0), project], rounds: [round(0, date, 0)] })
    return recentInvestments(store, NOW).has(uuid(1, 0)) ? [name] : []
  })
  expect(counted).toEqual(['a year ago', 'today'])
})

test('a change of rounds counts at once, and so does another day', () => {
  const store = storeOf({ companies: [fund(0), project], rounds: [round(0, NOW, 0)] })
  const count = (at: number) => recentInvestments(store, at).get(uuid(1, 0))
  expect([count(NOW), count(NOW), count(Date.UTC(2027, 10, 25))]).toEqual([1, 1, undefined])
  const rounds = new Map([[uuid(3, 1), round(1, NOW, 0)]])
  store.apply({ companies: new Map(), rounds, people: new Map() })
  expect(count(NOW)).toBe(2)
})

test('the most active come first, of as many the more prominent; pages are the whole list once', () => {
  const now = Date.now()
  const store = storeOf({
    companies: [fund(0, 5), fund(1, 50_000), fund(2, 9), fund(3, 90_000), fund(4), project],
    rounds: [round(0, now, 0, 2), round(1, now, 0, 1), round(2, Date.UTC(2020, 1), 4)],
  })
  const page = (number: number, limit: number, wanted = {}) =>
    browseMostActive(store, 'investors', { wanted, page: number, limit })
  const names = (...of: Parameters<typeof page>) => page(...of).records.map(({ name }) => name)
  const all = ['Fund 0', 'Fund 1', 'Fund 2', 'Fund 3', 'Fund 4']
  expect(names(1, 50)).toEqual(all)
  expect([1, 2, 3].flatMap((number) => names(number, 2))).toEqual(all)
  expect([names(4, 2), page(4, 2).total, page(1, 2).all]).toEqual([[], 5, 5])
  expect(names(1, 50, { kind: ['project'] })).toEqual([])
  const { records } = page(1, 50)
  const turned = mostActiveFirst(records.toReversed(), recentInvestments(store))
  expect(turned.map(({ name }) => name)).toEqual(['Fund 0', 'Fund 2', 'Fund 1', 'Fund 4', 'Fund 3'])
})
