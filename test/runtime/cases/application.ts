/** The application host: pages for people, the OpenAPI document for programs. */
import { expect } from 'bun:test'
import type { Stage } from '../stage.ts'

const HTML = 'text/html; charset=utf-8'

export function applicationCases(stage: Stage) {
  stage.check('pages are HTML, and all that they load is there to be kept for ever', async () => {
    const loaded = new Set<string>()
    for (const path of ['/', '/docs', '/docs/reference/getPerson', '/docs/errors', '/credits']) {
      const page = await stage.app(path)
      expect([path, page.status, page.headers['content-type']]).toEqual([path, 200, HTML])
      expect(page.headers['content-security-policy']).toContain("default-src 'none'")
      for (const [, asset = ''] of page.text.matchAll(/(?:href|src)="[^"]*(\/assets\/[^"]+)"/g)) {
        loaded.add(asset)
      }
    }
    expect(loaded.size).toBeGreaterThan(1)
    for (const path of loaded) {
      const asset = await stage.app(path)
      expect([path, asset.status]).toEqual([path, 200])
      expect(asset.headers['cache-control']).toContain('immutable')
    }
  })

  stage.check('the documentation is searched by its page and by the browser’s script', async () => {
    const { text } = await stage.app('/docs')
    const [, script = ''] = /data-script-src="([^"]+)"/.exec(text) ?? []
    const [, index = ''] = /data-index-src="([^"]+)"/.exec(text) ?? []
    expect((await stage.app(script)).text).toContain('MiniSearch')
    expect((await stage.app(index)).body.documentCount).toBeGreaterThan(100)
    const page = await stage.app('/docs/find?q=idempotancy')
    expect(page.text).toContain('<li><a href="/docs/retries#idempotency">')
  })

  stage.check('every page of the documentation is Markdown too, as llms.txt lists it', async () => {
    const { text } = await stage.app('/llms.txt')
    const pages = [...text.matchAll(/\]\([^)]*?(\/docs[^)]*\.md)\)/g)].map(([, path = '']) => path)
    expect(pages.length).toBeGreaterThan(20)
    for (const path of pages) {
      const page = await stage.app(path)
      expect([path, page.status, page.text.startsWith('# ')]).toEqual([path, 200, true])
    }
  })

  stage.check('/openapi.json names the server and every endpoint that /v1/me lists', async () => {
    const { body } = await stage.app('/openapi.json')
    expect(body.servers[0].url).toBe(stage.server.apiUrl)
    const me = await stage.get('/v1/me', await stage.reader())
    const listed = me.body.endpoints.map(({ path }: { path: string }) => path)
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(listed))
  })

  stage.check('texts are compressed for who takes gzip, the same text inside', async () => {
    const plain = await stage.app('/openapi.json')
    const packed = await stage.app('/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } })
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ])
    expect(packed.text).toBe(plain.text)
    expect(Number(packed.headers['content-length'])).toBeLessThan(plain.text.length / 2)
  })

  stage.check('what is known already is a 304 without a body', async () => {
    const { headers } = await stage.app('/docs/errors')
    const again = await stage.app('/docs/errors', {
      headers: { 'If-None-Match': headers.etag ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  stage.check('a path that it does not know is an HTML 404, every /v1 path included', async () => {
    for (const path of ['/v1/me', '/v1/people', '/nothing', '/docs/nothing']) {
      const { status, headers, text } = await stage.app(path)
      expect([path, status, headers['content-type']]).toEqual([path, 404, HTML])
      expect(text).toStartWith('<!doctype html>')
    }
  })

  stage.check('HEAD has no body; other methods are a 405 with Allow', async () => {
    const head = await stage.app('/docs', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const post = await stage.app('/docs', { method: 'POST', body: 'a=b' })
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
}
