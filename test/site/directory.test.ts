/** Directory pages show what the API's lists and reads answer, and none of what must be paid for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { REVEAL_CREDITS } from '../../src/contract/endpoints.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { countAttempt, RATE_LIMITS } from '../../src/people/users/rate-limiter.ts'
import {
  ADA,
  AURORA,
  BEN,
  BOREALIS,
  CLEO,
  crowd,
  EMBER,
  fixtures,
  GLACIER,
  HARBOR,
  JUNO,
  PRIVATE_VALUES,
  UNKNOWN_SLUG,
} from '../helpers/fixtures.ts'
import { type Caller, type TestService, testService } from '../helpers/service.ts'
import { PAGES, type TestSite, testSite } from './site.ts'

let service: TestService
let site: TestSite
let caller: Caller

beforeAll(async () => {
  service = await testService(async (database) => {
    await fixtures(database)
    await crowd(database, 130)
    const xu = { slug: 'xu', name: 'Xu', companyType: 'service' }
    expect((await importRows(database, 'companies', [xu])).refusals).toEqual([])
  })
  site = await testSite(service)
  caller = await service.account({ tier: 'team', credits: 10_000 })
})
afterAll(() => service.stop())

/** Records that a page lists, by the paths of their profiles, in order. */
function listed(text: string): string[] {
  return [...text.matchAll(/<a class="name" href="([^"]*)"/g)].map(([, path]) => path!)
}

describe('lists', () => {
  test.each([
    '/people?sort=recent',
    '/people?q=ada',
    '/people?roles=founder,legal&sort=name',
    '/people?channels=telegram&contactType=analyst&sort=recent',
    '/people?q=member&page=3&limit=50',
    '/people?page=99',
    '/projects?sort=recent',
    '/projects?sector=defi,wallet&sort=name',
    '/projects?sector=DeFi&sector=Wallet&sort=recent',
    '/projects?token=pre&sort=recent',
    '/investors?sort=portfolio',
    '/investors?sort=roi',
    '/investors?fundType=venture&trustTier=b&sort=portfolio',
    '/services?q=iris',
    '/services?sector[]=Security&sort=recent',
  ])('%s holds the records of the same list of the API, in its order', async (path) => {
    const { body } = await caller.get(`/v1${path}`)
    const text = await site.text(path)
    const slugs = listed(text).map((it) => it.split('/').at(-1))
    expect(slugs).toEqual(body.data.map((it: { slug: string; id: string }) => it.slug ?? it.id))
    const total = body.total.toLocaleString('en-US')
    if (body.total > 0)
      expect(text).toContain(body.data.length > 0 ? `<strong>${total}</strong>` : total)
  })

  test('the most prominent come first unless another order is asked for', async () => {
    const [first, ...others] = listed(await site.text('/projects'))
    expect(first).toBe(`/projects/${AURORA.slug}`)
    expect(others.length).toBeGreaterThan(1)
    const byPortfolio = await site.text('/investors?sort=portfolio')
    expect(byPortfolio).toMatch(/aria-sort="descending"><a [^>]*>Investments</)
    expect(await site.text('/projects?sort=name')).toMatch(/aria-sort="ascending"><a [^>]*>Name</)
  })

  test('every list has facets, each with how many it would leave of exactly how many', async () => {
    for (const [path, facets] of Object.entries({
      '/people': ['roles', 'channels', 'company', 'sector', 'raised', 'contactType'],
      '/projects': ['kind', 'sector', 'chain', 'token', 'stage', 'raised'],
      '/investors': ['fundType', 'trustTier', 'entity'],
      '/services': ['kind', 'sector'],
    })) {
      const text = await site.text(path)
      const [, all] = /class="count"><strong>(\d+)<\/strong>/.exec(text) ?? []
      for (const facet of facets) {
        const box = new RegExp(
          `name="${facet}" value="([^"]*)"[^>]*/><bdi>[^<]*</bdi> <span class="number">(\\d+)<`,
        )
        const [, value = '', count] = box.exec(text) ?? []
        const narrowed = await site.text(`${path}?${new URLSearchParams({ [facet]: value })}`)
        const said =
          count === all ? `<strong>${all}</strong> ` : `<strong>${count}</strong> of ${all} `
        expect([facet, narrowed.includes(said)]).toEqual([facet, true])
        expect(narrowed).toMatch(/<ul class="active" aria-label="Active filters"><li>/)
      }
    }
  })

  test('boxes ticked one by one and fields left empty are what a form sends', async () => {
    const sent = '/people?q=&sort=&contactType=&roles=founder&roles=legal'
    const { body } = await caller.get('/v1/people?roles=founder,legal')
    expect(listed(await site.text(sent))).toHaveLength(body.total)
    expect(body.total).toBeGreaterThan(1)
  })

  test.each([
    ['/people?sort=popular', 'recent, name'],
    ['/people?channels=fax', 'email, phone, telegram, linkedin'],
    ['/people?role=founder', 'roles'],
    ['/people?page=one', 'a whole number'],
    ['/projects?token=maybe', 'launched, pre'],
    ['/investors?sort=name&sort=roi', 'one value'],
    [`/services?q=${'x'.repeat(201)}`, 'at most 200 characters'],
    ['/search?q=%ff', 'UTF-8'],
    ['/search?query=ada', 'q'],
  ])('%s is a 400 that says what is allowed', async (path, allowed) => {
    const response = await site.get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'text/html; charset=utf-8',
    ])
    expect(await response.text()).toContain(allowed)
  })

  test('pages lead to each other and, concatenated, are the whole list once', async () => {
    const { body } = await caller.get('/v1/people?sort=name&limit=100')
    const seen: string[] = []
    let path: string | undefined = '/people?sort=name'
    while (path) {
      const text: string = await site.text(path)
      seen.push(...listed(text))
      path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(body.total)
  })

  test('hundreds of values in an address make no page of megabytes', async () => {
    const many = (name: string) =>
      `${name}=${Array.from({ length: 100 }, (_, i) => `v${i}`).join()}`
    const text = await site.text(
      `/people?${['roles', 'company', 'sector', 'raised'].map(many).join('&')}`,
    )
    expect(text).toContain('and 380 more')
    expect(text.length).toBeLessThan(150_000)
  })

  test('facets that are shown whole stay so while boxes of them are ticked', async () => {
    expect(await site.text('/people?more=company')).toContain(
      'type="hidden" name="more" value="company"',
    )
    expect(await site.text('/people')).not.toContain('name="more"')
  })

  test('a filter in force can be taken away by itself', async () => {
    const text = await site.text('/people?roles=founder,legal&q=a&page=1')
    expect(text).toContain('href="/people?q=a&amp;roles=legal"')
    expect(text).toContain('href="/people?roles=founder%2Clegal"')
  })
})

describe('search', () => {
  test('each kind has its own results, as many as its list has, and pages that show each of them once', async () => {
    const all = await site.text('/search?q=member')
    expect(/<strong>(\d+)/.exec(all)?.[1]).toBe('131')
    const tabs = [...all.matchAll(/kind=(\w+)">\w+ <span class="number">(\d+)/g)]
    expect(tabs.length).toBeGreaterThan(1)
    for (const [, kind, count] of tabs) {
      const { body } = await caller.get(`/v1/${kind}?q=member`)
      expect([kind, count]).toEqual([kind, String(body.total)])
    }
    const seen: string[] = []
    for (let path: string | undefined = '/search?q=member&kind=people'; path; ) {
      const text: string = await site.text(path)
      seen.push(...listed(text))
      expect(text).toContain('href="/people?q=member"')
      path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect([seen.length, new Set(seen).size]).toEqual([130, 130])
    expect(seen.every((path) => path.startsWith('/people/'))).toBe(true)
    expect(await site.text('/search?q=member&page=99')).toContain('There is no such page')
  })

  test('a person’s company is a link beside them, as on a list', async () => {
    const text = await site.text('/search?q=ada+ash')
    const row = text.slice(text.indexOf(`href="/people/${ADA.slug}"`))
    expect(row).toContain(`href="/projects/${AURORA.slug}"`)
  })

  test('finds companies in the directory that lists them', async () => {
    expect(listed(await site.text('/search?q=ember'))).toContain(`/investors/${EMBER.slug}`)
    expect(listed(await site.text('/search?q=harbor'))).toEqual([`/services/${HARBOR.slug}`])
  })

  test('an exact name comes first, whatever its kind', async () => {
    const [first, ...others] = listed(await site.text('/search?q=xu'))
    expect(first).toBe('/services/xu')
    expect(others.some((path) => path.startsWith('/people/'))).toBe(true)
  })
})

describe('profiles', () => {
  test.each([
    [`/people/${ADA.slug}`, `/people/${ADA.id}`],
    [`/projects/${AURORA.slug}`, `/projects/${AURORA.id.toUpperCase()}`],
    [`/investors/${EMBER.slug}`, `/investors/${EMBER.id}`],
    [`/services/${HARBOR.slug}`, `/services/${HARBOR.slug.toUpperCase()}`],
  ])('%s and %s are one page, known by the slug', async (path, other) => {
    const text = await site.text(path)
    expect(await site.text(other)).toBe(text)
    expect(text).toContain(`rel="canonical" href="https://chainkin.example${path}"`)
  })

  test('a company shows its team, its rounds and their investors', async () => {
    const text = await site.text(`/projects/${AURORA.slug}`)
    for (const it of [ADA.slug, BEN.slug, CLEO.slug]) expect(text).toContain(`"/people/${it}"`)
    for (const it of ['Seed round', '$2.5M', '1 Mar 2024', `"/investors/${EMBER.slug}"`]) {
      expect(text).toContain(it)
    }
    expect(text).toContain('handle changed')
  })

  test('a fund shows its portfolio', async () => {
    const text = await site.text(`/investors/${EMBER.slug}`)
    for (const { slug } of [AURORA, BOREALIS]) expect(text).toContain(`"/projects/${slug}"`)
    expect(text).toContain('120.5%')
  })

  test('contract: /projects/{id} knows a company of any kind, and leads to where it lives', async () => {
    for (const [slug, home] of [
      [GLACIER.slug, '/investors'],
      [JUNO.slug, '/services'],
    ]) {
      const { status, headers } = await site.get(`/projects/${slug}`)
      expect([status, headers.get('location')]).toEqual([301, `${home}/${slug}`])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  test('what a directory does not list is not found there', async () => {
    for (const path of [
      `/investors/${AURORA.slug}`,
      `/services/${GLACIER.slug}`,
      `/people/${AURORA.slug}`,
      `/projects/${ADA.slug}`,
      `/people/${UNKNOWN_SLUG}`,
    ]) {
      expect([path, (await site.get(path)).status]).toEqual([path, 404])
    }
    // Ember sells a service beside its fund.
    expect((await site.get(`/services/${EMBER.slug}`)).status).toBe(200)
  })

  test('which channels are on file is told, with the price of a reveal; what they say is not', async () => {
    const ben = await site.text(`/people/${BEN.slug}`)
    expect(ben).toContain('<li class="known">Email')
    expect(ben).toContain('<li class="unknown">Phone')
    expect(ben).toContain(`Reveal contact <span class="price">${REVEAL_CREDITS} credits</span>`)
    expect(await site.text(`/people/${CLEO.slug}`)).not.toContain('class="price"')
  })

  test('no page holds a private channel, also not of a contact that an account has unlocked', async () => {
    await caller.get(`/v1/people/${ADA.id}?include=private`)
    for (const path of PAGES) {
      const text = await site.text(path)
      for (const value of PRIVATE_VALUES) expect(text).not.toContain(value)
    }
  })

  test('a large team is shown in part, and how many more there are', async () => {
    const text = await site.text(`/services/${JUNO.slug}`)
    expect(listed(text)).toHaveLength(60)
    expect(text).toContain('<summary>Show 52 more</summary>')
    expect(text).toContain('And 70 more')
  })
})

describe('limits', () => {
  const COUNTED = ['/people', `/people/${ADA.slug}`, '/search?q=a', `/projects/${AURORA.slug}`]

  test('directory pages count against the address, documentation does not', async () => {
    for (const path of COUNTED) await site.get(path, {}, '2001:db8:1:2:3::4')
    for (const path of ['/', '/docs', '/credits', '/no', '/robots.txt']) {
      await site.get(path, {}, '2001:db8:1:2:3::4')
    }
    const [turn] = await service.sql`
      select count from turns where subject = 'visit address 2001:db8:1:2::/64'`
    expect(turn?.count).toBe(COUNTED.length)
  })

  test('an address that has seen its share gets a 429 that says when to come again', async () => {
    const address = '198.51.100.7'
    for (let seen = 0; seen < RATE_LIMITS.visit.address.limit; seen++) {
      await countAttempt(service.database, { kind: 'visit', address })
    }
    for (const path of COUNTED) {
      const response = await site.get(path, {}, address)
      const wait = response.headers.get('retry-after')
      expect(response.status).toBe(429)
      expect(Number(wait)).toBeGreaterThan(0)
      expect(response.headers.get('cache-control')).toBe('no-store')
      const text = await response.text()
      expect(text).toContain(`${wait} s`)
      expect(text).not.toContain(AURORA.name)
    }
  })
})
