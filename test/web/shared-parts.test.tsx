/** @jsxImportSource hono/jsx */
/** Parts of pages that many readers share: made once, of what everybody may see, until the directory changes. */
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Directory } from '../../src/directory/directory.ts'
import { importRows } from '../../src/import/import.ts'
import { Shared } from '../../src/web/components/part.tsx'
import { wholeOf } from '../../src/web/directory/one-moment.ts'
import {
  type SharedContext,
  type SharedPart,
  sharedPart,
} from '../../src/web/directory/shared-part.ts'
import { renderHtml } from '../../src/web/http/html.ts'
import { ADA, AURORA, EMBER } from '../helpers/fixtures.ts'
import { sharedSite, testSite } from './site.ts'

/** A directory that changes, and the rendering of a part of it. */
function parts() {
  let moment = {}
  const seen = { read: 0, rendered: 0 }
  const context = (base: string): SharedContext => ({
    directory: { moment: () => moment } as Directory,
    href: (path) => base + path,
  })
  const read = (name: string, text: string, base = '') =>
    wholeOf(
      sharedPart(context(base), name, function* () {
        yield
        seen.read++
        return text
      }),
    )
  const element = (part: SharedPart<string>) => (
    <Shared part={part}>
      {(read) => {
        seen.rendered++
        if (read === 'fail') throw new Error('failed')
        return <b>{read}</b>
      }}
    </Shared>
  )
  const render = (name: string, text: string, base = '') =>
    renderHtml(element(read(name, text, base)))
  const change = () => {
    moment = {}
  }
  return { seen, read, element, render, change }
}

test('D169: a part is read and rendered once, whoever asks, until the directory changes', async () => {
  const { seen, render, change } = parts()
  expect(await render('one', 'a < b')).toBe('<b>a &lt; b</b>')
  expect(await render('one', 'another')).toBe('<b>a &lt; b</b>')
  expect(seen).toEqual({ read: 1, rendered: 1 })
  change()
  expect(await render('one', 'another')).toBe('<b>another</b>')
  expect(seen).toEqual({ read: 2, rendered: 2 })
})

test('D41: what was read before a change is not shown after it, though it is rendered then', async () => {
  const { read, element, render, change } = parts()
  const before = read('one', 'before')
  change()
  expect(await render('two', 'after')).toBe('<b>after</b>')
  expect(await renderHtml(element(before))).toBe('<b>before</b>')
  expect(await render('one', 'after')).toBe('<b>after</b>')
})

test('D169: parts of other names and of other applications are others', async () => {
  const { render } = parts()
  expect(await render('one', '1')).toBe('<b>1</b>')
  expect(await render('two', '2')).toBe('<b>2</b>')
  expect(await render('one', '3', '/below')).toBe('<b>3</b>')
  expect(await render('one', '4')).toBe('<b>1</b>')
})

test('D169: a part that failed is not kept, and its error is that of the page', async () => {
  const { seen, render } = parts()
  await expect(render('one', 'fail')).rejects.toThrow('failed')
  expect(await render('one', 'well')).toBe('<b>well</b>')
  expect(seen.rendered).toBe(2)
})

test('parts that fail beside a failing component end nothing', async () => {
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)
  process.on('unhandledRejection', note)
  const { read, element } = parts()
  const Broken = (): never => {
    throw new Error('at once')
  }
  const page = (
    <div>
      {['one', 'two'].map((name) => element(read(name, 'fail')))}
      <Broken />
    </div>
  )
  await expect(renderHtml(page)).rejects.toThrow('at once')
  for (let turns = 0; turns < 20; turns++) await turn()
  process.off('unhandledRejection', note)
  expect(uncaught).toEqual([])
})

test('D169: no more is kept than 16 million characters: what was not asked for longest goes first', async () => {
  const { seen, render } = parts()
  const long = 'x'.repeat(2 ** 20)
  for (let number = 0; number < 40; number++) {
    await render(`part ${number}`, long)
    await render('often', 'asked for often')
  }
  expect(seen.rendered).toBe(41)
  for (const number of [39, 26]) await render(`part ${number}`, long)
  expect(seen.rendered).toBe(41)
  for (const number of [0, 20]) await render(`part ${number}`, long)
  expect(seen.rendered).toBe(43)
})

const { service, site } = sharedSite()
const BOX = 'class="select"'

/** The site as somebody of this name sees it, whose account is new. */
function siteOf(name: string) {
  const session = {
    ...{ id: crypto.randomUUID(), role: 'owner' },
    user: { id: crypto.randomUUID(), name, email: `${name}@example.com`, isOperator: false },
    account: {
      ...{ id: crypto.randomUUID(), name, organization: null, tier: 'free' },
      ...{ creditsBalance: 0, suspensionReason: null },
    },
  }
  const users = { session: async () => session } as never
  return testSite(service, { application: { users } })
}

test('D169: of two who are signed in, the second sees nothing of the first, who had the page made', async () => {
  const [first, second] = [await siteOf('Firstreader'), await siteOf('Secondreader')]
  const profiles = [`/projects/${AURORA.slug}`, `/investors/${EMBER.slug}`, `/people/${ADA.slug}`]
  for (const path of ['/people', '/projects', '/investors', '/services', ...profiles]) {
    const page = await first.text(path)
    expect([path, page.includes('Firstreader')]).toEqual([path, true])
    const other = await second.text(path)
    expect([path, other.includes('Firstreader')]).toEqual([path, false])
  }
})

test('D169: an address has its own part for each of its parameters', async () => {
  await importRows(
    service.database,
    'companies',
    Array.from({ length: 30 }, (_, n) => ({
      name: `Varied ${n}`,
      slug: `varied-${n}`,
      companyType: 'project',
      sectors: `Sector ${n}`,
    })),
  )
  await service.directory.refresh()
  const view = crypto.randomUUID()
  const BASE = '/projects?q=varied'
  const asked = {
    [BASE]: '<a href="/projects?q=varied&amp;more=sector',
    [`${BASE}&more=sector`]: 'Fewer',
    [`${BASE}&limit=7`]: 'page=2&amp;limit=7',
    [`${BASE}&view=${view}`]: `view=${view}&amp;`,
    [`${BASE}&sort=name`]: 'aria-sort="ascending"',
  }
  for (let time = 0; time < 2; time++) {
    for (const [path, own] of Object.entries(asked)) {
      const page = await site.text(path)
      const having = Object.values(asked).filter((mark) => page.includes(mark))
      expect([path, having.includes(own)]).toEqual([path, true])
    }
  }
  const rows = (await site.text(`${BASE}&limit=7`)).split('<th scope="row">').length - 1
  expect(rows).toBe(7)
})

test('D169: who is not signed in gets no boxes of a list that was made for somebody who is, and the other way round', async () => {
  const signedIn = await siteOf('Ann')
  for (const path of ['/projects', '/investors', '/services']) {
    for (let time = 0; time < 2; time++) {
      expect([path, (await signedIn.text(path)).includes(BOX)]).toEqual([path, true])
      expect([path, (await site.text(path)).includes(BOX)]).toEqual([path, false])
    }
  }
})

test('D169: what was changed shows at once in lists, facets, similar companies and connections that were kept', async () => {
  const rows = (sector: string, suffix: string) =>
    ['One', 'Two', 'Three'].map((name) => ({
      name: `Kept ${name}${suffix}`,
      slug: `kept-${name.toLowerCase()}`,
      companyType: 'project',
      sectors: sector,
    }))
  const put = async (sector: string, suffix: string) => {
    await importRows(service.database, 'companies', rows(sector, suffix))
    await importRows(service.database, 'people', [
      { firstName: 'Kim', lastName: `Kept${suffix}`, slug: 'kim-kept', company: 'kept-one' },
    ])
    await service.directory.refresh()
  }
  const PATHS = ['/projects?q=kept', '/projects/kept-one', '/people/kim-kept']
  await put('Keeping', '')
  const before = await Promise.all(PATHS.map((path) => site.text(path)))
  expect(await Promise.all(PATHS.map((path) => site.text(path)))).toEqual(before)
  for (const page of before) expect(page).toContain('Kept One')
  expect(before[1]).toContain('Similar companies')
  expect(before[2]).toContain('Connections')
  await put('Changing', ' Again')
  const [list = '', company = '', person = ''] = await Promise.all(
    PATHS.map((path) => site.text(path)),
  )
  expect(list).toContain('Kept Two Again')
  expect(list).toContain('value="Changing"')
  expect(list).not.toContain('value="Keeping"')
  for (const name of ['Kept Two Again', 'Kept Three Again', 'Kim Kept Again']) {
    expect(company).toContain(name)
  }
  expect(person).toContain('Kept One Again')
  expect(person).not.toContain('Kept One<')
})
