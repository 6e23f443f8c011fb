/** Facets of lists: values beyond those that are shown are found by a search, and names of any direction stay apart. */
import { describe, expect, test } from 'bun:test'
import { VALUES_MAX } from '../../src/directory/records/facets.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { testSite } from './site.ts'

const SECTORS = 150
const ARABIC = 'شركة السلسلة 12'

/** Sector 0 is the rarest: the last of all by which one could look for it. */
const service = sharedService(async (database) => {
  const projects = Array.from({ length: SECTORS }, (_, i) => ({
    externalId: `p${i}`,
    slug: `p${i}`,
    name: `Project ${i}`,
    companyType: 'project',
    sectors: Array.from({ length: 12 }, (_, n) => `Sector ${Math.min(SECTORS - 1, i + n)}x`),
  }))
  const arabic = {
    externalId: 'a',
    slug: 'arabic',
    name: ARABIC,
    companyType: 'project',
    aiSummary: `${ARABIC} وصف`,
    sectors: [ARABIC, 'DeFi'],
    domain: 'arabic.example',
  }
  expect((await importRows(database, 'companies', [...projects, arabic])).refusals).toEqual([])
  const people = [{ externalId: 'p', firstName: ARABIC, jobTitle: ARABIC, company: 'arabic' }]
  expect((await importRows(database, 'people', people)).refusals).toEqual([])
})
const site = shared(() => testSite(service))

/** The part of a page that is this facet. */
const facetIn = (html: string, name: string) =>
  new RegExp(`<fieldset class="facet" id="facet-${name}">.*?</fieldset>`, 's').exec(html)?.[0] ?? ''
const valuesIn = (facet: string) =>
  [...facet.matchAll(/type="checkbox"[^>]*value="([^"]*)"/g)].map(([, value]) => value)
const open = async (query: string) => facetIn(await site.text(`/projects?${query}`), 'sector')

describe('a search within a facet', () => {
  test('stands where there are more than twenty, and finds those that are not among the most frequent', async () => {
    expect(await open('')).not.toContain('name="within"')
    const whole = await open('more=sector')
    expect(whole).toContain('aria-label="Search within Sector"')
    expect(valuesIn(whole)).toHaveLength(VALUES_MAX)
    expect(valuesIn(whole)).not.toContain('Sector 0x')
    const found = await open('more=sector&within=sector+0X')
    expect(valuesIn(found)).toEqual(['Sector 0x'])
    expect(found).toContain('<bdi>Sector 0x</bdi> <span class="number">1</span>')
    expect(found).toContain('value="sector 0X"')
    expect(facetIn(await site.text('/projects?more=kind'), 'kind')).not.toContain('name="within"')
  })

  test('keeps what is ticked with its count, says where none has the text, and leads back', async () => {
    const ticked = await open('more=sector&within=sector+0x&sector=Sector+140x')
    expect(valuesIn(ticked).sort()).toEqual(['Sector 0x', 'Sector 140x'])
    expect(ticked).toMatch(
      /value="Sector 140x" checked=""\/><bdi>Sector 140x<\/bdi> <span class="number">12</,
    )
    const none = await open('more=sector&within=nothing+of+this')
    expect([valuesIn(none), none.includes('None has this.')]).toEqual([[], true])
    expect(none).toContain('name="within"')
    expect(none).toContain('Fewer<span')
  })

  test('is no filter: the list, its links, exports and views are those without it', async () => {
    const page = await site.text('/projects?more=sector&within=0x&sector=DeFi')
    expect(page).toContain(`<strong>1</strong> of ${SECTORS + 1} projects`)
    expect(page.replace(/<form.*?<\/form>/gs, '').match(/href="[^"]*within=/)).toBeNull()
  })
})

test('names in another direction are isolated: in rows, their descriptions, facets and filters', async () => {
  const projects = await site.text(`/projects?sector=${encodeURIComponent(ARABIC)}`)
  const people = await site.text('/people?company=arabic')
  const isolated = `<bdi>${ARABIC}</bdi>`
  expect(projects).toContain(`<a class="name" href="/projects/arabic">${isolated}</a>`)
  expect(projects).toContain('<bdi class="domain">arabic.example</bdi> · <bdi>')
  expect(projects).toContain(`/>${isolated} <span class="number">`)
  expect(projects).toContain(`${isolated} <span aria-hidden="true">×</span>`)
  for (const page of [projects, people]) {
    const text = page.replace(/<title>.*?<\/title>/s, '').replaceAll(/<bdi[^>]*>[^<]*<\/bdi>/g, '')
    expect(text.replaceAll(/<[^>]*>/g, ' ')).not.toContain('شركة')
  }
})
