/** A fund's portfolio: its figures, pages and orders. */
import { expect, test } from 'bun:test'
import type { Company } from '../../src/directory/records/company.ts'
import type { Directory } from '../../src/directory/records/directory.ts'
import type { RoundRow } from '../../src/directory/records/rows.ts'
import { PORTFOLIO_PARAMETERS, portfolioOf } from '../../src/site/profiles/portfolio.ts'
import { knownValuesOf } from '../../src/site/ui/list-query.ts'
import { companyRow, storeOf } from '../directory/records/fixtures.ts'

/** A fund with investments in each of so many companies, beside so many funds, and how often its directory looks one up. */
function backedFund(funds: number, companies: number) {
  const named = (name: string) => companyRow({ name, companyType: 'investor' })
  const fund = named('Fund')
  const others = Array.from({ length: funds }, (_, n) => named(`Co-investor ${n}`))
  const backed = Array.from({ length: companies }, (_, n) => companyRow({ name: `Backed ${n}` }))
  const share = funds / companies
  const rounds = backed.map(({ id }, n): RoundRow => {
    const joined = [fund, ...others.slice(n * share, (n + 1) * share)]
    const investors = joined.map((it) => ({ id: id + it.id, investorId: it.id, isLead: false }))
    const unsaid = { roundType: null, roundEventName: null, amountUsd: null, announceDate: null }
    return { id: `round-${n}`, companyId: id, ...unsaid, investors }
  })
  const store = storeOf({ companies: [fund, ...others, ...backed], rounds })
  const seen = { lookedUp: 0 }
  const directory = {
    moment: () => store.moment,
    portfolio: (of: Company) => store.portfolio(of),
    company(id: string) {
      seen.lookedUp++
      return store.company(id)
    },
  } as Directory
  /** @param query as the page's address has it */
  const read = (query = '') =>
    portfolioOf(
      directory,
      store.company(fund.id) as Company,
      knownValuesOf(PORTFOLIO_PARAMETERS, query),
    )
  const removeRound = (n: number) =>
    store.apply({
      companies: new Map(),
      people: new Map(),
      rounds: new Map([[`round-${n}`, null]]),
    })
  return { seen, read, removeRound }
}

test('a fund’s figures are counted once for all pages and orders of its table, and anew when the directory changes', () => {
  const { seen, read, removeRound } = backedFund(40, 20)
  const first = read()
  expect([first.total, first.coInvestorCount, first.shown.length]).toEqual([20, 40, 15])
  seen.lookedUp = 0
  const second = read('sort=name&page=2')
  expect([second.total, second.coInvestorCount, second.shown.length]).toEqual([20, 40, 5])
  expect(seen.lookedUp).toBe(0)
  expect(second.shown[0]?.company.name).not.toBe(first.shown[0]?.company.name)
  expect(read().shown).toEqual(first.shown)
  removeRound(3)
  const third = read()
  expect([third.total, third.coInvestorCount, third.shown.length]).toEqual([19, 38, 15])
})
