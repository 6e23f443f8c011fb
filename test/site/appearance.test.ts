/** Light, dark or the system's colours: chosen by a form, read by the server, 3:1 where a picture is to be told from its ground. */
import { describe, expect, test } from 'bun:test'
import { themeCookie } from '../../src/site/http/theme.ts'
import { formIn, textIn } from './reading.ts'
import { addressesIn, SITE } from './site.ts'
import { sharedTown } from './visitor.ts'

const { town } = sharedTown()

describe('the colours of pages', () => {
  test('a choice holds on every page at once, for strangers too, until the system’s are chosen', async () => {
    const visitor = town.visitor()
    const themeAt = async (path: string) => {
      const page = await visitor.text(path)
      const [, theme = ''] = /<html lang="en"(?: data-theme="(\w+)")?>/.exec(page) ?? []
      const [, scheme] = /<meta name="color-scheme" content="([^"]+)"/.exec(page) ?? []
      return [theme, scheme]
    }
    const set = (theme: string) => visitor.submit('/appearance', { theme })
    expect(await themeAt('/')).toEqual(['', 'light dark'])
    for (const theme of ['dark', 'light']) {
      const answer = await set(theme)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/appearance?said=set'])
      for (const path of ['/', '/docs', '/sign-in', '/no-such-page']) {
        expect([path, ...(await themeAt(path))]).toEqual([path, theme, theme])
      }
      expect(await visitor.text('/appearance')).toMatch(
        new RegExp(`value="${theme}"[^>]*checked=""`),
      )
    }
    await set('system')
    expect([...visitor.cookies.keys()]).not.toContain('__Host-ck_theme')
    expect(await themeAt('/')).toEqual(['', 'light dark'])
  })

  test('a page of other colours is another to whoever keeps it', async () => {
    const cookie = '__Host-ck_theme=dark'
    const etag = (await town.site.get('/docs')).headers.get('etag') ?? ''
    const headers = { cookie, 'if-none-match': etag }
    expect((await town.site.get('/docs', { headers })).status).toBe(200)
  })

  test('anything else is refused beside the field, and a cookie that says it is none', async () => {
    const answer = await town.visitor().submit('/appearance', { theme: '"><b>' })
    expect([answer.status, textIn(await answer.text())]).toEqual([
      422,
      expect.stringContaining('Light, dark or system.'),
    ])
    for (const cookie of [
      ...['__Host-ck_theme="><script>', '__Host-ck_theme=system', 'x__Host-ck_theme=dark'],
      // As it was set before the application was at https.
      'ck_theme=dark',
    ]) {
      const page = await (await town.site.get('/docs', { headers: { cookie } })).text()
      expect(page).toContain('<html lang="en">')
    }
  })

  test('the form leads back to the page before, and nowhere else', async () => {
    const backFrom = async (referer: string) => {
      const page = await (await town.site.get('/appearance', { headers: { referer } })).text()
      return formIn(page, '/appearance')?.get('returnUrl') ?? null
    }
    expect(await backFrom(`${SITE.appUrl}/people?q=ada&page=2`)).toBe('/people?q=ada&page=2')
    for (const elsewhere of ['', 'x', `${SITE.appUrl}/appearance?said=set`, 'https://a.test//b']) {
      expect(await backFrom(elsewhere)).toBeNull()
    }
  })

  test('its cookie is the browser’s alone, bound to the host over https', () => {
    expect(themeCookie('dark', 'https://app.test')).toBe(
      '__Host-ck_theme=dark; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax',
    )
    expect(themeCookie(undefined, 'http://app.test')).toStartWith('ck_theme=; Max-Age=0;')
  })
})

test('what charts draw, fields’ borders and marks are 3:1 on their ground, in light and in dark', async () => {
  const sheet = addressesIn(await town.site.text('/')).find((it) => it.endsWith('.css')) ?? ''
  const css = await town.site.text(sheet)
  const named = (name: string) => {
    const found = css.matchAll(new RegExp(`${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`, 'g'))
    return [...found].map(([, light = '', dark = '']) => [light, dark])
  }
  const hues = named('--hue')
  expect(hues).toHaveLength(6)
  const drawn = [...hues, ...['--accent', '--strong-line', '--focus'].flatMap(named)]
  // Plots stand on raised ground, small charts and the marks of fields on the page's own too.
  for (const ground of ['--raised', '--paper'].flatMap(named)) {
    for (const colour of drawn) {
      const ratios = colour.map((it, i) => contrast(it, ground[i] ?? ''))
      expect([colour, ratios.every((ratio) => ratio >= 3)]).toEqual([colour, true])
    }
  }
})

/** By WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
