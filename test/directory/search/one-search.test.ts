/** What comes first where people and companies are searched at once: real companies, invented people. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { ListName } from '../../../src/contract/vocabulary.ts'
import { find } from '../../../src/directory/records/reads.ts'
import type { CompanyRow } from '../../../src/directory/records/rows.ts'
import type { Store } from '../../../src/directory/records/store.ts'
import { bestInOrder, placed } from '../../../src/directory/search/rank.ts'
import { gradeOf, WORST } from '../../../src/directory/search/score.ts'
import { inventPeople } from '../../../src/server/demo/people.ts'
import { COMPANIES_FILE, realCompanies } from '../../bench/search-data.ts'
import { companyRow, personRow, storeOf } from '../records/fixtures.ts'

const PEOPLE = 1_000
const SEED = 20_261

/** The names of the first records found, people with the first and the last one. */
function namesFor(store: Store, q: string, kind?: ListName, limit = 8): string[] {
  return find(store, { q, kind, page: 1, limit }).found.map((it) =>
    it.kind === 'company' ? it.company.name : it.person.nameKey,
  )
}

/** What is typed, and of the record that is meant its name and, where several have it, its domain. */
const MEANT = `
paradigm: Paradigm; paradi: Paradigm; paradgim: Paradigm; @paradigm: Paradigm; a16z: a16z crypto
coinbase ventures: Coinbase Ventures; coinbaseventures: Coinbase Ventures; multicoin: Multicoin Capital
pantera: Pantera; polychain: Polychain; dragonfly: Dragonfly; electric cap: Electric Capital; 1kx: 1kx
framework ventures: Framework Ventures; uniswap: Uniswap uniswap.org; uniswap.org: Uniswap uniswap.org
@uniswap: Uniswap uniswap.org; unsiwap: Uniswap uniswap.org; https://x.com/Uniswap: Uniswap uniswap.org
aave: Aave aave.com; compound: Compound compound.finance; lido: Lido lido.fi; makerdao: MakerDAO makerdao.com
chainlink: Chainlink chain.link; chainlnk: Chainlink chain.link; optimism: Optimism optimism.io; base: Base base.org
arbitrum one: Arbitrum One; polygon: Polygon polygon.technology; starknet: Starknet starknet.io; linea: Linea
scroll: Scroll scroll.io; safe: Safe safe.global; gnosis: Gnosis gnosis.io; ens: ENS ens.domains
the graph: The Graph; 1inch: 1Inch; yearn: Yearn; yfi: yearn.finance yearn.finance; synthetix: Synthetix synthetix.io
sushi: Sushi sushi.com; balancer: Balancer balancer.fi; bancor: Bancor bancor.network; dydx: dYdX dydx.exchange
gmx: GMX; hop: Hop hop.exchange; across: Across; connext: Everclear (prev Connext); layerzero: LayerZero
usdc: USD Coin circle.com; metamask: Metamask; rainbow: Rainbow rainbow.me; zora: Zora zora.co; gitcoin: Gitcoin gitcoin.co
giveth: Giveth giveth.io; farcaster: Farcaster; decentraland: Decentraland decentraland.org; axie: Axie Infinity
brave: Brave; kraken: Kraken kraken.com; binance: Binance binance.com; coinbase: Coinbase coinbase.com
etherscan: Etherscan; orca: Orca orca.so; golem: Golem; status: Status status.app; augur: Augur augur.net`
  .split(/[;\n]/)
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, q = '', name = '', domain] =
      /^\s*(.+): (.+?)(?: ([^ ]+\.[^ .]+))?\s*$/.exec(line) ?? []
    return { q, name, domain: domain ?? null }
  })

const isThere = existsSync(COMPANIES_FILE)
if (!isThere) console.warn('skipped: ../shared/data/companies.jsonl is not there')

/** The real companies with their types. */
function typedCompanies(): CompanyRow[] {
  const types = readFileSync(COMPANIES_FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line): Pick<CompanyRow, 'companyType'> => JSON.parse(line))
  return realCompanies().map((row, n) => ({
    ...row,
    companyType: types[n]?.companyType ?? row.companyType,
  }))
}

describe.skipIf(!isThere)('what is meant comes first, whatever its kind', () => {
  const companies = isThere ? typedCompanies() : []
  const domains = new Map(companies.map(({ id, domain }) => [id, domain]))
  const people = [...inventPeople(PEOPLE, SEED)].map((person) =>
    personRow(`${person.firstName} ${person.lastName}`, {
      id: person.id,
      jobTitle: person.jobTitle ?? null,
      twitterHandle: person.twitterHandle,
      creatorFollowerCount: person.creatorFollowerCount,
    }),
  )
  const store = storeOf({ companies, people })

  test.each(MEANT)('$q', ({ q, name, domain }) => {
    const [first] = find(store, { q, page: 1, limit: 1 }).found
    if (first?.kind !== 'company') throw new Error(`${q} finds no company first`)
    const found = { name: first.company.name, domain: domains.get(first.company.id) }
    expect(found).toEqual({ name, domain: domain ?? found.domain })
  })

  test('people, by name, by its beginning and with a typo', () => {
    const named = people.filter(({ lastName }) => (lastName?.length ?? 0) > 8).slice(0, 20)
    expect(named).toHaveLength(20)
    for (const { firstName, lastName } of named) {
      const name = `${firstName} ${lastName}`.toLowerCase()
      for (const q of [name, name.slice(0, -3), `${name.slice(0, -4)}${name.slice(-3)}`]) {
        expect([q, namesFor(store, q)[0]?.toLowerCase()]).toEqual([q, name])
      }
    }
  })

  test('each kind has as many as its list, and its own come in the order of all', () => {
    for (const q of ['paradigm', 'base', 'capital', 'kraken']) {
      const all = find(store, { q, page: 1, limit: 10_000 })
      expect(all.found).toHaveLength(all.total)
      for (const kind of ['people', 'projects', 'investors', 'services'] as const) {
        const own = find(store, { q, kind, page: 1, limit: 10_000 }).found
        expect([q, kind, own.length]).toEqual([q, kind, all.totals[kind]])
        const ids = new Set(own.map(idOf))
        expect(own.map(idOf)).toEqual(all.found.map(idOf).filter((id) => ids.has(id)))
      }
    }
  })

  test('pages go on where the one before ended', () => {
    const query = { q: 'labs', limit: 7 }
    const all = find(store, { ...query, page: 1, limit: 70 }).found.map(idOf)
    const paged = Array.from({ length: 10 }, (_, n) => find(store, { ...query, page: n + 1 }).found)
    expect(paged.flat().map(idOf)).toEqual(all)
    const beyond = find(store, { ...query, page: Number.MAX_SAFE_INTEGER })
    expect(beyond.found).toEqual([])
    expect(find(store, { ...query, q: ' ', page: 1 }).total).toBe(0)
  })
})

type Found = ReturnType<typeof find>['found'][number]
const idOf = (it: Found) => (it.kind === 'company' ? it.company.id : it.person.id)

describe('of equals', () => {
  const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

  test('a name comes before a ticker or handle, whoever has more followers', () => {
    const fund = companyRow({ id: uuid(1), name: 'Paradigm', companyType: 'investor' })
    const token = (n: number) =>
      companyRow({
        id: uuid(n),
        name: `Paradigm ${n}`,
        twitterHandle: n % 2 ? 'paradigm' : null,
        ticker: n % 2 ? null : 'PARADIGM',
        followers: 1_000_000,
      })
    const store = storeOf({ companies: [...[2, 3, 4, 5].map(token), fund] })
    expect(namesFor(store, 'paradigm')[0]).toBe('Paradigm')
    expect(namesFor(store, 'paradigm', 'projects')).not.toContain('Paradigm')
  })

  test('the more prominent comes first, a person too', () => {
    const company = companyRow({ id: uuid(1), name: 'Vitalik', followers: 10 })
    const person = personRow('Vitalik', { id: uuid(2), creatorFollowerCount: 5_000_000 })
    const loner = personRow('Vitalik', { id: uuid(3) })
    const { found } = find(storeOf({ companies: [company], people: [loner, person] }), {
      q: 'vitalik',
      page: 1,
      limit: 3,
    })
    expect(found.map(idOf)).toEqual([uuid(2), uuid(1), uuid(3)])
  })
})

test('the best in an order are those that sorting all by grade finds', () => {
  const RECORDS = 60
  const scores = fc.dictionary(fc.nat(RECORDS - 1).map(String), fc.nat(WORST - 1))
  // Slots that are in no order are free.
  const order = fc.shuffledSubarray([...Array(RECORDS).keys()], { minLength: RECORDS / 2 })
  fc.assert(
    fc.property(scores, order, fc.nat(RECORDS + 5), (scored, list, count) => {
      const found = Object.fromEntries(
        Object.entries(scored).filter(([slot]) => list.includes(Number(slot))),
      )
      const matches = {
        slots: Uint32Array.from(Object.keys(found), Number),
        scores: Uint16Array.from(Object.values(found)),
      }
      const grade = (slot: number) => gradeOf(found[slot] ?? 0)
      const sorted = list.filter((slot) => slot in found).sort((a, b) => grade(a) - grade(b))
      const best = bestInOrder(matches, placed(Uint32Array.from(list), RECORDS), count)
      expect(best).toEqual(sorted.slice(0, count).map((slot) => ({ slot, grade: grade(slot) })))
    }),
  )
})
