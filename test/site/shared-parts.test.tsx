/** @jsxImportSource hono/jsx */
/** Parts of pages that many readers share: made once, of what everybody may see, until the directory changes. */
import { expect, test } from 'bun:test'
import type { Directory } from '../../src/directory/records/directory.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { renderHtml } from '../../src/site/http/html.ts'
import {
  Shared,
  type SharedContext,
  type SharedPart,
  sharedPart,
} from '../../src/site/ui/shared-part.ts'
import { ADA, AURORA, EMBER, HARBOR } from '../helpers/fixtures.ts'
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
    sharedPart(context(base), name, () => {
      seen.read++
      return text
    })
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

test('a part is read and rendered once, whoever asks, until the directory changes', () => {
  const { seen, render, change } = parts()
  expect(render('one', 'a < b')).toBe('<b>a &lt; b</b>')
  expect(render('one', 'another')).toBe('<b>a &lt; b</b>')
  expect(seen).toEqual({ read: 1, rendered: 1 })
  change()
  expect(render('one', 'another')).toBe('<b>another</b>')
  expect(seen).toEqual({ read: 2, rendered: 2 })
})

test('what was read before a change is not shown after it, though it is rendered then', () => {
  const { read, element, render, change } = parts()
  const before = read('one', 'before')
  change()
  expect(render('two', 'after')).toBe('<b>after</b>')
  expect(renderHtml(element(before))).toBe('<b>before</b>')
  expect(render('one', 'after')).toBe('<b>after</b>')
})

test('parts of other names and of other applications are others', () => {
  const { render } = parts()
  expect(render('one', '1')).toBe('<b>1</b>')
  expect(render('two', '2')).toBe('<b>2</b>')
  expect(render('one', '3', '/below')).toBe('<b>3</b>')
  expect(render('one', '4')).toBe('<b>1</b>')
})

test('a part that failed is not kept, and its error is that of the page', () => {
  const { seen, render } = parts()
  expect(() => render('one', 'fail')).toThrow('failed')
  expect(render('one', 'well')).toBe('<b>well</b>')
  expect(seen.rendered).toBe(2)
})

test('no more is kept than 16 million characters: what was not asked for longest goes first', () => {
  const { seen, render } = parts()
  const long = 'x'.repeat(2 ** 20)
  for (let number = 0; number < 40; number++) {
    render(`part ${number}`, long)
    render('often', 'asked for often')
  }
  expect(seen.rendered).toBe(41)
  for (const number of [39, 26]) render(`part ${number}`, long)
  expect(seen.rendered).toBe(41)
  for (const number of [0, 20]) render(`part ${number}`, long)
  expect(seen.rendered).toBe(43)
})

const { service, site } = sharedSite()

/** Of somebody whose account is new. */
const sessionOf = (name: string) => ({
  id: crypto.randomUUID(),
  role: 'owner',
  user: { id: crypto.randomUUID(), name, email: `${name}@example.com`, isOperator: false },
  account: {
    id: crypto.randomUUID(),
    name,
    organization: null,
    tier: 'free',
    creditsBalance: 0,
    suspensionReason: null,
  },
})

/** A page without what each of its forms has of its own. */
const withoutTokens = (page: string) =>
  page.replace(/name="(csrf|idempotencyKey)" value="[^"]*"/g, 'name="$1"')

test('whoever had a part made, everybody sees the page that they would see without it', async () => {
  await importRows(
    service.database,
    'companies',
    Array.from({ length: 30 }, (_, n) => ({
      name: `Varied ${n}`,
      slug: `varied-${n}`,
      companyType: 'project',
      sectors: `Sector ${n % 15}`,
    })),
  )
  // Nobody can reveal one without channels, so that only who is signed in has a box; and of the other kind, with the same id.
  await importRows(service.database, 'people', [
    { id: AURORA.id, firstName: 'Without', lastName: 'Channels', slug: 'without-channels' },
  ])
  await service.directory.refresh()
  const lists = ['/people', '/projects', '/investors', '/services']
  const asked = ['', '?limit=7', '?more=sector', '?sort=name', '?q=a', '?page=2&limit=3']
  const others = ['?sector=Sector 1', `?view=${crypto.randomUUID()}`, '?q=with boxes']
  const paths = [
    ...lists.flatMap((list) => [...asked, ...others].map((query) => list + encodeURI(query))),
    ...[`/projects/${AURORA.slug}`, '/projects/varied-1', `/investors/${EMBER.slug}`],
    ...[`/people/${ADA.slug}`, '/people/without-channels', `/services/${HARBOR.slug}`],
  ]
  // Each look at it is another moment, so that nothing is kept.
  const restless = new Proxy(service.directory, {
    get: (directory, name) => (name === 'moment' ? () => ({}) : Reflect.get(directory, name)),
  })
  const environment = { PAGES_PER_MINUTE: '1000', PAGES_PER_DAY: '1000' }
  const readers = await Promise.all(
    [undefined, sessionOf('Ann'), sessionOf('Bo')].map(async (session) => {
      const options = {
        environment,
        application: { users: { session: async () => session } as never },
      }
      return {
        name: session?.user.name,
        kept: await testSite(service, options),
        fresh: await testSite({ ...service, directory: restless }, options),
      }
    }),
  )
  for (const path of paths) {
    for (const { name, kept, fresh } of [...readers, ...readers]) {
      const [page, own] = [await kept.get(path), await fresh.get(path)]
      expect([path, name, page.status]).toEqual([path, name, 200])
      const texts = await Promise.all([page.text(), own.text()])
      expect([path, name, withoutTokens(texts[0])]).toEqual([path, name, withoutTokens(texts[1])])
    }
  }
})

test('what was changed shows at once in lists, facets, similar companies and connections that were kept', async () => {
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
