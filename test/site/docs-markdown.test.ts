/** The documentation for programs that read: the same texts as Markdown, found by `llms.txt`. */
import { describe, expect, test } from 'bun:test'
import { ERRORS } from '../../src/contract/errors.ts'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import { exampleValues } from '../../src/site/docs/example-values.ts'
import { exampleUrl } from '../../src/site/docs/examples.tsx'
import { code, prose } from '../../src/site/docs/markdown.ts'
import { MarkdownText } from '../../src/site/docs/markdown-text.tsx'
import { renderHtml } from '../../src/site/http/html.ts'
import { textIn } from './reading.ts'
import { SITE, sharedSite, testSite } from './site.ts'

const { service, site } = sharedSite()

const PATHS = DOCUMENTS.map(({ path }) => path)
const MARKDOWN = 'text/markdown; charset=utf-8'
const wordsIn = (text: string) => new Set(text.match(/[\p{L}\p{N}]+/gu))

describe('the documentation as Markdown', () => {
  test('every page is Markdown at its address with .md, with the words of the page', async () => {
    for (const { path, title } of DOCUMENTS) {
      const response = await site.get(`${path}.md`)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        MARKDOWN,
      ])
      const markdown = await response.text()
      expect(markdown).toStartWith(`# ${title}\n\n`)
      const html = await site.text(path)
      expect(html).toContain(`<h1>${title}</h1>`)
      const [, head = ''] = /<header class="text">(.*?)<\/header>/s.exec(html) ?? []
      const words = wordsIn(textIn(head + html.split('<article')[1]))
      // A link's address is no word of the page.
      for (const word of wordsIn(markdown.replace(/\]\([^)]*\)/g, '').replace(/^```\w+$/gm, ''))) {
        expect([path, word, words.has(word)]).toEqual([path, word, true])
      }
    }
  })

  test('what a page explains is in it: parameters, programs, codes with their cures', async () => {
    const markdown = await (await site.get('/docs/reference/getPerson.md')).text()
    expect(markdown).toContain('| `include` | "private" |')
    for (const tag of ['sh', 'ts', 'python', 'go', 'json'])
      expect(markdown).toContain(`\n\`\`\`${tag}\n`)
    expect(markdown).toContain(
      `url := "${exampleUrl('person', SITE.baseUrl, exampleValues(service.directory))}"`,
    )
    expect(markdown).toContain('| 403 [missing_scope](')
    const errors = await (await site.get('/docs/errors.md')).text()
    for (const [code, { cure }] of Object.entries(ERRORS)) {
      expect(errors).toContain(`## \`${code}\``)
      expect(errors).toContain(cure)
    }
  })

  test('whoever prefers the type gets it at the page’s own address, and caches know', async () => {
    const markdown = await (await site.get('/docs/errors.md')).text()
    for (const accept of [
      'text/markdown',
      'text/markdown, text/html;q=0.9, */*;q=0.1',
      'text/html;q=0.5, Text/Markdown;q=0.8',
      'text/html;q=0.2,text/markdown;q=0.2',
    ]) {
      const response = await site.get('/docs/errors', { headers: { accept } })
      expect([accept, response.headers.get('content-type')]).toEqual([accept, MARKDOWN])
      expect(await response.text()).toBe(markdown)
      expect(response.headers.get('vary')).toContain('Accept,')
    }
    for (const accept of [
      '*/*',
      'text/html',
      'text/html, text/markdown;q=0.9',
      'text/markdown;q=0',
      'text/markdown;q=x',
    ]) {
      const response = await site.get('/docs/errors', { headers: { accept } })
      expect([accept, response.headers.get('content-type')]).toEqual([
        accept,
        'text/html; charset=utf-8',
      ])
      expect(response.headers.get('vary')).toContain('Accept,')
      expect(response.headers.get('link')).toBe(
        '</docs/errors.md>; rel="alternate"; type="text/markdown"',
      )
    }
    const other = await site.get('/people', { headers: { accept: 'text/markdown' } })
    expect(other.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test('llms.txt names the service and leads to every page; llms-full.txt holds them all', async () => {
    const list = await (await site.get('/llms.txt')).text()
    expect(list).toStartWith(`# ${SITE.serviceName}\n\n> `)
    const links = [...list.matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => link)
    expect(links.slice(0, PATHS.length).sort()).toEqual(
      PATHS.map((path) => `${SITE.appUrl}${path}.md`).sort(),
    )
    for (const link of links) {
      expect([link, (await site.get(link.replace(SITE.appUrl, ''))).status]).toEqual([link, 200])
    }
    const full = await (await site.get('/llms-full.txt')).text()
    for (const { title } of DOCUMENTS) expect(`\n${full}`).toContain(`\n# ${title}\n`)
    // What pages say alike is in it once.
    expect(full).not.toContain('Values and their records')
    expect(full.split('\n### Person\n').length + full.split('\n## Person\n').length).toBe(3)
  })

  test('links are whole, also where a proxy gives the application a path', async () => {
    const moved = await testSite(service, { appUrl: 'https://chainkin.example/app' })
    for (const path of [...PATHS.map((each) => `${each}.md`), '/llms.txt', '/llms-full.txt']) {
      const response = await moved.get(path)
      for (const [, link] of (await response.text()).matchAll(/\]\(([^)]*)\)/g)) {
        expect([path, link]).toEqual([
          path,
          expect.stringMatching(/^https:\/\/chainkin\.example\/app\//),
        ])
      }
    }
  })

  test('is kept and asked for as any text: HEAD, 304, 405', async () => {
    for (const path of ['/docs.md', '/llms.txt', '/llms-full.txt']) {
      const { headers } = await site.get(path)
      const etag = headers.get('etag') ?? ''
      expect((await site.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
      expect(await (await site.get(path, { method: 'HEAD' })).text()).toBe('')
      expect((await site.get(path, { method: 'POST' })).status).toBe(405)
    }
  })

  test('text that would be a mark or a tag stays text', async () => {
    expect(prose('a *b* [c](d) <e> `f*` \\g _h_ i_j')).toBe(
      'a \\*b\\* \\[c\\](d) \\<e> `f*` \\\\g \\_h\\_ i_j',
    )
    const text = '<b>a</b> `<i>` c\n\n<script>d</script>'
    expect(await renderHtml(await MarkdownText({ text }))).not.toMatch(/<(b|i|script)>/)
    expect([code('a'), code('a`b')]).toEqual(['`a`', '`` a`b ``'])
  })
})
