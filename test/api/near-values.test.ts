/** Which unknown values of a filter are taken for a misspelt one. */
import { describe, expect, test } from 'bun:test'
import { nearValueRefusal } from '../../src/api/near-values.ts'
import { INVESTORS_PARAMETERS, PROJECTS_PARAMETERS } from '../../src/contract/parameters.ts'
import { parseQuery } from '../../src/contract/query.ts'
import type { DirectoryReads } from '../../src/directory/records/directory.ts'

const SECTORS = ['CEX', 'Wallet', 'Wallets for teams', 'Analytics', 'Layer 1', '借贷平台', 'हिन्दी']
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'projects sector': SECTORS,
  'services sector': ['Walled'],
  'investors trustTier': ['tier-1', 'tier-2'],
}
const values: Partial<DirectoryReads> = {
  values: (list, filter) =>
    (KNOWN[`${list} ${filter}`] ?? []).map((value) => ({ value, count: 1 })),
}
const directory = values as DirectoryReads

/** The values that a refusal names, the nearest first; undefined where the value is not refused. */
function named(sector: string) {
  const query = parseQuery(PROJECTS_PARAMETERS, `sector=${encodeURIComponent(sector)}`)
  return nearValueRefusal(directory, 'projects', PROJECTS_PARAMETERS, query)?.fields.allowed
}

describe('a misspelt value names those that it may mean', () => {
  test.each([
    // Two letters that changed places in a short word; two typos in a long one.
    ['Wlalet', ['Wallet']],
    ['Analitiks', ['Analytics']],
    // The nearest first.
    ['Wallets', ['Wallet', 'Wallets for teams']],
    ['Wallets for team', ['Wallets for teams', 'Wallet']],
    ['借贷平', ['借贷平台']],
    // Of several, the fifth.
    ['a,b,c,d,walet', ['Wallet']],
  ])('%s', (sent, allowed) => {
    expect(named(sent)).toEqual(allowed)
  })
})

describe('no other value is refused', () => {
  test.each([
    // Three letters, of which one differs; two typos in a short word.
    'DEX',
    'Vallit',
    // Another list has it.
    'Walled',
    // Signs without a letter, however many, and letters of which a word's marks are left out.
    '🦄🦄',
    '🦄🦄🦄🦄🦄',
    'ह न द ह',
    // More than is compared: values, and letters of one.
    'a,b,c,d,e,walet',
    `Wallet ${'x'.repeat(60)}`,
    '__proto__',
    'constructor',
  ])('%s', (sent) => {
    expect(named(sent)).toBeUndefined()
  })
})

test('tiers that differ in their number are not near', () => {
  const refusal = (trustTier: string) =>
    nearValueRefusal(
      directory,
      'investors',
      INVESTORS_PARAMETERS,
      parseQuery(INVESTORS_PARAMETERS, `trustTier=${trustTier}`),
    )?.fields.allowed
  expect(refusal('tier-3')).toBeUndefined()
  expect(refusal('tier1')).toEqual(['tier-1'])
  expect(refusal('tier')).toEqual(['tier-1', 'tier-2'])
})

test('one letter among other signs is no value of one letter', () => {
  const rated = { values: () => [{ value: 'A', count: 1 }] } as Partial<DirectoryReads>
  const refused = nearValueRefusal(
    rated as DirectoryReads,
    'investors',
    INVESTORS_PARAMETERS,
    parseQuery(INVESTORS_PARAMETERS, `trustTier=${encodeURIComponent('\u{FBB68}á')}`),
  )
  expect(refused).toBeNull()
})
