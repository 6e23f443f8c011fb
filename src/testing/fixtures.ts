/**
 * The fixed directory that a test directory holds unless it is given rows of its own: companies of all six
 * types, people with every mix of channels, rounds. Ids, slugs and names are constants, in the form of
 * import rows, and each order that lists can have puts the records in another sequence.
 */

/** An id that can be told from others at a glance. */
export const uuid = (number: number) =>
  `0190a000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** The slug that the import would make of a Latin name. */
const slugOf = (name: string) =>
  name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '-')

/** The common fields of a record, with the slug of its name. @param created the date; the time is 10 o'clock. */
const record = (number: number, name: string, created: string) => ({
  id: uuid(number),
  slug: slugOf(name),
  createdAt: `${created}T10:00:00.000Z`,
})

function company<T>(number: number, name: string, companyType: string, created: string, more: T) {
  return { ...record(number, name, created), name, companyType, ...more }
}

/** @param created the date; it was never changed since. */
function person<T>(number: number, firstName: string, lastName: string, created: string, more: T) {
  const common = record(number, `${firstName} ${lastName}`, created)
  return { ...common, updatedAt: common.createdAt, firstName, lastName, ...more }
}

function round<T>(number: number, company: string, roundType: string, announced: string, more: T) {
  return {
    id: uuid(number),
    company,
    roundType,
    announceDate: `${announced}T00:00:00.000Z`,
    ...more,
  }
}

const companies = {
  /** A project of which every field is known, so that a test can see each of them come out. */
  aurora: company(1, 'Aurora Protocol', 'project', '2025-01-03', {
    ticker: 'AUR',
    domain: 'aurora.example',
    sectors: ['DeFi', 'Lending'],
    chains: ['ethereum', 'base'],
    size: '11-50',
    logoUrl: 'https://aurora.example/logo.png',
    twitterHandle: 'auroraprotocol',
    communityLink: 'https://t.me/auroraprotocol',
    discordUrl: 'https://discord.gg/aurora',
    linkedinUrl: 'https://www.linkedin.com/company/aurora',
    tokenLaunched: true,
    tokenLink: 'https://aurora.example/token',
    aiSummary: 'Aurora lends against northern lights.',
    followers: 50_000,
    handleHistory: [
      { handle: 'aurora_first', seenAt: '2022-01-01T00:00:00.000Z' },
      { handle: 'aurora_second', seenAt: '2023-06-01T12:00:00.000Z' },
    ],
    twitterRisk: { level: 'medium', reasons: ['handle changed'] },
    lifecycle: null,
  }),
  borealis: company(2, 'Borealis Chain', 'project', '2025-01-01', {
    sectors: ['Layer 1'],
    tokenLaunched: false,
  }),
  /** Nothing known but its name; it has ended, and whether it has a token is unchecked. */
  comet: company(3, 'Comet Wallet', 'project', '2025-01-04', {
    sectors: ['Wallet'],
    lifecycle: 'defunct',
  }),
  /** An institution: it backed a round, but is no fund. */
  dorado: company(4, 'Dorado Foundation', 'institution', '2025-01-02', {}),
  /** A fund of which every field is known; it is listed among the services as well. */
  ember: company(5, 'Ember Capital', 'investor', '2025-02-02', {
    domain: 'ember.example',
    logoUrl: 'https://ember.example/logo.png',
    linkedinUrl: 'https://www.linkedin.com/company/ember',
    discordUrl: 'https://discord.gg/ember',
    twitterHandle: 'embercapital',
    communityLink: 'https://t.me/embercapital',
    fundType: 'Venture',
    entityKind: 'organization',
    fundAllTimeRoiPct: 120.5,
    trustTier: 'A',
    trustTierRank: 1,
    aiSummary: 'Ember backs what glows.',
    followers: 9_000,
    handleHistory: [{ handle: 'ember_old', seenAt: '2021-05-05T00:00:00.000Z' }],
    twitterRisk: { level: 'low', reasons: [] },
    altRoles: ['services'],
    lifecycle: null,
  }),
  /** An angel: a fund that is one person. */
  fjord: company(6, 'Fjord Angel', 'investor', '2025-02-03', {
    fundType: 'Angel',
    entityKind: 'individual',
    trustTier: 'B',
    trustTierRank: 2,
    lifecycle: 'deceased',
  }),
  glacier: company(7, 'Glacier Fund', 'investor', '2025-02-01', {
    fundType: 'Venture',
    entityKind: 'organization',
    fundAllTimeRoiPct: 300,
    trustTier: 'B',
    trustTierRank: 2,
  }),
  harbor: company(8, 'Harbor Audits', 'service', '2025-03-01', { sectors: ['Security'] }),
  iris: company(9, 'Iris Exchange', 'platform', '2025-03-03', {
    ticker: 'IRX',
    sectors: ['Exchange', 'DeFi'],
    tokenLaunched: true,
  }),
  juno: company(10, 'Juno Launchpad', 'launchpad', '2025-03-02', {}),
}

const people = {
  /** All four channels on file. What they say occurs nowhere else: a test can search for it. */
  ada: person(101, 'Ada', 'Ashford', '2025-04-05', {
    jobTitle: 'Co-Founder & CEO',
    twitterHandle: 'ada_ashford',
    avatarUrl: 'https://people.example/ada.png',
    isCreator: true,
    creatorFollowerCount: 1_200,
    company: companies.aurora.slug,
    contactType: 'team',
    roles: ['founder', 'executive'],
    email: 'ada-sentinel@private.example',
    phone: '+1 202 555 0147',
    telegram: 'ada_sentinel_tg',
    linkedinUrl: 'https://www.linkedin.com/in/ada-sentinel',
  }),
  /** One channel; Ada's coworker. */
  ben: person(102, 'Ben', 'Birch', '2025-04-01', {
    jobTitle: 'Senior Engineer',
    company: companies.aurora.slug,
    contactType: 'team',
    roles: ['engineering'],
    email: 'ben-sentinel@private.example',
  }),
  /** No channel on file: nothing to reveal. */
  cleo: person(103, 'Cleo', 'Cross', '2025-04-03', {
    jobTitle: 'Community Manager',
    company: companies.aurora.slug,
    contactType: 'team',
    roles: ['community'],
  }),
  dan: person(104, 'Dan', 'Drake', '2025-04-04', {
    jobTitle: 'Investment Partner',
    company: companies.ember.slug,
    contactType: 'analyst',
    roles: ['investor'],
    telegram: 'dan_sentinel_tg',
    linkedinUrl: 'https://www.linkedin.com/in/dan-sentinel',
  }),
  /** No Latin letter in the name, so no slug; no company either. */
  fang: {
    id: uuid(105),
    firstName: '芳',
    lastName: '王',
    contactType: 'team',
    createdAt: '2025-04-02T10:00:00.000Z',
    updatedAt: '2025-04-02T10:00:00.000Z',
    phone: '+86 10 5555 0188',
  },
  fay: person(106, 'Fay', 'Finch', '2025-04-07', {
    jobTitle: 'Head of Legal',
    contactType: 'team',
    roles: ['legal'],
    email: 'fay-sentinel@private.example',
    phone: '+1 202 555 0199',
  }),
  emile: person(107, 'Émile', 'Gérard', '2025-04-06', {
    jobTitle: 'Security Auditor',
    company: companies.harbor.slug,
    contactType: 'analyst',
    roles: ['engineering', 'other'],
  }),
}

const rounds = {
  auroraSeed: round(201, companies.aurora.slug, 'Seed', '2024-03-01', {
    roundEventName: 'Seed round',
    amountUsd: 2_500_000,
    investors: [
      { investor: companies.ember.slug, isLead: true },
      { investor: companies.dorado.slug, isLead: false },
    ],
  }),
  auroraSeriesA: round(202, companies.aurora.slug, 'Series A', '2025-02-01', {
    roundEventName: null,
    amountUsd: 10_000_000,
    investors: [],
  }),
  borealisSeriesA: round(203, companies.borealis.slug, 'Series A', '2024-09-01', {
    roundEventName: null,
    amountUsd: null,
    investors: [
      { investor: companies.glacier.slug, isLead: true },
      { investor: companies.ember.slug, isLead: false },
    ],
  }),
}

export const fixtures = { companies, people, rounds } as const
