/** Profiles: what they work out from the records around them, and that all of it can be reached and read. */
import { describe, expect, test } from 'bun:test'
import { importAll } from '../../src/intake/import/import.ts'
import { similarCompanies } from '../../src/site/profiles/similar.tsx'
import { ADA, AURORA, BOREALIS, EMBER, FANG, fixtures, JUNO } from '../helpers/fixtures.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { CROWD, CROWDED_ROWS } from './crowded.ts'
import { HIGH_PEAKS, PEAK_ROWS, PEAKS, peakNumber } from './peaks.ts'
import { testSite } from './site.ts'

const service = sharedService(async (database) => {
  await fixtures(database)
  await importAll(database, PEAK_ROWS)
  await importAll(database, CROWDED_ROWS)
})
const site = shared(() => testSite(service))

/** The part of a page under this heading. */
function sectionOf(text: string, id: string): string {
  const [, rest = ''] = text.split(`<section aria-labelledby="${id}">`)
  // Ends before the next section or the panel.
  return /^.*?(?=<section aria-labelledby=|<aside|<\/main>)/s.exec(rest)?.[0] ?? ''
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Names in the rows of a portfolio's table, as they are linked; charts stand before it. */
const rowsOf = (html: string) =>
  [
    ...(html.split('class="table cards"')[1] ?? '').matchAll(
      /<tr><th scope="row"><a href="([^"]*)"/g,
    ),
  ].map(([, path]) => path ?? '')

describe('a company’s profile', () => {
  test('says at its head what it raised, its last round, who led it, its team and its followers', async () => {
    const text = await site.text(`/projects/${AURORA.slug}`)
    const head = /<dl class="stats">.*?<\/dl>/s.exec(text)?.[0] ?? ''
    expect(textOf(head)).toBe(
      'Raised in all $12.5M 2 rounds Last round Series A $10M · Feb 2025 Team 3 on record, of 11-50 Followers 50K on X',
    )
  })

  test('draws the total after each round, and has the same figures in the table', async () => {
    const funding = sectionOf(await site.text(`/projects/${AURORA.slug}`), 'funding')
    const dots = [...funding.matchAll(/<circle[^>]*><title>([^<]*)/g)].map(([, title]) => title)
    expect(dots).toEqual([
      'Seed, 1 Mar 2024: $2.5M; $2.5M in all',
      'Series A, 1 Feb 2025: $10M; $12.5M in all',
    ])
    const table = funding.slice(funding.indexOf('<table>'))
    expect(textOf(table)).toContain('Series A $10M $12.5M 1 Feb 2025 Not on record')
    expect(textOf(table)).toContain('Seed round $2.5M $2.5M 1 Mar 2024 Ember Capital (lead)')
  })

  test('an amount that is not disclosed counts as nothing and is said to be undisclosed', async () => {
    const text = await site.text(`/projects/${BOREALIS.slug}`)
    expect(textOf(sectionOf(text, 'funding'))).toContain('1 round, 1 amount undisclosed.')
    expect(textOf(text)).toContain('Raised in all Undisclosed 1 round')
    // One round is no picture.
    expect(text).not.toContain('funding-title')
  })

  test('names companies that share investors and sectors, those with most in common first', async () => {
    const similar = sectionOf(await site.text('/projects/peak-00'), 'similar')
    const paths = [...similar.matchAll(/<a class="name" href="([^"]*)"/g)].map(([, path]) => path)
    expect(paths.slice(0, 4).sort()).toEqual(
      [1, 2, 3, 4].map((position) => `/projects/peak-${peakNumber(position)}`),
    )
    expect(paths).not.toContain('/projects/peak-00')
    expect(textOf(similar)).toContain(
      '2 shared investors: Polar Ventures and Tundra Capital · Climbing, Mountains',
    )
  })

  test('names similar companies of a few investors, so that the work for it is bounded', () => {
    const { directory } = service
    const [self, ...others] = PEAK_ROWS.companies.map(({ slug }) => directory.company(slug))
    const investors = others.flatMap((company) => (company ? [{ company, isLead: false }] : []))
    const asked: unknown[][] = []
    const crowded = new Proxy(directory, {
      get: (target, name) => {
        if (name === 'fundingRounds') {
          return (...given: unknown[]) => {
            asked.push([name, given.at(-1)])
            return [{ fields: '', investors }]
          }
        }
        return (...given: unknown[]) => {
          if (name === 'portfolio' || name === 'prominent') asked.push([name, given.at(-1)])
          return Reflect.get(target, name)(...given)
        }
      },
    })
    expect(investors.length).toBeGreaterThan(PEAKS)
    const ofManySectors = Object.create(self!, { sectors: { value: [...'abcdefghi'] } })
    similarCompanies(crowded, ofManySectors)
    expect(asked).toEqual([
      ['fundingRounds', 60],
      ...Array.from({ length: 12 }, () => ['portfolio', 60]),
      ...Array.from({ length: 5 }, () => ['prominent', 40]),
    ])
  })

  test('of which little is known says what is missing', async () => {
    expect(textOf(await site.text('/projects/bare-rock'))).toContain(
      'Not on record yet: a description, a team, funding rounds, sectors, a website and an X account.',
    )
    expect(textOf(await site.text(`/services/${JUNO.slug}`))).toContain('Not on record yet:')
    expect(textOf(await site.text(`/people/${FANG.id}`))).toContain(
      'Not on record yet: a job title',
    )
    expect(await site.text(`/people/${ADA.slug}`)).not.toContain('Not on record yet')
  })
})

describe('a record with more than a page holds', () => {
  test('has every round on one page of its table, and the sums of all of them on each', async () => {
    const totals: string[] = []
    for (const [page, span] of ['1 to 25', '26 to 50', '51 to 70'].entries()) {
      const text = await site.text(`/projects/crowded?rounds=${page + 1}`)
      const funding = sectionOf(text, 'funding')
      expect(textOf(funding)).toContain(`$${CROWD}M in ${CROWD} rounds. ${span}, newest first:`)
      expect(textOf(text)).toContain(`Raised in all $${CROWD}M ${CROWD} rounds`)
      expect(textOf(text)).toContain('Last round Seed $1M · Mar 2020')
      totals.push(
        ...[...funding.matchAll(/data-label="In all">([^<]*)/g)].map(([, it]) => it ?? ''),
      )
      expect(text.includes('content="noindex"')).toBe(page > 0)
      expect(text).toContain('rel="canonical" href="https://chainkin.example/projects/crowded"')
    }
    expect(totals).toEqual(Array.from({ length: CROWD }, (_, i) => `$${CROWD - i}M`))
    const last = await site.text('/projects/crowded?rounds=3')
    expect(await site.text('/projects/crowded?rounds=99')).toBe(last)
    expect((await site.get('/projects/crowded?rounds=two')).status).toBe(400)
    expect(last).toContain('rel="prev" href="/projects/crowded?rounds=2#funding"')
  })

  test('draws as many dots as can be told apart, each with the sum of its rounds; they add up', async () => {
    const funding = sectionOf(await site.text('/projects/crowded'), 'funding')
    const dots = [...funding.matchAll(/<circle[^>]*><title>([^<]*)/g)].map(
      ([, title]) => title ?? '',
    )
    expect(dots.length).toBeLessThanOrEqual(24)
    expect(dots.length).toBeGreaterThan(20)
    const counts = dots.map((dot) => Number(/^(\d+) rounds up to/.exec(dot)?.[1] ?? 1))
    expect(counts.reduce((sum, count) => sum + count)).toBe(CROWD)
    expect(dots.map((dot) => /: \$(\d+)M;/.exec(dot)?.[1])).toEqual(counts.map(String))
    expect(dots.at(-1)).toEndWith(`; $${CROWD}M in all`)
    expect(textOf(funding)).toContain('A dot is all rounds of its time.')
  })

  test('names twenty investors of a round, the lead among them, and counts the others', async () => {
    const funding = sectionOf(await site.text('/projects/crowded'), 'funding')
    const last = /<tbody><tr>.*?<\/tr>/s.exec(funding)?.[0] ?? ''
    expect(last.match(/<a href="\/investors/g)).toHaveLength(20)
    expect(textOf(last)).toContain('(lead)')
    expect(textOf(last)).toContain('and 10 more')
    const [, all = ''] = /<a href="(\/connections\/[^"#]+)#next">10 more/.exec(last) ?? []
    const investors = sectionOf(await site.text(all), 'next')
    expect(new Set(investors.match(/href="\/investors\/crowd-fund-\d+"/g)).size).toBe(30)
  })

  test('names a chain as people write it, once, and one that is not known as it is on record', async () => {
    const text = textOf(await site.text('/projects/crowded'))
    expect(text).toContain('Chains Ethereum, Arbitrum, constructor, Qchain-9')
    expect(text).not.toContain('arbitrum_one')
  })

  test('a fund that invested in itself is not its own neighbour', async () => {
    const part = sectionOf(await site.text('/investors/ouroboros'), 'connections')
    const [picture = ''] = part.split('<details')
    expect(picture.match(/href="\/investors\/ouroboros"/g)).toHaveLength(1)
  })
})

describe('a fund’s portfolio', () => {
  const SORTS = ['newest', 'oldest', 'largest', 'name']

  test.each(SORTS)('by %s: every investment is on one of its pages, 15 on each', async (sort) => {
    const seen: string[] = []
    const sizes: number[] = []
    for (let page = 1; page <= 4; page++) {
      const text = await site.text(`/investors/polar?sort=${sort}&page=${page}`)
      const rows = rowsOf(sectionOf(text, 'portfolio'))
      sizes.push(rows.length)
      seen.push(...rows)
    }
    expect(sizes).toEqual([15, 15, 15, 15])
    expect(new Set(seen).size).toBe(PEAKS)
  })

  test('its orders are what they say, and what is unknown comes last', async () => {
    const shown = async (sort: string, page: number) =>
      rowsOf(sectionOf(await site.text(`/investors/polar?sort=${sort}&page=${page}`), 'portfolio'))
    const of = (path = '') => PEAK_ROWS.rounds[Number(path.slice(-2))]
    const [largest, smallest] = [await shown('largest', 1), await shown('largest', 4)]
    const amounts = largest.map((path) => of(path)?.amountUsd ?? -1)
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a))
    expect(of(smallest.at(-1))?.amountUsd).toBeNull()
    const dates = (await shown('oldest', 1)).map((path) => of(path)?.announceDate ?? '9')
    expect(dates).toEqual(dates.toSorted())
    for (const sort of ['oldest', 'newest']) {
      expect(of((await shown(sort, 4)).at(-1))?.announceDate).toBeNull()
    }
    expect((await shown('name', 1))[0]).toBe('/projects/peak-00')
  })

  test('a heading says by which column the table is sorted, and leads to the other orders', async () => {
    const text = await site.text('/investors/polar?sort=largest&page=2')
    expect(text).toMatch(
      /aria-sort="descending"><a href="\/investors\/polar\?sort=largest#portfolio"/,
    )
    expect(text).toContain('href="/investors/polar?sort=name#portfolio"')
    expect(text).toContain('rel="next" href="/investors/polar?sort=largest&amp;page=3#portfolio"')
    // One address for search engines.
    expect(text).toContain('rel="canonical" href="https://chainkin.example/investors/polar"')
    expect(text).toContain('<meta name="robots" content="noindex"')
  })

  test('a bad value is refused with what is allowed; what others add to an address is theirs', async () => {
    const refused = await site.get('/investors/polar?sort=best')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('newest, oldest, largest, name')
    expect((await site.get('/investors/polar?page=two')).status).toBe(400)
    expect((await site.get('/investors/polar?utm_source=mail')).status).toBe(200)
    const last = await site.text('/investors/polar?page=4')
    expect(await site.text('/investors/polar?page=99')).toBe(last)
  })

  test('the charts add up to the portfolio, and each bar has its figure as text', async () => {
    const portfolio = sectionOf(await site.text('/investors/polar'), 'portfolio')
    const charts = [...portfolio.matchAll(/<table class="bars">.*?<\/table>/gs)].map(([it]) => it)
    expect(charts.map((chart) => /<caption>([^<]*)/.exec(chart)?.[1])).toEqual([
      'By year',
      'By sector',
      'By stage',
      'By role',
    ])
    const sums = charts.map((chart) =>
      [...chart.matchAll(/<span class="number">(\d+)</g)].reduce(
        (sum, [, it]) => sum + Number(it),
        0,
      ),
    )
    // A company is in each of its sectors.
    expect(sums).toEqual([PEAKS, PEAKS + HIGH_PEAKS, PEAKS, PEAKS])
    expect(textOf(charts[3] ?? '')).toContain(`Led ${PEAKS / 4}`)
  })

  test('each bar leads to the investments that it counts, and filters in force can be taken away', async () => {
    const part = async (path: string) => sectionOf(await site.text(path), 'portfolio')
    const whole = await part('/investors/polar')
    const bars = [
      ...whole.matchAll(/<th scope="row"><a href="([^"]*)#portfolio".*?"number">(\d+)</gs),
    ].map(([, path = '', count]) => ({ path: path.replaceAll('&amp;', '&'), count }))
    expect(bars.length).toBeGreaterThan(10)
    for (const { path, count } of bars) {
      expect([path, textOf(await part(path)).includes(` ${count} of ${PEAKS} `)]).toEqual([
        path,
        true,
      ])
    }
    const led = await part('/investors/polar?role=led&stage=SEED&sort=name')
    expect(textOf(led)).toContain(` 5 of ${PEAKS} `)
    expect(rowsOf(led)).toHaveLength(5)
    expect(led).toContain(
      'href="/investors/polar?role=led&amp;sort=name#portfolio" aria-label="Remove SEED"',
    )
    expect(textOf(await part('/investors/polar?year=1999'))).toContain(` 0 of ${PEAKS} `)
    expect((await site.get('/investors/polar?role=half')).status).toBe(400)
  })

  test('every co-investor is on one of the pages of their table, and the figure at the head leads there', async () => {
    const seen: string[] = []
    for (let next: string | undefined = '/investors/crowd-fund-1'; next !== undefined; ) {
      const text = await site.text(next)
      expect(text).toContain('href="#co-investors">29 co-investors')
      const part = sectionOf(text, 'co-investors')
      seen.push(
        ...[...part.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, to]) => to ?? ''),
      )
      next = /rel="next" href="([^"#]*)/.exec(part)?.[1]?.replaceAll('&amp;', '&')
    }
    expect([seen.length, new Set(seen).size]).toEqual([29, 29])
  })

  test('bars that share one open: each has its own then', async () => {
    const years = Array.from({ length: 12 }, (_, i) => 2010 + i)
    const aged = { externalId: 'aged', name: 'Aged', slug: 'aged', companyType: 'investor' }
    const young = { externalId: 'young', name: 'Young', slug: 'young', companyType: 'project' }
    await importAll(service.database, {
      companies: [aged, young],
      rounds: years.map((year) => ({
        externalId: `aged-${year}`,
        company: 'young',
        roundType: 'Seed',
        announceDate: `${year}-01-01`,
        investors: [{ investor: 'aged', isLead: false }],
      })),
    })
    await service.directory.refresh()
    const part = sectionOf(await site.text('/investors/aged'), 'portfolio')
    const [, whole = ''] = /<a href="([^"]*)">5 others/.exec(part) ?? []
    const opened = sectionOf(await site.text(whole.replace(/#.*/, '')), 'portfolio')
    expect(opened).toContain('<details class="folds" open')
    for (const year of years)
      expect(opened).toContain(`?year=${year}&amp;whole=year#portfolio">${year}<`)
    expect(opened).not.toContain('5 others')
  })

  test('says who was in most of its rounds', async () => {
    const beside = sectionOf(await site.text('/investors/polar'), 'co-investors')
    expect(textOf(beside)).toContain(`Tundra Capital ${HIGH_PEAKS} ${HIGH_PEAKS}`)
    const ember = sectionOf(await site.text(`/investors/${EMBER.slug}`), 'co-investors')
    expect(textOf(ember)).toContain('Dorado Foundation 1')
  })
})

describe('connections', () => {
  test.each([
    ['/projects/peak-00', ['/investors/polar', '/investors/tundra', '/projects/peak-01']],
    ['/investors/tundra', ['/projects/peak-04', '/investors/polar']],
    [
      `/people/${ADA.slug}`,
      [`/projects/${AURORA.slug}`, `/investors/${EMBER.slug}`, '/people/ben-birch'],
    ],
  ])(
    'of %s: every node is a link, and is in the list beside the picture',
    async (path, expected) => {
      const part = sectionOf(await site.text(path), 'connections')
      const [picture = '', list = ''] = part.split('</details>')[0]?.split('<details') ?? []
      const linksIn = (html: string) =>
        [...html.matchAll(/<a href="([^"]*)"/g)].map(([, to]) => to ?? '')
      const nodes = [...picture.matchAll(/<svg class="node/g)]
      expect(linksIn(picture)).toHaveLength(nodes.length)
      expect(linksIn(list).sort()).toEqual(linksIn(picture).sort())
      expect(linksIn(picture)).toEqual(expect.arrayContaining([...expected, path]))
      expect(picture).toContain('<line')
      for (const to of new Set(linksIn(picture))) expect((await site.get(to)).status).toBe(200)
    },
  )

  /** Links of a layer on all its pages, as its pager leads through them. */
  async function allOf(address: string, layer: string): Promise<string[]> {
    const links: string[] = []
    for (let next: string | undefined = address; next !== undefined; ) {
      const part = sectionOf(await site.text(next), layer)
      links.push(...[...part.matchAll(/<li><a href="([^"]*)"/g)].map(([, to]) => to ?? ''))
      next = /rel="next" href="([^"#]*)/.exec(part)?.[1]?.replaceAll('&amp;', '&')
    }
    return links
  }

  test('a page has all of them, in pages: a fund’s investments and who else is in them, a company’s people and investors', async () => {
    const [, polar = ''] =
      /href="(\/connections\/[^"]+)">All connections/.exec(await site.text('/investors/polar')) ??
      []
    const backed = await allOf(polar, 'next')
    expect([backed.length, new Set(backed).size]).toEqual([PEAKS, PEAKS])
    expect(await allOf(polar, 'beyond')).toEqual(['/investors/tundra'])
    const text = await site.text(polar)
    expect(textOf(text)).toContain(`Investments ${PEAKS}`)
    expect(textOf(text)).toContain('Tundra Capital with Peak')
    expect(text).toContain('<meta name="robots" content="noindex"')
    const ada = await site.text(`/people/${ADA.slug}`)
    const [, ofAda = ''] = /href="(\/connections\/people\/[^"]+)">All connections/.exec(ada) ?? []
    expect(await allOf(ofAda, 'people')).toContain('/people/ben-birch')
    expect(await allOf(ofAda, 'next')).toContain(`/investors/${EMBER.slug}`)
    for (const path of ['/connections/people/x', '/connections/companies/x', '/connections/x'])
      expect((await site.get(path)).status).toBe(404)
    expect((await site.get(`${polar}?next=two`)).status).toBe(400)
    expect((await site.get(`${polar}?next=99`)).status).toBe(200)
  })
})
