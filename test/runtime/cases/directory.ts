/** Each endpoint, with what was imported. */
import { expect } from 'bun:test'
import type { Stage } from '../stage.ts'

const slugs = (records: { slug: string }[]) => records.map(({ slug }) => slug)

export function directoryCases(stage: Stage) {
  const read = async (path: string) => {
    const { status, body } = await stage.get(path, await stage.reader())
    expect([path, status, body.meta.creditsCharged]).toEqual([path, 200, 5])
    return body
  }

  stage.check('/v1/people: ordered, filtered, with facets, private channels null', async () => {
    const all = await read('/v1/people?sort=name')
    expect(slugs(all.data)).toEqual(['ada-ashford', 'ben-birch', 'cleo-cross', 'dan-drake'])
    expect(all.data[0]).toMatchObject({
      isLocked: true,
      hasEmail: true,
      email: null,
      phone: null,
      telegram: null,
      linkedinUrl: null,
    })
    expect(all.data[0].company.slug).toBe('aurora-protocol')
    expect(all.facets.channels).toContainEqual({ value: 'email', count: 2 })
    expect(slugs((await read('/v1/people?channels=telegram&roles=investor')).data)).toEqual([
      'dan-drake',
    ])
    const page = await read('/v1/people?sort=name&limit=3&page=2')
    expect([slugs(page.data), page.total, page.totalPages]).toEqual([['dan-drake'], 4, 2])
  })

  stage.check('/v1/people/{id}: by slug and by id, with coworkers', async () => {
    const { data } = await read('/v1/people/ada-ashford')
    expect([data.person.jobTitle, slugs(data.coworkers)]).toEqual([
      'Co-Founder & CEO',
      ['ben-birch', 'cleo-cross'],
    ])
    expect((await read(`/v1/people/${data.person.id}`)).data.person.slug).toBe('ada-ashford')
  })

  stage.check('/v1/projects and /v1/projects/{id}: what was imported comes out clean', async () => {
    expect(slugs((await read('/v1/projects?sort=name')).data)).toEqual([
      'aurora-protocol',
      'zebrano',
    ])
    const { project, team } = await read('/v1/projects/aurora-protocol')
    expect(project).toMatchObject({
      ticker: 'AUR',
      domain: 'aurora.example',
      twitterHandle: 'auroraprotocol',
      createdAt: '2025-01-03T10:00:00.000Z',
    })
    expect(project.fundingRounds).toMatchObject([
      {
        roundType: 'Seed',
        amountUsd: 4_500_000,
        investors: [{ slug: 'ember-capital', isLead: true }],
      },
    ])
    expect(team).toHaveLength(3)
  })

  stage.check('/v1/investors and /v1/investors/{slug}: team and portfolio', async () => {
    expect(slugs((await read('/v1/investors')).data)).toEqual(['ember-capital'])
    const { investor, team, portfolio } = await read('/v1/investors/ember-capital')
    expect([investor.portfolioCount, slugs(team)]).toEqual([1, ['dan-drake']])
    expect(portfolio[0].company.slug).toBe('aurora-protocol')
  })

  stage.check('/v1/services and /v1/services/{slug}: service providers and platforms', async () => {
    const { data } = await read('/v1/services?sort=name')
    expect(slugs(data)).toEqual(['harbor-audits', 'juno-exchange', 'koi-labs'])
    expect((await read('/v1/services/juno-exchange')).service.companyType).toBe('platform')
  })

  stage.check('/v1/search: without accents, by prefix, with a typo', async () => {
    for (const q of ['zebrano', 'Zebraño', 'zeb', 'zebrnao']) {
      expect([q, slugs((await read(`/v1/search?q=${q}`)).projects)]).toEqual([q, ['zebrano']])
    }
    expect(slugs((await read('/v1/search?q=%40ada_ashford')).people)).toEqual(['ada-ashford'])
  })
}
