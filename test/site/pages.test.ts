/** The application host: its pages, their headers, what they load and where they lead. */
import { describe, expect, test } from 'bun:test'
import { type JsonObject, openApi31 } from '../../src/api/openapi/schemas.ts'
import { COMMIT } from '../../src/commit.ts'
import { API_VERSION } from '../../src/contract/version.ts'
import type { Users } from '../../src/people/users/users.ts'
import type { Document } from '../../src/site/docs/document.ts'
import { documentPage } from '../../src/site/docs/document-page.tsx'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import { exampleValues, withExamples } from '../../src/site/docs/example-values.ts'
import type { OpenApi } from '../../src/site/docs/openapi.ts'
import { renderHtml } from '../../src/site/http/html.ts'
import type { PageContext, Site } from '../../src/site/http/page.ts'
import { ROUTES } from '../../src/site/routes.ts'
import { addressesIn, openapi, PAGES, SITE, sharedSite, testSite } from './site.ts'

const { service, site } = sharedSite()

const HTML = 'text/html; charset=utf-8'

const signedInAs = (name: string) => ({
  id: `session of ${name}`,
  user: { id: 'u', name, email: 'ada@example.com', emailVerified: true },
  account: { id: 'a', name, organization: null, tier: 'free', creditsBalance: 5 },
  role: 'owner',
})

/** Everybody who asks is whom the function names just then; undefined is not signed in. */
const usersOf = (session: object | undefined | (() => object | undefined)) =>
  ({
    session: async () => (typeof session === 'function' ? session() : session),
  }) as unknown as Users

describe('the host of the application', () => {
  test.each([
    ['GET', '/v1/people'],
    ['GET', '/v1/me'],
    ['POST', '/v1/projects'],
    ['DELETE', '/v1/people/ada'],
    ['OPTIONS', '/v1/search'],
    ['GET', '/v1'],
    ['GET', '/no-such-page'],
    ['GET', '/docs/'],
    ['GET', '/people/'],
    ['GET', '/people/ada-ashford/'],
    ['GET', '/assets/'],
    ['GET', '/assets/../package.json'],
    ['POST', '/no-such-page'],
    ['GET', '/%00'],
    ['GET', '/%ff'],
    ['GET', '/people/nobody'],
    ['GET', '/__proto__'],
  ])('%s %s is an HTML 404', async (method, path) => {
    const headers = { authorization: 'Bearer ck_live_x' }
    const response = await site.get(path, { method, headers })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe(HTML)
    expect(await response.text()).toStartWith('<!doctype html>')
  })

  test('the 404 of a call that was meant for the API says where the API is', async () => {
    expect(await site.text('/v1/people')).toContain(SITE.baseUrl)
  })
})

test.each([
  ['/plans', '/credits'],
  ['/pricing', '/credits'],
  ['/usage?key=1&day=2', '/balance?key=1&day=2'],
  ['/login', '/sign-in'],
  ['/signup?ref=abc', '/sign-up?ref=abc'],
])('%s, typed by hand, leads to %s with what is asked for', async (path, target) => {
  for (const method of ['GET', 'HEAD']) {
    const response = await site.get(path, { method, redirect: 'manual' })
    const location = new URL(response.headers.get('location') ?? '', SITE.appUrl)
    expect([response.status, location.pathname + location.search]).toEqual([303, target])
  }
  expect((await site.get(path, { method: 'POST' })).status).toBe(405)
})

test('/health tells whoever watches that calls are taken, and how far the directory is', async () => {
  const response = await site.get('/health')
  const { position, counts } = service.directory
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(await response.json()).toEqual({
    status: 'ok',
    version: API_VERSION,
    ...(COMMIT && { commit: COMMIT }),
    position,
    counts,
  })
  const head = await site.get('/health', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await site.get('/health', { method: 'POST' })).status).toBe(405)
})

test('the home page says how many people, companies and rounds are on record', async () => {
  const { people, companies, rounds } = service.directory.counts
  const home = await site.text('/')
  expect(home).toContain(`${people} people, ${companies} companies and ${rounds} funding round`)
})

describe('every page', () => {
  test.each(PAGES)('%s is HTML with one title and one heading', async (path) => {
    const response = await site.get(path)
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('content-type')).toBe(HTML)
    const text = await response.text()
    expect(text).toContain('<html lang="en">')
    // Pictures in the page have titles of their own.
    const [head = ''] = text.split('</head>')
    expect(head.match(/<title>[^<]+<\/title>/g)).toHaveLength(1)
    expect(text.match(/<h1[ >]/g)).toHaveLength(1)
  })

  test.each(PAGES)('%s answers HEAD as GET, without a body', async (path) => {
    const [head, full] = await Promise.all([site.get(path, { method: 'HEAD' }), site.get(path)])
    expect(head.status).toBe(full.status)
    expect([...head.headers]).toEqual([...full.headers])
    expect(await head.text()).toBe('')
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s on a page is an HTML 405', async (method) => {
    const isPosted = (path: string) =>
      ROUTES.some(
        (it) => it.post && new RegExp(`^${it.path.replace(/:\w+/, '[^/]+')}(\\?|$)`).test(path),
      )
    const paths = PAGES.filter((path) => !isPosted(path))
    expect(paths.length).toBeGreaterThan(15)
    for (const path of [...paths, '/openapi.json', '/robots.txt', '/sitemap.xml']) {
      const response = await site.get(path, { method })
      expect([path, response.status]).toEqual([path, 405])
      expect(response.headers.get('allow')).toBe('GET, HEAD')
      expect(response.headers.get('content-type')).toBe(HTML)
    }
  })

  test('an address beyond 8 KiB is an HTML 414', async () => {
    const response = await site.get(`/search?q=${'a'.repeat(9_000)}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([414, HTML])
  })

  test('what nobody foresaw is a 500 that says no internals, and the log knows its number', async () => {
    const broken = new Proxy(service.directory, {
      get: () => () => {
        throw new Error('secret detail')
      },
    })
    const { get, logged } = await testSite({ ...service, directory: broken })
    const response = await get('/people')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).not.toContain('secret')
    const [, id] = /number: ([0-9a-f-]{36})/.exec(text) ?? []
    expect(logged.join()).toContain(id ?? 'no number on the page')
  })
})

test('what fails while a long page is written is a 500 as well', async () => {
  // The last of many rows, long after the page's first piece: a description that is no text.
  const headers = Object.fromEntries(
    Array.from({ length: 50 }, (_, row) => [`x-${row}`, { description: row < 49 ? 'a' : 49 }]),
  )
  const { components, ...rest } = openapi as unknown as { components: object }
  const broken = { ...rest, components: { ...components, headers } }
  const { get, logged } = await testSite(service, { openapi: broken })
  const response = await get('/docs/reference')
  const text = await response.text()
  expect([response.status, text.match(/<h1>[^<]*/g)]).toEqual([500, ['<h1>Something went wrong']])
  expect(logged.join()).toContain('at prose')
})

describe('headers', () => {
  test('every response forbids what it does not need', async () => {
    for (const path of [...PAGES, '/openapi.json', '/v1/me', '/robots.txt', '/people?sort=no']) {
      const { headers } = await site.get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; ")
      for (const rule of ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(rule)
      }
      expect(policy).not.toMatch(/https?:|\*|unsafe|data:/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('set-cookie')).toBeNull()
    }
  })

  test('assets are kept for ever, pages are asked for again and answered 304 where they are the same', async () => {
    for (const path of PAGES) {
      const page = await site.get(path)
      expect(page.headers.get('cache-control')).toBe('no-cache')
      expect(page.headers.get('vary')).toContain('Cookie')
      const etag = page.headers.get('etag') ?? ''
      const again = await site.get(path, { headers: { 'if-none-match': etag } })
      expect([path, again.status, await again.text()]).toEqual([path, 304, ''])
    }
    for (const path of addressesIn(await site.text('/docs/reference'))) {
      if (!path.startsWith('/assets/')) continue
      expect((await site.get(path)).headers.get('cache-control')).toContain('immutable')
    }
  })

  test('a page for somebody who is signed in is kept by nobody', async () => {
    const signedIn = await testSite(service, { application: { users: usersOf(signedInAs('Ada')) } })
    for (const path of PAGES) {
      const { headers } = await signedIn.get(path)
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store'])
      expect(headers.get('etag')).toBeNull()
    }
  })

  test('large texts are compressed where the client takes it', async () => {
    const plain = await site.get('/docs/errors')
    const headers = { 'accept-encoding': 'br, gzip' }
    const packed = await site.get('/docs/errors', { headers })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const unpacked = packed.body?.pipeThrough(new DecompressionStream('gzip'))
    expect(await new Response(unpacked).text()).toBe(await plain.text())
    const refused = await site.get('/docs/errors', { headers: { 'accept-encoding': 'gzip;q=0' } })
    expect(refused.headers.get('content-encoding')).toBeNull()
    for (const [accepted, encoding] of [
      ['br, *', 'gzip'],
      ['identity, gzip;q=0.5', null],
    ] as const) {
      const init = { headers: { 'accept-encoding': accepted } }
      const answer = await site.get('/docs/errors', init)
      expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, encoding])
    }
  })
})

describe('pages that are the same for everybody', () => {
  test('their text is rendered once for each site', async () => {
    let rendered = 0
    const document: Document = {
      path: '/docs',
      title: 'Any',
      lead: 'Any.',
      get text() {
        rendered++
        return 'the text'
      },
    }
    const visit = async (site: Site) => {
      const { directory } = service
      const context = { site, openapi, directory, href: (path: string) => path } as PageContext
      return renderHtml((await documentPage(document, context)).main)
    }
    const [one, other] = [{ ...SITE }, { ...SITE }]
    expect(await visit(one)).toContain('<p>the text</p>')
    expect(await visit(one)).toBe(await visit(one))
    expect(rendered).toBe(1)
    await visit(other)
    expect(rendered).toBe(2)
  })

  // An endpoint's page has a console of who looks: `docs-console.test.ts`.
  const paths = DOCUMENTS.filter(({ endpoint }) => !endpoint).map(({ path }) => path)
  const partsOf = (html: string) => {
    const [before = '', rest = ''] = html.split('<main ')
    const [main = '', after = ''] = rest.split('</main>')
    return { main, frame: before + after }
  }

  test.each(paths)(
    '%s has one main for all, in the frame of whoever looks, whoever came first',
    async (path) => {
      const visitors = [undefined, signedInAs('Ada Ashford'), signedInAs('Bo <Berg>')]
      const seen: { name: string | undefined; main: string; frame: string }[] = []
      for (const order of [visitors, visitors.toReversed()]) {
        let visitor: (typeof visitors)[number]
        const { text } = await testSite(service, { application: { users: usersOf(() => visitor) } })
        for (visitor of order) seen.push({ name: visitor?.user.name, ...partsOf(await text(path)) })
      }
      expect(new Set(seen.map(({ main }) => main)).size).toBe(1)
      expect(seen[0]?.main).toContain('<h1>')
      for (const { name, frame } of seen) {
        expect(frame).not.toContain('<slot')
        expect(frame.includes('>Sign in</a>')).toBe(name === undefined)
        expect(frame.includes('<bdi class="who">Ada Ashford</bdi>')).toBe(name === 'Ada Ashford')
        expect(frame.includes('<bdi class="who">Bo &lt;Berg&gt;</bdi>')).toBe(name === 'Bo <Berg>')
      }
    },
  )
})

describe('what pages load, and where they lead', () => {
  test('every link within the application leads to a page, from whichever page one starts', async () => {
    const seen = new Set(['/'])
    const anchors: [string, string][] = []
    for (const path of seen) {
      const response = await site.get(path)
      const location = response.headers.get('location')
      if (location?.startsWith('/sign-in?returnUrl=')) {
        seen.add(location)
        continue
      }
      // The address of a form without its fields: nobody is selected.
      expect([path, response.status]).toEqual([path, path === '/reveal' ? 400 : 200])
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue
      for (const address of addressesIn(await response.text())) {
        if (address.startsWith('https://')) continue
        const { pathname, search, hash } = new URL(address, `http://app.test${path}`)
        if (hash !== '') anchors.push([pathname + search, hash.slice(1)])
        seen.add(pathname + search)
      }
    }
    expect(seen.size).toBeGreaterThan(45)
    const pages = new Map<string, string>()
    for (const [path, anchor] of anchors) {
      const text = pages.get(path) ?? (await site.text(path))
      pages.set(path, text)
      expect(text).toContain(`id="${anchor}"`)
    }
  })

  test('nothing is loaded from elsewhere: scripts, styles, pictures and forms are of this host', async () => {
    for (const path of [...PAGES, '/no-such-page']) {
      const text = await site.text(path)
      const loaded = [
        ...text.matchAll(
          /<(?:script|img|link|form|iframe|source)\b[^>]*?\s(?:src|href|action)="([^"]*)"/g,
        ),
      ].map(([tag, address]) => ({ tag, address }))
      const outside = loaded.filter(
        ({ tag, address }) => !address!.startsWith('/') && !tag.includes('rel="canonical"'),
      )
      expect(outside).toEqual([])
      expect(loaded.length).toBeGreaterThan(3)
    }
  })

  test('styles load nothing from elsewhere', async () => {
    const sheets = addressesIn(await site.text('/docs/reference')).filter((it) =>
      it.endsWith('.css'),
    )
    expect(sheets.length).toBeGreaterThan(0)
    for (const path of sheets) {
      expect(await site.text(path)).not.toMatch(/@import|url\((?!\s*["']?data:)/)
    }
  })

  test('no page has a script or style of its own', async () => {
    for (const path of [...PAGES, '/no-such-page']) {
      const text = await site.text(path)
      // JSON-LD is data: browsers run nothing of it, and the policy would stop it if they did.
      const markup = text.replaceAll('<script type="application/ld+json">', '')
      expect(markup).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle="|\son\w+="/)
    }
  })

  test('links keep the path that a proxy gives the application', async () => {
    const moved = await testSite(service, { appUrl: 'https://chainkin.example/app' })
    for (const path of PAGES) {
      const addresses = addressesIn(await moved.text(path))
      expect(addresses).not.toHaveLength(0)
      for (const address of addresses) expect(address).toMatch(/^(#|\?|\/app(\/|$)|https:\/\/)/)
    }
  })

  test('/openapi.json is the document, with the directory’s examples, for tools on other hosts too', async () => {
    const response = await site.get('/openapi.json')
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const document = withExamples(openapi as object as OpenApi, exampleValues(service.directory))
    expect(await response.json()).toEqual(document)
    const newer = await site.get('/openapi-3.1.json')
    expect(newer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await newer.json()).toEqual(openApi31(document as object as JsonObject))
  })

  test('a hostile service name stays text on every page', async () => {
    const serviceName = `"><script>alert('x')</script><img src=x onerror=y>&amp;`
    const hostile = await testSite(service, { serviceName })
    for (const path of [...PAGES, '/no-such-page']) {
      const text = await hostile.text(path)
      expect(text).not.toContain('<script>')
      expect(text).not.toContain('<img src=x')
      expect(text).toContain('&lt;script&gt;')
      expect(text).toContain('&amp;amp;')
    }
  })
})
