/** Metadata for search engines and previews: Open Graph, JSON-LD, the sitemap. */
import { describe, expect, test } from 'bun:test'
import { imageSize } from 'image-size'
import { importAll } from '../../src/intake/import/import.ts'
import { ADA, AURORA, DORADO, EMBER } from '../helpers/fixtures.ts'
import { dataIn } from './elements.ts'
import { sharedSite } from './site.ts'

const { service, site } = sharedSite()

describe('what search engines and previews read', () => {
  const dataOf = async (path: string) => JSON.parse(dataIn(await site.text(path))[0] ?? '{}')

  test('a profile says in JSON-LD what its page shows, with links to itself and to public pages', async () => {
    expect(await dataOf(`/projects/${AURORA.slug}`)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Organization',
      name: AURORA.name,
      url: `https://chainkin.example/projects/${AURORA.slug}`,
      description: AURORA.aiSummary,
      sameAs: ['https://aurora.example', 'https://x.com/auroraprotocol', AURORA.linkedinUrl],
      funder: [EMBER, DORADO].map(({ name, slug, companyType }) => ({
        '@type': 'Organization',
        name,
        url: `https://chainkin.example/${companyType === 'investor' ? 'investors' : 'projects'}/${slug}`,
      })),
    })
    expect(await dataOf(`/people/${ADA.slug}`)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Person',
      name: 'Ada Ashford',
      url: `https://chainkin.example/people/${ADA.slug}`,
      jobTitle: ADA.jobTitle,
      worksFor: {
        '@type': 'Organization',
        name: AURORA.name,
        url: `https://chainkin.example/projects/${AURORA.slug}`,
      },
      sameAs: ['https://x.com/ada_ashford'],
    })
  })

  test('a preview has the title, the description, the one address and a picture that is there', async () => {
    const text = await site.text(`/people/${ADA.slug}`)
    const said = new Map(
      [...text.matchAll(/<meta property="og:([\w:]+)" content="([^"]*)"/g)].map(
        ([, name = '', content = '']) => [name, content.replaceAll('&amp;', '&')],
      ),
    )
    expect(Object.fromEntries(said)).toMatchObject({
      title: 'Ada Ashford',
      description: `Ada Ashford, ${ADA.jobTitle}, ${AURORA.name}`,
      type: 'profile',
      url: `https://chainkin.example/people/${ADA.slug}`,
      site_name: 'Chainkin',
    })
    const picture = await site.get(new URL(said.get('image') ?? '').pathname)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    const bytes = new Uint8Array(await picture.arrayBuffer())
    expect([...bytes.subarray(1, 4)]).toEqual([...'PNG'].map((letter) => letter.charCodeAt(0)))
    // Previews need at least 200 pixels a side, and the true size.
    const { width = 0, height = 0 } = imageSize(bytes)
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(200)
    expect([said.get('image:width'), said.get('image:height')]).toEqual([`${width}`, `${height}`])
    expect(text).toContain(
      `<link rel="apple-touch-icon" href="${new URL(said.get('image') ?? '').pathname}"`,
    )
  })

  test('a description has 200 characters at most, whole words, and no half of a character', async () => {
    const cases = {
      words: 'word '.repeat(100),
      one: '𝔘'.repeat(200),
      short: 'As it is.',
    }
    const described = async (slug: string) => {
      const text = await site.text(`/projects/${slug}`)
      const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(text) ?? []
      expect(text).toContain(`<meta property="og:description" content="${description}"`)
      return description
    }
    const companies = Object.entries(cases).map(([slug, aiSummary]) => ({
      externalId: slug,
      name: slug,
      slug,
      companyType: 'project',
      aiSummary,
    }))
    await importAll(service.database, { companies })
    await service.directory.refresh()
    expect(await described('words')).toBe(`${'word '.repeat(39)}word…`)
    expect(await described('one')).toBe(`${'𝔘'.repeat(99)}…`)
    expect(await described('short')).toBe('As it is.')
  })

  test('what is not to be listed has neither', async () => {
    for (const path of [
      `/investors/${EMBER.slug}?sort=name`,
      '/people?q=ada',
      '/sign-in',
      '/people/nobody',
    ]) {
      const text = await site.text(path)
      expect([path, /og:|ld\+json/.test(text)]).toEqual([path, false])
    }
  })

  test('the sitemap names pages that are there and listed, and no record', async () => {
    const robots = await site.text('/robots.txt')
    expect(robots).toContain('Sitemap: https://chainkin.example/sitemap.xml')
    const sitemap = await site.text('/sitemap.xml')
    const paths = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(
      ([, it]) => new URL(it ?? '').pathname,
    )
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/people', '/projects', '/docs', '/credits']),
    )
    for (const path of paths) {
      const response = await site.get(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).not.toContain('content="noindex"')
      expect(path).not.toMatch(/^\/(people|projects|investors|services)\/./)
    }
  })
})
