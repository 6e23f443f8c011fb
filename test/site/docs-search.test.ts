/** The search of the documentation: what a reader would type finds the right section, in the browser as on the server. */
import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import MiniSearch from 'minisearch'
import { ERRORS } from '../../src/contract/errors.ts'
import { makeScript, SCRIPT } from '../../src/server/build/scripts.ts'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import type { OpenApi } from '../../src/site/docs/openapi.ts'
import { placeOf } from '../../src/site/docs/record-sections.ts'
import { INDEX_OPTIONS, MAX_RESULTS, searchDocs } from '../../src/site/docs/search-matching.ts'
import { elementsIn, expectNoMarkup, MARKUP } from './elements.ts'
import { textIn } from './reading.ts'
import { openapi, sharedSite, type TestSite, testSite } from './site.ts'

const { service, site } = sharedSite()

/** What is typed, and the section that must come first. */
const QUERIES: readonly [query: string, first: string][] = [
  ['reveal_cap_exceeded', '/docs/errors#reveal_cap_exceeded'],
  ['reveal cap exceeded', '/docs/errors#reveal_cap_exceeded'],
  ['key cap exceeded', '/docs/errors#key_cap_exceeded'],
  ['Idempotency-Key', '/docs/retries#idempotency'],
  ['idempotancy', '/docs/retries#idempotency'],
  ['/v1/people', '/docs/reference/listPeople'],
  ['GET /v1/people/{id}', '/docs/reference/getPerson'],
  ['include=private', '/docs/reveals#costs'],
  ['X-RateLimit-Remaining', '/docs/limits#headers'],
  ['ratelimit', '/docs/limits#headers'],
  ['rate limit', '/docs/errors#rate_limited'],
  ['retry after', '/docs/limits#headers'],
  ['402', '/docs/errors#insufficient_credits'],
  ['How do I rotate a key?', '/docs/authentication#keep'],
  ['how much does a reveal cost', '/docs/reveals#costs'],
  ['pagination', '/docs/paging#pages'],
  ['sorting', '/docs/paging'],
  ['facets', '/docs/paging#facets'],
  ['auth', '/docs/authentication'],
  ['versions', '/docs/versions'],
  ['csv export', '/docs/credits#application'],
  ['Person', '/docs/records#record-Person'],
  ['creditsCharged', '/docs/records#record-Meta'],
  ['openapi', '/docs/reference'],
  ['console', '/docs/reference#console'],
  ['test server', '/docs/testing#test-server'],
  ['vitest', '/docs/testing#test-examples'],
  ['credit_limit_reached', '/docs/client#client-errors'],
  ['maxCredits', '/docs/client#client-pages'],
  ['api key', '/docs#key'],
  ['errors', '/docs/errors'],
  ['errors of /v1/people', '/docs/reference/listPeople#errors'],
]

const indexPathIn = (html: string) => /data-index-src="([^"]*)"/.exec(html)?.[1] ?? ''

/** The index as a browser loads it. */
async function loadedFrom({ text, get }: Pick<TestSite, 'text' | 'get'>) {
  const answer = await get(indexPathIn(await text('/docs')))
  return MiniSearch.loadJSON(await answer.text(), INDEX_OPTIONS)
}

const found = async (q: string) =>
  searchDocs(await loadedFrom(site), q).results.map(({ href }) => href)

/** Links of the results on the page that answers the form. */
const linksIn = (html: string) =>
  [...(html.split('<ul class="results">').at(-1) ?? '').matchAll(/<li><a href="([^"]*)"/g)].map(
    ([, href]) => href,
  )

describe('what a reader types', () => {
  test.each(QUERIES)('%s finds first %s', async (query, first) => {
    expect((await found(query))[0]).toBe(first)
  })

  test('names of endpoints, errors, parameters, headers and fields find where they are explained', async () => {
    const { paths, components } = openapi as object as OpenApi
    const index = await loadedFrom(site)
    const search = (q: string) => searchDocs(index, q).results.map(({ href }) => href)
    for (const [path, { get }] of Object.entries(paths)) {
      expect([path, search(path)[0]]).toEqual([path, `/docs/reference/${get.operationId}`])
    }
    for (const code of Object.keys(ERRORS)) {
      expect([code, search(code)[0]]).toEqual([code, `/docs/errors#${code}`])
    }
    for (const name of Object.keys(components.headers)) {
      expect([name, search(name).includes('/docs/reference#headers')]).toEqual([name, true])
    }
    // Facets and errors have a section of their own beside their record's.
    const isFound = (q: string, href: string) => search(q).slice(0, 2).includes(href)
    for (const [name, { properties = {} }] of Object.entries(components.schemas)) {
      const href = `${placeOf(openapi as object as OpenApi, name)}#record-${name}`
      expect([name, isFound(name, href)]).toEqual([name, true])
      for (const field of Object.keys(properties)) {
        expect([name, field, isFound(`${name} ${field}`, href)]).toEqual([name, field, true])
      }
    }
  })

  test.each(['xqzt blorf', 'wombat', '???', 'the', ' '])('%j finds nothing', async (query) => {
    expect(await found(query)).toEqual([])
  })

  test('the count says if not all matches are listed', async () => {
    const count = async (q: string) =>
      /<p class="count" role="status">([^<]+)/.exec(await site.text(`/docs/find?q=${q}`))?.[1]
    const { results, total } = searchDocs(await loadedFrom(site), 'credits')
    expect([results.length, total > MAX_RESULTS]).toEqual([MAX_RESULTS, true])
    expect(await count('credits')).toBe(`First ${MAX_RESULTS} of ${total}`)
    expect(await count('vitest')).toMatch(/^\d+ found$/)
  })

  test('sections with most words match if none has every word', async () => {
    expect((await found('wombat pagination'))[0]).toBe('/docs/paging#pages')
  })

  test('sections that every endpoint’s page has are listed once', async () => {
    const index = await loadedFrom(site)
    for (const query of ['errors', 'parameters', 'example', 'limits']) {
      const titles = searchDocs(index, query)
        .results.filter(({ href }) => href.startsWith('/docs/reference/'))
        .map(({ title }) => title)
      expect(titles.length).toBeGreaterThan(0)
      expect([query, titles]).toEqual([query, [...new Set(titles)]])
    }
  })

  test('the passage that answers is quoted, with its words marked', async () => {
    const [first] = searchDocs(await loadedFrom(site), 'never overlap').results
    expect(first?.href).toBe('/docs/paging#pages')
    const marked = first?.excerpt.filter(({ isMarked }) => isMarked)
    expect(marked?.map(({ text }) => text)).toEqual(['never', 'overlap'])
    const quoted = first?.excerpt.map(({ text }) => text).join('') ?? ''
    expect(quoted).toContain('so pages never overlap')
    expect(quoted.length).toBeLessThan(200)
  })
})

describe('the index', () => {
  test('is made of the pages: every section, where it is, with the words that it has there', async () => {
    const { storedFields, documentIds } = (await loadedFrom(site)).toJSON()
    const sections = Object.entries(documentIds).map(([id, href]) => ({
      href: String(href),
      ...(storedFields as Record<string, { title: string; text: string }>)[id],
    }))
    expect(sections.length).toBeGreaterThan(100)
    for (const { path } of DOCUMENTS) {
      const html = await site.text(path)
      const words = new Set(textIn(html).match(/[\p{L}\p{N}]+/gu))
      const ids = (await elementsIn(html)).flatMap(({ attributes }) =>
        attributes.flatMap(([name, value]) => (name === 'id' ? value : [])),
      )
      const own = sections.filter(({ href }) => href.split('#')[0] === path)
      expect([path, own[0]?.href]).toEqual([path, path])
      for (const { href, title = '', text = '' } of own) {
        const [, anchor] = href.split('#')
        if (anchor !== undefined) expect(ids).toContain(anchor)
        // As the page reads: nothing is torn apart or run together.
        expect(text).not.toMatch(/ [,;)]| \.$/)
        for (const word of `${title} ${text}`.match(/[\p{L}\p{N}]+/gu) ?? []) {
          expect([href, word, words.has(word)]).toEqual([href, word, true])
        }
      }
    }
  })

  test('is one for the server and the browser: both answer every query alike', async () => {
    const index = await loadedFrom(site)
    for (const [query] of [...QUERIES, ['wombat pagination'], ['private']] as const) {
      const html = await site.text(`/docs/find?${new URLSearchParams({ q: query })}`)
      const here = searchDocs(index, query).results
      expect([query, linksIn(html)]).toEqual([query, here.map(({ href }) => href)])
      expect(here.length).toBeLessThanOrEqual(MAX_RESULTS)
      const quoted = [...html.matchAll(/<span class="excerpt">(.*?)<\/span>/g)]
        .map(([, excerpt = '']) => excerpt)
        .filter((excerpt) => excerpt !== '')
      expect(quoted.map((excerpt) => [...excerpt.matchAll(/<mark>(.*?)<\/mark>/g)].length)).toEqual(
        here.map(({ excerpt }) => excerpt.filter(({ isMarked }) => isMarked).length),
      )
    }
  })

  test('is small, kept for ever and compressed; the hash of another version is a 404', async () => {
    const path = indexPathIn(await site.text('/docs'))
    const packed = await site.get(path, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(packed.headers.get('cache-control')).toContain('immutable')
    // 37,100 bytes by gzip, loaded when somebody begins to type; a page of the documentation adds about 900.
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan(40_000)
    const other = await site.get(`${path}x`)
    expect([other.status, other.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect((await site.get(path, { method: 'POST' })).status).toBe(405)
  })

  test('has another address where a text is another one, and the links of its site', async () => {
    const moved = await testSite(service, { appUrl: 'https://chainkin.example/app' })
    const html = await moved.text('/docs')
    const path = indexPathIn(html).replace(/^\/app/, '')
    expect(path).not.toBe(indexPathIn(await site.text('/docs')))
    const index = MiniSearch.loadJSON(await (await moved.get(path)).text(), INDEX_OPTIONS)
    expect(searchDocs(index, 'pagination').results[0]?.href).toBe('/app/docs/paging#pages')
  })
})

describe('without script', () => {
  test('every page of the documentation has the form, which /docs/find answers', async () => {
    for (const { path } of [...DOCUMENTS, { path: '/docs/find?q=a' }]) {
      const html = await site.text(path)
      expect(html).toMatch(/<form [^>]*action="\/docs\/find"/)
      expect(html).toMatch(/<label for="docs-q">[^<]+<\/label><input id="docs-q" [^>]*name="q"/)
    }
    const html = await site.text('/docs/find?q=page+size')
    expect(html).toMatch(/id="docs-q"[^>]* value="page size"/)
    expect(html).toContain('<meta name="robots" content="noindex"/>')
  })

  test('what is typed stays text, within 200 characters, and is never logged', async () => {
    const address = (q: string) => `/docs/find?${new URLSearchParams({ q })}`
    await expectNoMarkup('/docs/find', await site.text(address(MARKUP)))
    expect((await site.get(address('ä'.repeat(200)))).status).toBe(200)
    expect((await site.get(address('a'.repeat(201)))).status).toBe(400)
    expect((await site.get('/docs/find?q=a&q=b')).status).toBe(400)
    expect(await site.text(address('wombat'))).toContain('Nothing matches.')
    expect(site.logged).toEqual([])
  })
})

describe('the script', () => {
  test('is of these sources: where it is not, `bun run scripts` makes it', async () => {
    expect(await readFile(SCRIPT, 'utf8')).toBe(await makeScript())
  })

  test('is small, and loaded by none but pages of the documentation', async () => {
    const address = /data-script-src="([^"]*)"/.exec(await site.text('/docs'))?.[1] ?? ''
    const packed = await site.get(address, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('cache-control')).toContain('immutable')
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan(10_000)
    expect(await site.text('/people')).not.toContain('docs-search')
    expect(await site.text('/docs')).not.toContain(`src="${address}" defer`)
  })
})
