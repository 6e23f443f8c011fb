/** @jsxImportSource hono/jsx */
/** Parts of pages that many readers share: made once, of what everybody may see, until the directory changes. */
import { expect, test } from 'bun:test'
import type { Directory } from '../../src/directory/directory.ts'
import { importRows } from '../../src/import/import.ts'
import { Shared } from '../../src/web/components/part.tsx'
import { wholeOf } from '../../src/web/directory/one-moment.ts'
import { type SharedContext, sharedPart } from '../../src/web/directory/shared-part.ts'
import { renderHtml } from '../../src/web/http/html.ts'
import { sharedSite, testSite } from './site.ts'

/** A directory that changes, and the rendering of a part of it. */
function parts() {
  let moment = {}
  const seen = { read: 0, rendered: 0 }
  const context = (base: string): SharedContext => ({
    directory: { moment: () => moment } as Directory,
    href: (path) => base + path,
  })
  const render = (name: string, text: string, base = '') => {
    const part = wholeOf(
      sharedPart(context(base), name, function* () {
        yield
        seen.read++
        return text
      }),
    )
    return renderHtml(
      <Shared part={part}>
        {(read) => {
          seen.rendered++
          if (read === 'fail') throw new Error('failed')
          return <b>{read}</b>
        }}
      </Shared>,
    )
  }
  const change = () => {
    moment = {}
  }
  return { seen, render, change }
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

test('D169: no more is kept than some megabytes: what was not asked for goes first', async () => {
  const { seen, render } = parts()
  const long = 'x'.repeat(2 ** 20)
  for (let number = 0; number < 40; number++) {
    await render(`part ${number}`, long)
    await render('often', 'asked for often')
  }
  expect(seen.rendered).toBe(41)
  await render('part 39', long)
  expect(seen.rendered).toBe(41)
  await render('part 0', long)
  expect(seen.rendered).toBe(42)
})

const { service, site } = sharedSite()
const BOX = 'class="select"'

test('D169: who is not signed in gets no boxes of a list that was made for somebody who is, and the other way round', async () => {
  const session = {
    ...{ id: crypto.randomUUID(), role: 'owner' },
    user: { id: crypto.randomUUID(), name: 'Ann', email: 'ann@example.com', isOperator: false },
    account: {
      ...{ id: crypto.randomUUID(), name: 'Ann', organization: null, tier: 'free' },
      ...{ creditsBalance: 0, suspensionReason: null },
    },
  }
  const users = { session: async () => session } as never
  const signedIn = await testSite(service, { application: { users } })
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
