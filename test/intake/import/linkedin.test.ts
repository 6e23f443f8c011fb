/** Addresses on LinkedIn: the import takes as a person's what tells an erasure whom it names, and nothing else. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { linkedinProfile } from '../../../src/intake/import/fields/links.ts'
import { InvalidValue } from '../../../src/intake/import/fields/values.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const t = sharedDatabase()

/** The stored form of an address; null where it is refused. */
function storedOf(address: string): string | null {
  try {
    return linkedinProfile(address)
  } catch (error) {
    if (error instanceof InvalidValue) return null
    throw error
  }
}

/** The form by which an erasure knows the person of an address; null where it tells nobody. */
async function formsOf(addresses: readonly string[]): Promise<(string | null)[]> {
  const rows = await t.sql`
    select erasure_form('linkedin_url', a.value) as form
      from jsonb_array_elements_text(${JSON.stringify(addresses)}::text::jsonb) with ordinality a (value, n) order by n`
  return rows.map(({ form }) => form)
}

const PROFILES = [
  'https://www.linkedin.com/in/ada-lovelace',
  'http://linkedin.com/in/ada',
  'https://de.linkedin.com/in/ada/en?trk=x#about',
  'https://www.linkedin.com//in/ada',
  'https://www.linkedin.com/in//ada',
  'https://www.linkedin.com/IN/Ada',
  'https://www.linkedin.com/in/@ada',
  'https://www.linkedin.com/in/melinda',
  'https://www.linkedin.com/in/b%C3%BCcher-1a2b',
  'https://www.linkedin.com/in/ada/details/experience/',
  'https://www.linkedin.com/comm/in/ada',
  'https://m.linkedin.com/mwlite/in/ada',
  'https://www.linkedin.com/pub/ada-lovelace/1/2a/3b4',
  'https://www.linkedin.com/profile/view?trk=nav&id=4711',
  'https://www.linkedin.com/sales/people/ACwAAA,NAME_SEARCH,abcd',
  'https://www.linkedin.com/sales/lead/ACwAAA',
  'https://www.linkedin.com/talent/profile/AEMAAA',
]

const NOBODYS = [
  'https://www.linkedin.com',
  'https://www.linkedin.com/',
  'https://www.linkedin.com/in/',
  'https://www.linkedin.com/in',
  'https://www.linkedin.com/in/?trk=x',
  'https://www.linkedin.com/in/#ada',
  'https://www.linkedin.com/in/@',
  'https://www.linkedin.com/in/me',
  'https://www.linkedin.com/in/ME/?x=1',
  'https://www.linkedin.com/search/results/people/?keywords=ines%20falk',
  'https://www.linkedin.com/authwall?trk=bf&sessionRedirect=x',
  'https://www.linkedin.com/uas/login?session_redirect=%2Fin%2Fada',
  'https://www.linkedin.com/company/acme',
  'https://www.linkedin.com/school/mit/people/',
  'https://www.linkedin.com/showcase/acme',
  'https://www.linkedin.com/groups/4711',
  'https://www.linkedin.com/feed/update/urn:li:activity:1',
  'https://www.linkedin.com/posts/ada_activity-1',
  'https://www.linkedin.com/jobs/view/4711',
  'https://www.linkedin.com/pulse/an-article-ada',
  'https://www.linkedin.com/events/4711',
  'https://www.linkedin.com/checkpoint/challenge/x',
  'https://www.linkedin.com/pub/',
  'https://www.linkedin.com/pub/dir/Ada/Lovelace',
  'https://www.linkedin.com/profile/view?trk=nav',
  'https://www.linkedin.com/sales/people/',
  'https://www.linkedin.com/sales/search/people',
]

describe('an address that', () => {
  test.each(PROFILES)('names a person is stored: %s', async (address) => {
    const stored = storedOf(address)
    expect(stored).toBe(address)
    expect(await formsOf([address])).not.toEqual([null])
  })

  test.each(NOBODYS)('names nobody is refused: %s', async (address) => {
    expect(storedOf(address)).toBeNull()
    expect(await formsOf([address])).toEqual([null])
  })

  test.each(['https://www.linkedin.com/in/%20', 'https://www.linkedin.com/in/%20%20/?trk=x'])(
    'has a blank for a name is refused: %s',
    (address) => {
      expect(storedOf(address)).toBeNull()
    },
  )
})

test('whatever the import takes tells an erasure somebody', async () => {
  const piece = fc.constantFrom(
    ...'in|IN|me|pub|dir|ada|profile|view|sales|people|lead|talent|comm|m|company|/|/|/|//|?|&|#|@|,|id=|id=1|=|%2F|.|..|ü|;'.split(
      '|',
    ),
    ...[' ', '\\'],
  )
  const beginning = fc.constantFrom(
    '',
    'in/',
    'pub/',
    'profile/view?',
    'sales/people/',
    'm/in/',
    'x/',
  )
  const address = fc
    .tuple(beginning, fc.array(piece, { maxLength: 6 }))
    .map(([start, pieces]) => `https://www.linkedin.com/${start}${pieces.join('')}`)
  const addresses = fc.sample(address, { numRuns: 20_000, seed: 42 })
  const taken = [...new Set(addresses.flatMap((one) => storedOf(one) ?? []))]
  expect(taken.length).toBeGreaterThan(500)
  const forms = await formsOf(taken)
  expect(taken.filter((_, i) => forms[i] === null)).toEqual([])
})
