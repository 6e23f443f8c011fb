/** contract/Project record, Investor record, Portfolio row, Service provider record, and the endpoints of companies. */
import { expect } from 'bun:test'
import {
  ADA,
  AURORA,
  AURORA_SEED,
  AURORA_SERIES_A,
  BEN,
  BOREALIS,
  BOREALIS_SERIES_A,
  CLEO,
  COMET,
  COMPANIES,
  DAN,
  DORADO,
  EMBER,
  EMILE,
  FJORD,
  GLACIER,
  HARBOR,
  IRIS,
  JUNO,
} from '../helpers/fixtures.ts'
import { INVESTOR, MEMBER, PORTFOLIO_ROW, PROJECT, PROJECT_DETAIL } from '../helpers/shapes.ts'
import { group, type Row, type Suite } from './suite.ts'

const ENVELOPE = ['data', 'total', 'page', 'limit', 'totalPages', 'meta']

interface Named {
  slug: string
}

function lists(path: string, companies: readonly Named[], name?: string): Row {
  const holds = { 'data[].slug': companies.map(({ slug }) => slug), total: companies.length }
  return { ...(name && { name }), path: `/v1/${path}`, holds }
}

/** The first match; others may be near. */
const finds = (list: string, q: string, { slug }: Named): Row => ({
  name: 'q matches name, ticker, handle, domain, then summary',
  path: `/v1/${list}?q=${encodeURIComponent(q)}&limit=1`,
  holds: { 'data[].slug': [slug] },
})

export function companies(suite: Suite): void {
  projects(suite)
  investors(suite)
  services(suite)
}

function projects(suite: Suite): void {
  const project = (company: Named, name: string, holds: Record<string, unknown>): Row => ({
    name,
    path: `/v1/projects/${company.slug}`,
    holds: Object.fromEntries(
      Object.entries(holds).map(([key, value]) => [`project.${key}`, value]),
    ),
  })

  group(suite, 'contract/Project record', ({ rows }) =>
    rows([
      {
        name: 'fields in order, each of its type, values as they were imported',
        path: '/v1/projects',
        keys: { '': ENVELOPE },
        shapes: { 'data[]': PROJECT },
        holds: { data: expect.arrayContaining([AURORA]) },
      },
      project(
        COMET,
        'what is not known is null, and a list is empty; tokenLaunched null is not false',
        {
          ticker: null,
          domain: null,
          followers: null,
          twitterRisk: null,
          discordUrl: null,
          linkedinUrl: null,
          chains: [],
          handleHistory: [],
          tokenLaunched: null,
          lifecycle: 'defunct',
          fundingRounds: [],
        },
      ),
      project(
        AURORA,
        'Versioning 4: ticker, chains, discordUrl, linkedinUrl and slug are populated',
        {
          ticker: 'AUR',
          chains: AURORA.chains,
          discordUrl: AURORA.discordUrl,
          linkedinUrl: AURORA.linkedinUrl,
          slug: AURORA.slug,
          tokenLaunched: true,
          lifecycle: null,
        },
      ),
      project(
        AURORA,
        'handleHistory is [{handle, seenAt}], oldest first; twitterRisk is null or {level, reasons}',
        {
          handleHistory: [
            { handle: 'aurora_first', seenAt: '2022-01-01T00:00:00.000Z' },
            { handle: 'aurora_second', seenAt: '2023-06-01T12:00:00.000Z' },
          ],
          twitterRisk: { level: 'medium', reasons: ['handle changed'] },
        },
      ),
      project(BOREALIS, 'tokenLaunched', { tokenLaunched: false }),
      project(FJORD, 'lifecycle', { lifecycle: 'deceased' }),
    ]),
  )

  group(suite, 'contract/GET projects', ({ rows }) =>
    rows([
      lists(
        'projects',
        [COMET, AURORA, DORADO, BOREALIS],
        'projects and institutions, recent first',
      ),
      lists('projects?sort=recent', [COMET, AURORA, DORADO, BOREALIS]),
      lists('projects?sort=name', [AURORA, BOREALIS, COMET, DORADO]),
      lists('projects?token=launched', [AURORA], 'launched and pre; unchecked is in neither'),
      lists('projects?token=pre', [BOREALIS]),
      lists('projects?sector=DeFi&token=pre', [], 'parameters are AND-ed'),
      ...[
        'sector=Lending&sector=Exchange',
        'sector=Lending,Exchange',
        'sector[]=Lending&sector[]=Exchange',
        'sector%5B%5D=Lending&sector=Exchange',
        'sector=lending&sector=EXCHANGE',
        'sector=%20Lending%20,,Exchange',
      ].flatMap((query) => [
        lists(`projects?${query}`, [AURORA], 'sector is one OR, case ignored'),
        lists(`services?${query}`, [IRIS], 'sector is one OR, case ignored'),
      ]),
      lists('projects?sector=LAYER%201', [BOREALIS]),
      ...['aurora', 'AUR', '$aur', '@auroraprotocol', 'aurora.example', 'northern lights'].map(
        (q) => finds('projects', q, AURORA),
      ),
      finds('projects', 'bor', BOREALIS),
      {
        name: 'page and limit',
        path: '/v1/projects?sort=name&limit=3&page=2',
        holds: { 'data[].slug': [DORADO.slug], total: 4, page: 2, limit: 3, totalPages: 2 },
      },
    ]),
  )

  const lead = ({ id, name, slug }: typeof EMBER | typeof DORADO, isLead: boolean) => {
    return { id, name, slug, isLead }
  }
  group(suite, 'contract/GET projects id', ({ rows }) =>
    rows([
      {
        name: '{project, team[], meta}: the team by name, without company',
        path: `/v1/projects/${AURORA.id}`,
        keys: { '': ['project', 'team', 'meta'] },
        shapes: { 'team[]': MEMBER },
        holds: { 'team[].id': [ADA.id, BEN.id, CLEO.id] },
      },
      ...COMPANIES.flatMap(({ id, slug, companyType }) =>
        [id, slug].map((key) => ({
          name: 'Versioning 5: any company kind resolves by id or slug, and companyType says which',
          path: `/v1/projects/${key}`,
          shapes: { project: PROJECT_DETAIL },
          holds: { 'project.id': id, 'project.companyType': companyType },
        })),
      ),
      project(AURORA, 'the funding activity is on the record, newest first, leads first', {
        fundingRounds: [
          {
            roundType: AURORA_SERIES_A.roundType,
            roundEventName: null,
            amountUsd: AURORA_SERIES_A.amountUsd,
            announceDate: AURORA_SERIES_A.announceDate,
            investors: [],
          },
          {
            roundType: AURORA_SEED.roundType,
            roundEventName: AURORA_SEED.roundEventName,
            amountUsd: AURORA_SEED.amountUsd,
            announceDate: AURORA_SEED.announceDate,
            investors: [lead(EMBER, true), lead(DORADO, false)],
          },
        ],
      }),
    ]),
  )
}

function investors(suite: Suite): void {
  group(suite, 'contract/GET investors, Investor record, Portfolio row', ({ rows }) =>
    rows([
      {
        name: 'fields in order, each of its type, values as they were imported',
        path: '/v1/investors',
        keys: { '': ENVELOPE },
        shapes: { 'data[]': INVESTOR },
        holds: { data: expect.arrayContaining([{ ...EMBER, portfolioCount: 2 }]) },
      },
      lists(
        'investors',
        [EMBER, GLACIER, FJORD],
        'portfolio by default; largest first, nulls last',
      ),
      lists('investors?sort=portfolio', [EMBER, GLACIER, FJORD]),
      lists('investors?sort=roi', [GLACIER, EMBER, FJORD]),
      lists('investors?sort=name', [EMBER, FJORD, GLACIER]),
      lists('investors?sort=recent', [FJORD, EMBER, GLACIER]),
      lists('investors?fundType=Angel', [FJORD], 'fundType and trustTier, case ignored'),
      lists('investors?fundType=venture', [EMBER, GLACIER]),
      lists('investors?trustTier=b', [GLACIER, FJORD]),
      lists('investors?trustTier=B&fundType=Venture', [GLACIER]),
      lists('investors?q=glacier', [GLACIER], 'q'),
      lists('investors?q=aurora', []),
      {
        name: '{investor, team[], portfolio[], meta}; rounds newest first, company a full project record',
        path: `/v1/investors/${EMBER.slug}`,
        keys: { '': ['investor', 'team', 'portfolio', 'meta'] },
        shapes: { investor: INVESTOR, 'team[]': MEMBER, 'portfolio[]': PORTFOLIO_ROW },
        holds: {
          'investor.entityKind': 'organization',
          'investor.altRoles': ['services'],
          'investor.portfolioCount': 2,
          'team[].id': [DAN.id],
          'portfolio[].company.id': [BOREALIS.id, AURORA.id],
          'portfolio[].roundType': ['Series A', 'Seed'],
          'portfolio[].amountUsd': [null, 2_500_000],
          'portfolio[].announceDate': [BOREALIS_SERIES_A.announceDate, AURORA_SEED.announceDate],
          'portfolio[].isLead': [false, true],
        },
      },
      { path: `/v1/investors/${EMBER.id}`, holds: { 'investor.slug': EMBER.slug } },
      {
        name: 'an angel is an individual',
        path: `/v1/investors/${FJORD.slug}`,
        holds: { 'investor.entityKind': 'individual', portfolio: [] },
      },
      ...[AURORA, DORADO, JUNO].flatMap(({ id, slug }) =>
        [id, slug].map((key): Row => {
          const name = 'Errors: a company that is not a fund is a 404, even if it has backed rounds'
          return { name, path: `/v1/investors/${key}`, code: 'not_found' }
        }),
      ),
    ]),
  )
}

function services(suite: Suite): void {
  group(suite, 'contract/GET services, Service provider record', ({ rows }) =>
    rows([
      {
        name: 'the shape of a project, told apart by companyType; a fund that sells a service too is listed',
        path: '/v1/services',
        keys: { '': ENVELOPE },
        shapes: { 'data[]': PROJECT },
        holds: {
          'data[].slug': [IRIS, JUNO, HARBOR, EMBER].map(({ slug }) => slug),
          'data[].companyType': ['platform', 'launchpad', 'service', 'investor'],
        },
      },
      lists('services?q=harbor', [HARBOR], 'q, sector and sort'),
      lists('services?sector=security', [HARBOR]),
      lists('services?sort=name', [EMBER, HARBOR, IRIS, JUNO]),
      lists('services?sort=recent&limit=100', [IRIS, JUNO, HARBOR, EMBER]),
      {
        name: '{service, team[], meta}',
        path: `/v1/services/${HARBOR.slug}`,
        keys: { '': ['service', 'team', 'meta'] },
        shapes: { service: PROJECT, 'team[]': MEMBER },
        holds: { 'team[].id': [EMILE.id] },
      },
      { path: `/v1/services/${IRIS.id}`, holds: { 'service.ticker': 'IRX' } },
      { path: `/v1/services/${EMBER.slug}`, holds: { 'service.companyType': 'investor' } },
      ...[AURORA, GLACIER].map(
        ({ slug }): Row => ({ path: `/v1/services/${slug}`, code: 'not_found' }),
      ),
    ]),
  )
}
