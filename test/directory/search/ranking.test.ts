/** What a query finds, and in which order. */
import { describe, expect, test } from 'bun:test'
import { listCompanies } from '../../../src/directory/records/company-collection.ts'
import { listPeople } from '../../../src/directory/records/people-collection.ts'
import type { CompanyRow, PersonRow } from '../../../src/directory/records/rows.ts'
import { companyRow, personRow, storeOf } from '../records/fixtures.ts'

/** Searches companies, given as rows or names. @returns the names found, the best first. */
function companiesFor(q: string, rows: (string | (Partial<CompanyRow> & { name: string }))[]) {
  const companies = rows.map((row, n) =>
    companyRow({ id: uuid(n), ...(typeof row === 'string' ? { name: row } : row) }),
  )
  const page = { page: 1, limit: 100 }
  return listCompanies(storeOf({ companies }).companies, 'projects', { ...page, q }).companies.map(
    ({ name }) => name,
  )
}

function peopleFor(q: string, rows: (string | [name: string, Partial<PersonRow>])[]) {
  const people = rows.map((row, n) => {
    const [name, given] = typeof row === 'string' ? [row, {}] : row
    return personRow(name, { id: uuid(n), ...given })
  })
  const page = { page: 1, limit: 100 }
  return listPeople(storeOf({ people }).people, { ...page, q }).people.map(({ nameKey }) => nameKey)
}

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

describe('which comes first', () => {
  test('an exact name, ticker or handle, however many follow the others', () => {
    const famous = { name: 'Uniswap Labs', followers: 1_000_000 }
    expect(companiesFor('uniswap', [famous, 'Uniswap'])[0]).toBe('Uniswap')
    expect(companiesFor('uni', [famous, { name: 'Other', ticker: 'UNI' }])[0]).toBe('Other')
    const handled = { name: 'Other', twitterHandle: 'Uniswap' }
    expect(companiesFor('@uniswap', [famous, handled])[0]).toBe('Other')
  })

  test('whole words before prefixes, prefixes before typos', () => {
    const rows = ['Solanart', 'Solano', 'Solan', 'Solana Beach'].reverse()
    expect(companiesFor('solana', rows)).toEqual(['Solana Beach', 'Solanart', 'Solan', 'Solano'])
  })

  test('more followers before fewer, then the id', () => {
    const rows = [1, 30, 30, 200].map((followers, n) => ({ name: `Alpha ${'BCDE'[n]}`, followers }))
    expect(companiesFor('alpha', rows)).toEqual(['Alpha E', 'Alpha C', 'Alpha D', 'Alpha B'])
  })

  test('a name before a summary, a name before a title', () => {
    const summary = { name: 'Other', aiSummary: 'Built on Optimism', followers: 9 }
    expect(companiesFor('optimism', [summary, 'Optimism Grants'])).toEqual([
      'Optimism Grants',
      'Other',
    ])
    const rows: [string, Partial<PersonRow>][] = [
      ['Ann Lee', { jobTitle: 'Partner', creatorFollowerCount: 9 }],
      ['Joe Partner', {}],
    ]
    expect(peopleFor('partner', rows)).toEqual(['Joe Partner', 'Ann Lee'])
  })
})

describe('what matches', () => {
  test('every word must match, the last one also as a prefix, in any order', () => {
    const rows = ['Ann Lee', 'Ann Leeway', 'Lee Ann', 'Ann Other']
    expect(peopleFor('ann lee', rows)).toEqual(['Ann Lee', 'Lee Ann', 'Ann Leeway'])
    expect(peopleFor('lee ann', rows)[0]).toBe('Lee Ann')
    expect(peopleFor('leeway an', rows)).toEqual(['Ann Leeway'])
    expect(peopleFor('leewa ann', rows)).toEqual(['Ann Leeway'])
    expect(peopleFor('lee bob', rows)).toEqual([])
  })

  test('one typo of each kind in a longer word', () => {
    for (const q of ['vitalim', 'vitallik', 'vitlik', 'vtialik', 'ivtalik buterin']) {
      expect(peopleFor(q, ['Vitalik Buterin', 'Gavin Wood'])).toEqual(['Vitalik Buterin'])
    }
    expect(peopleFor('Виталк', ['Виталик Бутерин'])).toHaveLength(1)
    expect(peopleFor('ann', ['Anna Bell', 'Ian Bell'])).toEqual(['Anna Bell'])
  })

  test('a space too many or too few, where nothing else is found', () => {
    expect(companiesFor('open sea', ['OpenSea'])).toEqual(['OpenSea'])
    expect(companiesFor('chainlinklabs', ['Chainlink Labs'])).toEqual(['Chainlink Labs'])
  })

  test('handles with @, tickers with $, profiles as addresses', () => {
    const rows = [{ name: 'Ether', ticker: 'ETH', twitterHandle: 'ether_fi' }]
    for (const q of ['$eth', '@Ether_Fi', 'ether_fi', 'etherfi', 'https://x.com/ether_fi?s=20']) {
      expect(companiesFor(q, rows)).toEqual(['Ether'])
    }
  })

  test('domains with or without www., scheme and path', () => {
    const rows = [{ name: 'Exchange', domain: 'app.uniswap.org' }]
    for (const q of [
      'app.uniswap.org',
      'https://www.app.uniswap.org/swap',
      'uniswap',
      'app.unis',
    ]) {
      expect(companiesFor(q, rows)).toEqual(['Exchange'])
    }
    expect(companiesFor('org', rows)).toEqual([])
  })

  test('a site by an address of one of its hosts, and names with dots as they are', () => {
    const rows = [{ name: 'Exchange', domain: 'quenlight.example' }]
    for (const q of ['https://docs.quenlight.example/intro?ref=1', '#quenlight.example'])
      expect(companiesFor(q, rows)).toEqual(['Exchange'])
    for (const name of ['Acme.Inc.', 'Münch.en', 'Gate.io', 'J.P.M.']) {
      const famous = { name: `${name} Labs`, followers: 1_000 }
      expect(companiesFor(name, [famous, name])[0]).toBe(name)
    }
  })

  test('initials with and without dots', () => {
    for (const q of ['J.P. Morgan', 'JP Morgan', 'j p morgan', 'j. p. morg']) {
      expect(companiesFor(q, ['J.P. Morgan'])).toEqual(['J.P. Morgan'])
    }
    expect(companiesFor('j.p. morgan', ['JP Morgan'])).toEqual(['JP Morgan'])
    expect(peopleFor('oneil', ["Shaun O'Neil"])).toHaveLength(1)
  })

  test('case, accents, letters without a plain form, full-width and mathematical letters', () => {
    for (const q of ['lukasz oster', 'ŁUKASZ ØSTER', 'Ｌｕｋａｓｚ øster', '𝓛ukasz 𝐎ster']) {
      expect(peopleFor(q, ['Łukasz Øster'])).toEqual(['Łukasz Øster'])
    }
    expect(peopleFor('lefevre', ['Chloé Lefèvre'])).toHaveLength(1)
    expect(peopleFor('strasse', ['Uwe Straße'])).toHaveLength(1)
  })

  test('zero-width characters and directions are nothing, in names and in queries', () => {
    expect(companiesFor('uni\u200bswap', ['Uniswap'])).toEqual(['Uniswap'])
    expect(companiesFor('uniswap', ['\u202aUni\u00adswap\ufeff'])).toHaveLength(1)
  })

  test('Chinese and Japanese names, cut into pairs of characters', () => {
    const rows = ['比特币中国', '以太坊', 'ビットコイン銀行', '火币 Huobi']
    expect(companiesFor('比特币', rows)).toEqual(['比特币中国'])
    expect(companiesFor('中国', rows)).toEqual(['比特币中国'])
    expect(companiesFor('太坊', rows)).toEqual(['以太坊'])
    expect(companiesFor('以', rows)).toEqual(['以太坊'])
    expect(companiesFor('ﾋﾞｯﾄｺｲﾝ', rows)).toEqual(['ビットコイン銀行'])
    expect(companiesFor('huobi 火币', rows)).toEqual(['火币 Huobi'])
    expect(companiesFor('特以', rows)).toEqual([])
  })

  test('names of other scripts and of signs', () => {
    expect(peopleFor('김철', ['김철수'])).toHaveLength(1)
    expect(peopleFor('محمد', ['مُحَمَّد علي'])).toHaveLength(1)
    expect(companiesFor('🦄', ['🦄 Finance'])).toEqual(['🦄 Finance'])
  })
})
