/** What answers where no record matches every word, and what stays unanswered. */
import { describe, expect, test } from 'bun:test'
import { companyDocument } from '../../../index-build/documents.ts'
import { TermIndex } from '../../../index-build/term-index.ts'
import { listCompanies } from '../../../src/directory/records/company-collection.ts'
import { match } from '../../../src/directory/search/match.ts'
import { parseQuery } from '../../../src/directory/search/query.ts'
import { ranked } from '../../../src/directory/search/rank.ts'
import { Chance } from '../../../src/server/demo/random.ts'
import { companyRow, storeOf } from '../records/fixtures.ts'
import { unfollowed } from './followers.ts'

const NAMES =
  `Uniswap Labs;Celestia;Chainlink;Retro Bridge;TokenPocket;Polygon Technology;Arbitrum Foundation
  Optimism Collective;Aave Companies;Compound Finance;MakerDAO;Lido Finance;Rocket Pool;Curve Finance
  Yearn Finance;Balancer Labs;Synthetix Network;Perpetual Protocol;Injective Labs;Osmosis Zone;Avalanche
  Near Foundation;Solana Foundation;Starkware Industries;Matter Labs;Scroll Technology;Consensys Software
  Alchemy Insights;Infura;Blockdaemon;Chainalysis;Fireblocks;Anchorage Digital;Coinbase Ventures
  Paradigm Operations;Multicoin Capital;Polychain Capital;Pantera Capital;Dragonfly Ventures;Electric Capital
  Crypto Briefing;Crypto Rating Council;Crypto Valley Exchange;Crypto Heroes;Network State Foundation`
    .split(/[;\n]/)
    .map((name) => name.trim())

/** Other trades: nobody here means a company of the directory. */
const OTHER_TRADES = `Acme Plumbing Supply;Joe's Pizza;Green Valley Bakery;Smith & Sons Roofing
  Riverside Dental Clinic;Sunset Yoga Studio;Harbor View Hotel;Mountain Bike Repair;Bella Hair Salon
  Northside Auto Body;Lakeview Nursing Home;Golden Dragon Restaurant;Quick Dry Cleaners;Maple Street Hardware
  Oakwood Elementary School;St. Mary's Hospital;Tiny Tots Nursery;Evergreen Landscaping;Precision Piano Tuning
  Old Town Bookshop;Fresh Catch Seafood;City Orthodontics;Grandma's Kitchen;Desert Rose Florist
  Silver Needle Tailors;County Fire Department;Willow Creek Funeral Home;Pumpkin Patch Farm`
  .split(/[;\n]/)
  .map((name) => name.trim())

const chance = new Chance(5)
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const nonsense = () =>
  Array.from({ length: chance.between(6, 10) }, () => chance.pick([...LETTERS])).join('')

const index = new TermIndex()
const followers = unfollowed(NAMES.length)
for (const [slot, name] of NAMES.entries()) {
  const aiSummary = `${name} builds a decentralized network`
  index.replace(slot, null, companyDocument(companyRow({ name, aiSummary })))
}

/** The names found, the best first. */
function find(q: string): (string | undefined)[] {
  const matches = match(index, parseQuery(q), followers)
  return [...ranked(matches, followers)].map((slot) => NAMES[slot])
}

describe('where no record matches every word', () => {
  test.each([
    ['two typos in a long word', 'chanlinck', 'Chainlink'],
    ['two typos in a name', 'Polgyon Tehnologgy', 'Polygon Technology'],
    ['words written together', 'retrobridge', 'Retro Bridge'],
    ['words written together with a typo', 'retrobrigde', 'Retro Bridge'],
    ['a word cut in two', 'token pocket', 'TokenPocket'],
    ['a word cut anywhere', 'aval anche', 'Avalanche'],
    ['a word more than the record has', 'celestia crypto', 'Celestia'],
    ['a word before the name', 'the rocket pool', 'Rocket Pool'],
    ['a word more than a name of two', 'rocket pool staking', 'Rocket Pool'],
    ['another ending', 'Arbitrum Fundations', 'Arbitrum Foundation'],
  ])('%s: %s finds %s', (_, q, name) => {
    expect(find(q)[0]).toBe(name)
  })

  test('names of the same letters come before a name with one typo, and no other near ones do', () => {
    const names = ['Sunpocked', 'Sun Pocket', 'Sunpocké t', 'Sunpock Labs']
    const companies = names.map((name) => companyRow({ id: name, name }))
    const query = { q: 'sunpocket', page: 1, limit: 9 }
    const found = listCompanies(storeOf({ companies }).companies, 'projects', query)
    expect(found.companies.map(({ name }) => name)).toEqual([
      'Sun Pocket',
      'Sunpocké t',
      'Sunpocked',
    ])
  })

  test('a name of the same letters is the whole answer: no other near name, no name of one of the words', () => {
    const names = ['Token Pouch', 'TokenPocket', 'Pocket Rocket', 'Tokenpockets', 'Token']
    const companies = names.map((name) => companyRow({ id: name, name, followers: 9 }))
    const { companies: collection } = storeOf({ companies })
    for (const q of ['token pocket', 'tokenp ocket']) {
      const found = listCompanies(collection, 'projects', { q, page: 1, limit: 9 })
      expect(found.total).toBe(1)
      expect(found.companies.map(({ name }) => name)).toEqual(['TokenPocket'])
    }
  })

  test('a rarer word counts more than a common one', () => {
    expect(find('crypto chainalysis')).toEqual(['Chainalysis'])
  })

  test('no more than a few records answer', () => {
    for (const name of NAMES) expect(find(`${name.slice(1)}q x`).length).toBeLessThanOrEqual(12)
  })

  test.each(OTHER_TRADES)('%s, a name of another trade, finds nothing', (q) => {
    expect(find(q)).toEqual([])
  })

  test('random words find nothing', () => {
    for (let words = 1; words <= 3; words++) {
      for (let i = 0; i < 100; i++) {
        expect(find(Array.from({ length: words }, nonsense).join(' '))).toEqual([])
      }
    }
  })

  test('a third of the letters may differ, two thirds may not', () => {
    expect(find('blockdxemqn')).toEqual(['Blockdaemon'])
    expect(find('blocqxyzwvu')).toEqual([])
  })
})

describe('where a record matches every word, the list is of such records alone', () => {
  test.each(['crypto', 'capital', 'network foundation', 'finance', 'labs', 'lido'])('%s', (q) => {
    const words = q.split(' ')
    for (const name of find(q)) {
      const text = `${name} builds a decentralized network`.toLowerCase()
      expect(words.every((word) => text.includes(word))).toBe(true)
    }
  })
})
