/** The type `Api`: Eden calls every endpoint by it, and what it says is what is answered. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { treaty } from '@elysiajs/eden'
import type { Api } from '../../src/client.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { fixtures, startDirectory, type TestDirectory } from '../../src/testing/start.ts'

const { people, companies } = fixtures

let dir: TestDirectory
const asked = new Set<string>()
beforeAll(async () => {
  dir = await startDirectory({ listen: false })
})
afterAll(() => dir.stop())

function clientOf(key: string) {
  return treaty<Api>(dir.url, {
    headers: { authorization: `Bearer ${key}` },
    parseDate: false,
    fetcher: ((input: string, init?: RequestInit) => {
      asked.add(new URL(input).pathname)
      return dir.fetch(input, init)
    }) as typeof fetch,
  })
}

async function paidClient() {
  const { key } = await dir.account({ tier: 'pro', credits: 200 })
  return clientOf(key)
}

/** The data of a live answer; its types leave the sample out. */
function live<T extends object>({ data, error }: { data: T | null; error: unknown }) {
  expect(error).toBeNull()
  if (!data || 'sample' in data) throw new Error('no live data')
  return data as Exclude<T, { sample: true }>
}

test('every endpoint is called with its own parameters and read by its own fields', async () => {
  const { v1 } = await paidClient()

  const me = live(await v1.me.get())
  const tier: 'free' | 'starter' | 'pro' | 'team' | 'enterprise' = me.tier
  expect([tier, me.apiKey.scopes]).toEqual(['pro', ['read:metadata', 'read:contacts']])

  const list = live(
    await v1.people.get({ query: { roles: 'founder,investor', channels: 'email', sort: 'name' } }),
  )
  const firstNames: (string | null)[] = list.data.map((person) => person.firstName)
  const channels: string[] = list.facets.channels.map(({ value }) => value)
  expect([firstNames, channels.sort()]).toEqual([
    ['Ada'],
    ['email', 'linkedin', 'phone', 'telegram'],
  ])

  const ada = v1.people({ id: people.ada.slug })
  const { data, meta } = live(await ada.get({ query: { include: 'private' } }))
  const email: string | null = data.person.email
  expect([email, meta.creditsCharged]).toEqual([people.ada.email, 10])

  const query = { sector: ['Lending', 'Wallet'], limit: 1, token: 'launched' } as const
  const projects = live(await v1.projects.get({ query: { ...query, sector: [...query.sector] } }))
  const tokenLaunched: boolean | null | undefined = projects.data[0]?.tokenLaunched
  expect([projects.total, tokenLaunched]).toEqual([1, true])

  const { project, team } = live(await v1.projects({ id: companies.aurora.id }).get())
  const amount: number | null | undefined = project.fundingRounds[0]?.amountUsd
  expect([amount, team[0]?.email]).toEqual([10_000_000, people.ada.email])

  const investors = live(await v1.investors.get({ query: { sort: 'roi', trustTier: 'B' } }))
  const roi: number | null | undefined = investors.data[0]?.fundAllTimeRoiPct
  expect(roi).toBe(300)

  const fund = live(await v1.investors({ slug: companies.ember.slug }).get())
  const backed: string | undefined = fund.portfolio[0]?.company.name
  expect([fund.investor.name, backed]).toEqual([companies.ember.name, companies.borealis.name])

  const services = live(await v1.services.get({ query: { q: 'harbor' } }))
  expect(services.data[0]?.slug).toBe(companies.harbor.slug)

  const { service } = live(await v1.services({ slug: companies.iris.slug }).get())
  expect(service.ticker).toBe(companies.iris.ticker)

  const found = live(await v1.search.get({ query: { q: 'aurora' } }))
  expect(found.projects[0]?.id).toBe(companies.aurora.id)

  const paths = Object.values(ENDPOINTS).map(({ path }) => path.replace(/:\w+$/, ''))
  const missed = paths.filter((path) => ![...asked].some((url) => url.startsWith(path)))
  expect(missed).toEqual([])
})

test('an error has the status and the body that the types name', async () => {
  const { v1 } = await paidClient()
  const { data, error } = await v1.investors({ slug: companies.aurora.slug }).get()
  expect([data, error?.status]).toEqual([null, 404])
  if (error?.status === 404) expect(error.value.error.code).toBe('not_found')
})

test('a sample is told apart by its type', async () => {
  const { key } = await dir.account()
  const { data } = await clientOf(key).v1.projects.get()
  if (!data || !('sample' in data)) throw new Error('not a sample')
  const notice: string = data.notice
  expect([notice.startsWith('NOT REAL DATA'), data.meta.creditsRequired]).toEqual([true, 5])
})

test('what no endpoint knows does not compile', async () => {
  const { v1 } = await paidClient()
  // @ts-expect-error: `q` is required
  expect((await v1.search.get({ query: {} })).status).toBe(400)
  // @ts-expect-error: no such order
  expect((await v1.people.get({ query: { sort: 'age' } })).status).toBe(400)
  // @ts-expect-error: no such parameter
  expect((await v1.projects.get({ query: { sectors: 'DeFi' } })).status).toBe(400)
})
