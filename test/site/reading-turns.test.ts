/** Reads of pages over several turns of the event loop see one state of the directory. */
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Company } from '../../src/directory/records/company.ts'
import type { Directory } from '../../src/directory/records/directory.ts'
import type { RoundRow } from '../../src/directory/records/rows.ts'
import { consistentRead, wholeOf } from '../../src/site/profiles/consistent-read.ts'
import { inSteps, rowsInSteps } from '../../src/site/profiles/directory-lists.ts'
import { PORTFOLIO_PARAMETERS, portfolioOf } from '../../src/site/profiles/portfolio.ts'
import { selectedPeople } from '../../src/site/profiles/selection.tsx'
import { knownValuesOf } from '../../src/site/ui/list-query.ts'
import { companyRow, personRow, storeOf } from '../directory/records/fixtures.ts'

/** Work done in each step of a read, and its result. */
function stepsOf<T>(steps: Generator<void, T>, done: () => number) {
  const ofSteps: number[] = []
  for (;;) {
    const before = done()
    const step = steps.next()
    ofSteps.push(done() - before)
    if (step.done) return { ofSteps, value: step.value }
  }
}

/** A directory of one number, which is another object after each change. */
function counter() {
  let state = { number: 0 }
  return {
    moment: () => state,
    change: () => {
      state = { number: state.number + 1 }
    },
    number: () => state.number,
  }
}

test('what came meanwhile goes between two steps', async () => {
  const directory = counter()
  const seen: string[] = []
  function* read() {
    for (const step of ['one', 'two', 'three']) {
      seen.push(step)
      setImmediate(() => seen.push('call'))
      yield
    }
    return seen.length
  }
  expect(await consistentRead(directory, read)).toBe(6)
  expect(seen).toEqual(['one', 'call', 'two', 'call', 'three', 'call'])
})

test('where the directory changes between two steps, all is read again, of one moment and without a pause', async () => {
  const directory = counter()
  let turns = 0
  let isDone = false
  // It changes in every turn: what went on in turns would never be of one moment.
  const change = () => {
    turns++
    directory.change()
    if (!isDone) setImmediate(change)
  }
  setImmediate(change)
  function* read() {
    const [first, firstTurn] = [directory.number(), turns]
    yield
    yield
    return { numbers: [first, directory.number()], turns: turns - firstTurn }
  }
  const { numbers, turns: taken } = await consistentRead(directory, read)
  isDone = true
  await turn()
  expect(new Set(numbers).size).toBe(1)
  expect(numbers[0]).toBeGreaterThan(0)
  expect(taken).toBe(0)
})

test('a list that is searched is found in one turn and counted in the next; without a search all is read at once', async () => {
  const seen: (string | boolean)[] = []
  const read = ({ isCounted = true }) => {
    seen.push(isCounted)
    setImmediate(() => seen.push('call'))
    return { isCounted }
  }
  const directory = counter()
  expect(await consistentRead(directory, () => inSteps('ann', read))).toEqual({ isCounted: true })
  expect(seen).toEqual([false, 'call', true])
  await turn()
  seen.length = 0
  expect(await consistentRead(directory, () => inSteps('', read))).toEqual({ isCounted: true })
  expect(seen).toEqual([true])
})

test('the rows of a list are made in steps of ten at most, and not in that of the reading', () => {
  const numbers = Array.from({ length: 25 }, (_, n) => n)
  const made: number[] = []
  const steps = rowsInSteps(numbers, (n) => made.push(n))
  const { ofSteps, value } = stepsOf(steps, () => made.length)
  expect([value.length, ofSteps]).toEqual([25, [0, 10, 10, 5]])
})

test('people who are selected are read in steps of 25 at most, those who are gone too', () => {
  const people = Array.from({ length: 60 }, (_, n) => personRow(`Person ${n}`))
  const store = storeOf({ people })
  let read = 0
  const directory = {
    person(id: string) {
      read++
      return store.person(id)
    },
  }
  const ids = people.flatMap(({ id }, n) => (n < 10 ? [id, crypto.randomUUID()] : [id]))
  const { ofSteps, value } = stepsOf(selectedPeople(directory, ids), () => read)
  expect([value.people.map(({ id }) => id), value.gone]).toEqual([people.map(({ id }) => id), 10])
  expect(ofSteps).toEqual([25, 25, 20])
})

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

test('a fund’s thousands of co-investors are looked up in steps, of which none takes more than some hundreds', () => {
  const { seen, read } = backedFund(3_000, 30)
  const { ofSteps, value } = stepsOf(read(), () => seen.lookedUp)
  expect(value.coInvestorCount).toBe(3_000)
  expect(ofSteps.reduce((sum, count) => sum + count)).toBe(3_000)
  expect(Math.max(...ofSteps)).toBeLessThan(500)
})

test('a fund’s figures are counted once for all pages and orders of its table, and anew when the directory changes', () => {
  const { seen, read, removeRound } = backedFund(40, 20)
  const first = wholeOf(read())
  expect([first.total, first.coInvestorCount, first.shown.length]).toEqual([20, 40, 15])
  seen.lookedUp = 0
  const second = wholeOf(read('sort=name&page=2'))
  expect([second.total, second.coInvestorCount, second.shown.length]).toEqual([20, 40, 5])
  expect(seen.lookedUp).toBe(0)
  expect(second.shown[0]?.company.name).not.toBe(first.shown[0]?.company.name)
  expect(wholeOf(read()).shown).toEqual(first.shown)
  removeRound(3)
  const third = wholeOf(read())
  expect([third.total, third.coInvestorCount, third.shown.length]).toEqual([19, 38, 15])
})

test('figures that were counted while the directory changed are nobody else’s', () => {
  const { read, removeRound } = backedFund(40, 20)
  const steps = read()
  steps.next()
  removeRound(3)
  wholeOf(steps)
  const { total, coInvestorCount } = wholeOf(read())
  expect([total, coInvestorCount]).toEqual([19, 38])
})
