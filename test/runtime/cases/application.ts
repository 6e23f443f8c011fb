/** The application host: pages for people, documents for programs, pictures, and calls of the documentation's console. */
import { expect } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Received } from '../../contract/world.ts'
import { startHostileHost } from '../../directory/pictures/hostile-host.ts'
import { formIn } from '../../site/reading.ts'
import type { Stage } from '../stage.ts'

const LIST = '/docs/reference/listPeople'
const CONSOLE = `${LIST}#answered`

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

  stage.check('a call of the console is charged as any other, and once for its form', async () => {
    const { load, submit } = visitor(stage)
    const member = { name: 'Cora', email: 'cora@example.com', password: 'correct horse battery' }
    await submit('/sign-up', await load('/sign-up', member))
    const label = { label: 'console', scopes: 'read:metadata' }
    await submit('/keys', await load('/keys', label))
    const { text } = await submit(LIST)
    const [, keyId = ''] = /<option value="([^"]+)"[^>]*>console /.exec(text) ?? []
    const form = await load(LIST, { keyId, limit: '1' }, CONSOLE)
    expect((await submit(LIST, form)).text).toContain(
      '5 credits were charged. 245 credits are left.',
    )
    expect((await submit(LIST, form)).text).toContain('This was charged before; nothing more was.')
  })

  stage.check(
    'image refresh: a logo that is got is shown and served, one that is none is named',
    async () => {
      const host = await startHostileHost()
      try {
        const rows = ['/good.png', '/bomb.png'].map((path, n) => ({
          name: `Pictured ${n}`,
          slug: `pictured-${n}`,
          companyType: 'project',
          logoUrl: host.url(path, '127.0.0.1'),
        }))
        const input = rows.map((row) => JSON.stringify(row)).join('\n')
        expect((await stage.command(['import', '--companies', '-'], { input })).code).toBe(0)
        const refresh = await stage.command(['image', 'refresh', '--json'], {
          env: { PICTURE_NETWORKS: '127.0.0.1' },
        })
        expect(refresh.stderr).toContain('60000 × 60000 pixels: 4096 a side are taken')
        // Of the fixtures three name pictures, at hosts that there are not.
        expect(refresh.json()).toMatchObject({ got: 1, failed: 1 + 3, left: 0 })

        let address = ''
        while (address === '') {
          const page = await stage.app('/projects/pictured-0')
          address = /src="(\/pictures\/[^"]+)"/.exec(page.text)?.[1] ?? ''
          if (address === '') await pause(50)
        }
        const picture = await stage.app(address)
        expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/webp'])
      } finally {
        await host.stop()
      }
    },
  )
}

/** Somebody with a browser's cookies. */
function visitor(stage: Stage) {
  const cookies = new Map<string, string>()

  async function submit(path: string, form?: URLSearchParams): Promise<Received> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const received = await stage.app(path, {
      headers: { ...(cookie && { Cookie: cookie }), ...(form && type) },
      ...(form && { method: 'POST', body: String(form) }),
    })
    const set = received.headers['set-cookie'] ?? ''
    for (const [, name = '', value = ''] of set.matchAll(/(\w*ck_\w+)=([^;,]*)/g))
      cookies.set(name, value)
    return received
  }

  /** A page's form with its hidden fields, filled in. */
  async function load(path: string, fields: Record<string, string>, action = path) {
    const form = formIn((await submit(path)).text, action)
    if (!form) throw new Error(`${path} has no form`)
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return form
  }

  return { load, submit }
}
