/** The application host: D39, its pages, what they may load and what they escape. */
import { describe, expect, test } from 'bun:test'
import { ERRORS } from '../../src/api/errors.ts'
import { openApiDocument } from '../../src/api/openapi.ts'
import { documentedPath, ENDPOINTS } from '../../src/metering/prices.ts'
import { PLANS, TIER_RULES } from '../../src/metering/tiers.ts'
import { createWeb } from '../../src/web/app.ts'

const site = {
  baseUrl: 'https://api.chainkin.example',
  appUrl: 'https://chainkin.example',
  serviceName: 'Chainkin',
}
const openapi = await openApiDocument(site)
const web = createWeb({ ...site, openapi })

const PAGES = ['/', '/docs', '/docs/credits', '/docs/errors', '/credits']

function get(path: string, init: RequestInit = {}, host = web): Promise<Response> {
  return host(new Request(`http://127.0.0.1:3001${path}`, init))
}

async function textOf(path: string, host = web): Promise<string> {
  return (await get(path, {}, host)).text()
}

/** Every address that a page loads or links to. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/\b(?:href|src|action|data-document)="([^"]*)"/g)].map(([, it]) => it!)
}

describe('D39', () => {
  test.each([
    ['GET', '/v1/people'],
    ['GET', '/v1/me'],
    ['POST', '/v1/projects'],
    ['DELETE', '/v1/people/ada'],
    ['OPTIONS', '/v1/search'],
    ['GET', '/v1'],
    ['GET', '/no-such-page'],
    ['GET', '/docs/'],
    ['GET', '/assets/'],
    ['GET', '/assets/../package.json'],
    ['POST', '/no-such-page'],
    ['GET', '/%00'],
    ['GET', '/%ff'],
  ])('%s %s is an HTML 404', async (method, path) => {
    const response = await get(path, { method, headers: { authorization: 'Bearer ck_live_x' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await response.text()
    expect(text).toStartWith('<!doctype html>')
    expect(text).toContain(site.baseUrl)
  })

  test.each(PAGES)('%s is a page', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('<html lang="en">')
    expect(text.match(/<title>[^<]+<\/title>/g)).toHaveLength(1)
  })

  test('/openapi.json is the document', async () => {
    const response = await get('/openapi.json')
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(await response.json()).toEqual(openapi)
  })

  test('HEAD answers as GET does, without a body', async () => {
    for (const path of [...PAGES, '/openapi.json', '/v1/me']) {
      const [head, full] = await Promise.all([get(path, { method: 'HEAD' }), get(path)])
      expect(head.status).toBe(full.status)
      expect([...head.headers]).toEqual([...full.headers])
      expect(await head.text()).toBe('')
    }
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s on a page is a 405', async (method) => {
    const response = await get('/docs', { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})

describe('what pages load', () => {
  test('every response forbids what it does not need', async () => {
    for (const path of [...PAGES, '/openapi.json', '/v1/me', '/robots.txt']) {
      const { headers } = await get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toStartWith("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe/)
      expect(policy.includes('script-src')).toBe(path === '/docs')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  test('every address is one of this host, and answers', async () => {
    for (const path of [...PAGES, '/no-such-page']) {
      for (const address of addressesIn(await textOf(path))) {
        expect(address).toMatch(/^(\/|#)/)
        if (address.startsWith('#')) continue
        expect([address, (await get(address)).status]).toEqual([address, 200])
      }
    }
  })

  test('styles load nothing from elsewhere', async () => {
    const sheets = addressesIn(await textOf('/docs')).filter((path) => path.endsWith('.css'))
    expect(sheets).toHaveLength(3)
    for (const path of sheets) {
      expect(await textOf(path)).not.toMatch(/@import|url\((?!\s*["']?data:)/)
    }
  })

  test('no page has a script or style of its own', async () => {
    for (const path of PAGES) {
      const text = await textOf(path)
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle="|\son\w+="/)
    }
  })

  test('assets are kept for ever, pages are asked for again', async () => {
    const page = await get('/docs')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const etag = page.headers.get('etag') ?? ''
    expect((await get('/docs', { headers: { 'if-none-match': etag } })).status).toBe(304)
    for (const path of addressesIn(await page.text()).filter((it) => it.startsWith('/assets/'))) {
      expect((await get(path)).headers.get('cache-control')).toContain('immutable')
    }
  })

  test('large texts are compressed where the client takes it', async () => {
    const script = addressesIn(await textOf('/docs')).find((path) => path.endsWith('.js')) ?? ''
    const plain = await get(script)
    const packed = await get(script, { headers: { 'accept-encoding': 'br, gzip' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const unpacked = packed.body?.pipeThrough(new DecompressionStream('gzip'))
    expect(await new Response(unpacked).text()).toBe(await plain.text())
    const refused = await get(script, { headers: { 'accept-encoding': 'gzip;q=0' } })
    expect(refused.headers.get('content-encoding')).toBeNull()
  })
})

describe('what pages say', () => {
  test('every error code has its section, where error.docs points', async () => {
    const text = await textOf('/docs/errors')
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(text).toContain(`id="${code}"`)
      expect(text).toContain(`<code>${code}</code> <span class="status">${status}</span>`)
    }
    expect(text).toContain('Bearer &lt;API_KEY&gt;')
  })

  test('prices and limits are those of the tables', async () => {
    const text = await textOf('/docs/credits')
    for (const { path } of Object.values(ENDPOINTS)) {
      expect(text).toContain(`<code>GET ${documentedPath(path)}</code>`)
    }
    for (const { tier, rateLimit } of Object.values(TIER_RULES)) {
      expect(text).toMatch(
        new RegExp(`<code>${tier}</code></th>\\s*<td class="number">${rateLimit} `),
      )
    }
  })

  test('plans are those of the table', async () => {
    const text = await textOf('/credits')
    for (const { usdPerMonth, credits, extras } of Object.values(PLANS)) {
      if (usdPerMonth !== null) expect(text).toContain(`$${usdPerMonth}<`)
      if (credits !== null) expect(text).toContain(`>${credits.toLocaleString('en-US')}<`)
      expect(text).toContain(extras)
    }
  })

  test('a hostile service name stays text on every page', async () => {
    const serviceName = `"><script>alert('x')</script><img src=x onerror=y>&amp;`
    const hostile = createWeb({ ...site, serviceName, openapi })
    for (const path of [...PAGES, '/no-such-page']) {
      const text = await textOf(path, hostile)
      expect(text).not.toContain('<script>')
      expect(text).not.toContain('<img src=x')
      expect(text).toContain('&lt;script&gt;')
      expect(text).toContain('&amp;amp;')
    }
  })

  test('links keep the path that a proxy gives the application', async () => {
    const moved = createWeb({ ...site, appUrl: 'https://chainkin.example/app', openapi })
    const addresses = addressesIn(await textOf('/docs', moved))
    expect(addresses.filter((it) => !it.startsWith('#'))).not.toHaveLength(0)
    for (const address of addresses) expect(address).toMatch(/^(#|\/app\/)/)
  })
})
