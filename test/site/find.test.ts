/** Suggestions and the palette, as the browser's script gets them. */
import { describe, expect, test } from 'bun:test'
import { TIERS, tierHas } from '../../src/contract/tiers.ts'
import { keepList } from '../../src/people/contacts/record-lists.ts'
import { keepView } from '../../src/people/contacts/saved-views.ts'
import { RATE_LIMITS } from '../../src/people/users/rate-limiter.ts'
import { insertPerson } from '../directory/records/fixtures.ts'
import { ADA, EMBER, fixtures } from '../helpers/fixtures.ts'
import { elementsIn, MARKUP } from './elements.ts'
import { addressesIn } from './site.ts'
import { sharedTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

const suggest = (q: string) => town.site.get(`/search/suggestions?${new URLSearchParams({ q })}`)

describe('suggestions', () => {
  test('are the first eight of what the search finds, which a browser alone may show again for a minute', async () => {
    for (let n = 0; n < 10; n++) await insertPerson(service.sql, `Zed${n}`)
    await service.directory.refresh()
    const answer = await suggest('zed')
    const text = await answer.text()
    const page = await town.site.text('/search?q=zed')
    const paths = [...page.matchAll(/class="name" href="([^"]+)"/g)].map(([, path]) => String(path))
    expect(addressesIn(text)).toHaveLength(8)
    expect(addressesIn(text)).toEqual(paths.slice(0, 8))
    expect(text).toContain('data-total="10"')
    expect(answer.headers.get('cache-control')).toBe('private, max-age=60')
    expect(answer.headers.get('x-robots-tag')).toBe('noindex')
    expect((await suggest('no such name anywhere')).status).toBe(200)
  })

  test('say what each is and what tells it apart, and no private channel', async () => {
    const text = await (await suggest('ada ash')).text()
    const said = text.replaceAll(/<[^>]*>/g, '')
    expect(said).toContain('Co-Founder &amp; CEO · Aurora Protocol · 1.2K followers')
    expect(text).toContain('Person')
    for (const channel of [ADA.email, ADA.phone, ADA.telegram]) expect(text).not.toContain(channel)
    expect(await (await suggest(EMBER.name)).text()).toContain('Investor')
  })

  test('refuse what is no query, and answer nothing of it', async () => {
    for (const path of ['', '?q=', '?q=%ff', `?q=${'a'.repeat(201)}`, '?q=a&page=2']) {
      expect([path, (await town.site.get(`/search/suggestions${path}`)).status]).toEqual([
        path,
        400,
      ])
    }
    expect((await town.site.get('/search/suggestions?q=a', { method: 'POST' })).status).toBe(405)
    expect(await elementsIn(await (await suggest(MARKUP)).text())).toHaveLength(1)
  })

  test('a stranger has six for each page, and pages of their own', async () => {
    const address = '198.51.100.99'
    for (let n = 0; n < 3; n++) await town.site.get('/search/suggestions?q=ada', {}, address)
    const counted = await service.sql`
      select subject, count from turns where subject like ${`% address ${address}`}`
    expect([...counted]).toEqual([{ subject: `suggestions address ${address}`, count: 3 }])
    expect<number>(RATE_LIMITS.suggestions.address.limit).toBe(6 * RATE_LIMITS.visit.address.limit)
  })
})

describe('the palette', () => {
  const placesIn = (html: string) =>
    addressesIn(html.slice(0, html.indexOf('data-everything'))).filter((path) => path !== '/search')

  test('a stranger gets the pages that anybody may open', async () => {
    const places = placesIn(await town.site.text('/palette'))
    expect(places).toContain('/sign-in')
    expect(places.length).toBeGreaterThan(6)
    for (const path of places) {
      expect([path, (await town.site.get(path)).status]).toEqual([path, 200])
    }
  })

  test('on every plan each place opens, and none says that another plan is needed', async () => {
    const opened = new Set<string>()
    for (const tier of TIERS) {
      const someone = await town.customer(1_000, tier)
      const places = placesIn(await someone.text('/palette'))
      for (const path of ['/contacts', '/keys', '/sign-out']) expect(places).toContain(path)
      expect(places.includes('/workspace')).toBe(tierHas(tier, 'workspace'))
      // Larger plans open the same pages.
      for (const path of places.filter((path) => !opened.has(path))) {
        const answer = await someone.get(path)
        expect([tier, path, answer.status]).toEqual([tier, path, 200])
        expect([tier, path, (await answer.text()).includes('It comes with')]).toEqual([
          tier,
          path,
          false,
        ])
        opened.add(path)
      }
    }
  })

  test('has the lists and views of the account, as text, and of nobody else', async () => {
    const someone = await town.customer(0, 'free')
    const { database } = service
    const list = await keepList(database, someone.accountId, MARKUP)
    const view = { list: 'people', name: 'Founders', query: 'roles=founder' }
    const paths = [`/lists/${list}`, `/views/${await keepView(database, someone.accountId, view)}`]
    const own = await someone.text('/palette')
    for (const path of paths) expect(placesIn(own)).toContain(path)
    expect((await elementsIn(own)).map(({ tag }) => tag)).not.toContain('script')
    for (const other of [await town.customer(0, 'free'), town.visitor()]) {
      const places = placesIn(await other.text('/palette'))
      for (const path of paths) expect(places).not.toContain(path)
    }
  })
})
