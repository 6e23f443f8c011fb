/** Database: private channels are seen by the account that unlocked them and by nothing else. */
import { describe, expect, spyOn, test } from 'bun:test'
import {
  ADA,
  AURORA,
  COMPANIES,
  EMBER,
  HARBOR,
  PEOPLE,
  PRIVATE_VALUES,
} from '../helpers/fixtures.ts'
import { startService } from './setup.ts'

const service = await startService()
/** Has unlocked everybody. */
const owner = await service.account({ credits: 10_000 })
/** Has unlocked nobody. */
const other = await service.account({ credits: 10_000 })
for (const { id } of PEOPLE) await owner.get(`/v1/people/${id}?include=private`)

const LISTS = [
  '/v1/people',
  '/v1/people?channels=email,phone,telegram,linkedin',
  '/v1/people?q=ada',
  '/v1/projects',
  '/v1/investors',
  '/v1/services',
  '/v1/search?q=a',
  '/v1/me',
]
const SINGLE = [
  ...PEOPLE.map(({ id }) => `/v1/people/${id}`),
  ...COMPANIES.map(({ id }) => `/v1/projects/${id}`),
  `/v1/investors/${EMBER.id}`,
  `/v1/services/${HARBOR.id}`,
]

function expectNothingPrivate(text: string) {
  for (const value of PRIVATE_VALUES) expect(text).not.toContain(value)
}

describe('private channels', () => {
  test('the sentinel values are found where they may be: in a reveal by their owner', async () => {
    const texts = await Promise.all(
      PEOPLE.map(async ({ id }) => (await owner.get(`/v1/people/${id}`)).text),
    )
    for (const value of PRIVATE_VALUES) expect(texts.join()).toContain(value)
  })

  test.each(LISTS)(
    'contract/Person record: %s shows none, not even to an account that has unlocked them all',
    async (path) => {
      expectNothingPrivate((await owner.get(path)).text)
    },
  )

  test('contract/States: no read of any record shows another account’s unlocks', async () => {
    for (const path of SINGLE) expectNothingPrivate((await other.get(path)).text)
  })

  test('the search does not find a person by a private channel', async () => {
    for (const value of PRIVATE_VALUES) {
      const q = encodeURIComponent(value)
      const { body } = await other.get(`/v1/people?limit=100&q=${q}`)
      const found = body.data.map(({ id }: { id: string }) => id)
      const holder = PEOPLE.find((person) => Object.values(person).includes(value))
      // A phone number's digits or a handle may be a typo away from a name, but not a whole match.
      if (!value.includes('ada')) expect(found).not.toContain(holder?.id)
    }
  })

  test('an error names no private value, whichever gate makes it', async () => {
    const email = encodeURIComponent(ADA.email)
    const paths = [
      `/v1/people/${ADA.id}?include=private&page=1`,
      `/v1/people/${ADA.id}?include=public`,
      '/v1/people?include=private',
      `/v1/people/${email}`,
    ]
    for (const path of paths) {
      const { status, text } = await owner.get(path)
      expect(status).toBeGreaterThanOrEqual(400)
      expectNothingPrivate(text)
    }
  })

  test('a failure in the middle of a read logs where it happened, and no value', async () => {
    const before = service.logged.length
    const broken = spyOn(service.directory, 'ready').mockImplementation(() => {
      throw new Error(`could not show ${ADA.email}`)
    })
    const { status, text } = await owner.get(`/v1/people/${ADA.id}`)
    broken.mockRestore()
    expect(status).toBe(500)
    expectNothingPrivate(text)
    const logged = service.logged.slice(before).join('\n')
    expect(logged).toContain('a call failed')
    expectNothingPrivate(logged)
  })

  test('privacy: after several hundred mixed calls the log holds no channel, no key and no query text', async () => {
    const paths = [...LISTS, ...SINGLE, `/v1/projects/${AURORA.slug}?secret-parameter=1`]
    for (let round = 0; round < 5; round++) {
      const callers = [
        await service.account({ credits: 1_000 }),
        await service.account({ credits: 1_000 }),
      ]
      for (const caller of callers) {
        for (const answer of await Promise.all(paths.map((path) => caller.get(path)))) {
          expectNothingPrivate(answer.text)
        }
        expect(service.logged.join('\n')).not.toContain(caller.key)
      }
    }
    expectNothingPrivate(service.logged.join('\n'))
    expect(service.logged.join('\n')).not.toContain('secret-parameter')
  })

  test('the directory’s memory holds no channel', () => {
    const people = PEOPLE.map(({ id }) => service.directory.person(id))
    const seen = new Set<unknown>()
    const text = JSON.stringify(people, (_, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value
      if (seen.has(value)) return undefined
      seen.add(value)
      // Texts of records stand on pages of bytes, which JSON has as numbers.
      const { type, data } = value as { type?: string; data?: number[] }
      return type === 'Buffer' && data ? Buffer.from(data).toString() : value
    })
    expect(text.includes(ADA.slug)).toBe(true)
    expectNothingPrivate(text)
  })

  test('the ledger names whom a charge unlocked by id, and no channel', async () => {
    const rows = await service.sql`select row_to_json(l)::text as row from ledger l`
    expectNothingPrivate(rows.map(({ row }) => row).join('\n'))
  })
})
