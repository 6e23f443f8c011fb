/** The companies of the fixed directory (`../fixtures.ts`): all six types, each order of a list another. */

/** An id that can be told from others at a glance. */
export const uuid = (number: number) =>
  `0190a000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Every field of a company has a value here, so that a test can see each of them come out. */
export const AURORA = {
  id: uuid(1),
  slug: 'aurora-protocol',
  name: 'Aurora Protocol',
  companyType: 'project',
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
  createdAt: '2025-01-03T10:00:00.000Z',
}

export const BOREALIS = {
  id: uuid(2),
  slug: 'borealis-chain',
  name: 'Borealis Chain',
  companyType: 'project',
  sectors: ['Layer 1'],
  tokenLaunched: false,
  createdAt: '2025-01-01T10:00:00.000Z',
}

/** Nothing known but its name; it has ended, and whether it has a token is unchecked. */
export const COMET = {
  id: uuid(3),
  slug: 'comet-wallet',
  name: 'Comet Wallet',
  companyType: 'project',
  sectors: ['Wallet'],
  lifecycle: 'defunct',
  createdAt: '2025-01-04T10:00:00.000Z',
}

/** Not a fund, though it backed a round. */
export const DORADO = {
  id: uuid(4),
  slug: 'dorado-foundation',
  name: 'Dorado Foundation',
  companyType: 'institution',
  createdAt: '2025-01-02T10:00:00.000Z',
}

/** A fund that also sells a service: it is listed in two directories. */
export const EMBER = {
  id: uuid(5),
  slug: 'ember-capital',
  name: 'Ember Capital',
  companyType: 'investor',
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
  createdAt: '2025-02-02T10:00:00.000Z',
}

export const FJORD = {
  id: uuid(6),
  slug: 'fjord-angel',
  name: 'Fjord Angel',
  companyType: 'investor',
  fundType: 'Angel',
  entityKind: 'individual',
  trustTier: 'B',
  trustTierRank: 2,
  lifecycle: 'deceased',
  createdAt: '2025-02-03T10:00:00.000Z',
}

export const GLACIER = {
  id: uuid(7),
  slug: 'glacier-fund',
  name: 'Glacier Fund',
  companyType: 'investor',
  fundType: 'Venture',
  entityKind: 'organization',
  fundAllTimeRoiPct: 300,
  trustTier: 'B',
  trustTierRank: 2,
  createdAt: '2025-02-01T10:00:00.000Z',
}

export const HARBOR = {
  id: uuid(8),
  slug: 'harbor-audits',
  name: 'Harbor Audits',
  companyType: 'service',
  sectors: ['Security'],
  createdAt: '2025-03-01T10:00:00.000Z',
}

export const IRIS = {
  id: uuid(9),
  slug: 'iris-exchange',
  name: 'Iris Exchange',
  companyType: 'platform',
  ticker: 'IRX',
  sectors: ['Exchange', 'DeFi'],
  tokenLaunched: true,
  createdAt: '2025-03-03T10:00:00.000Z',
}

export const JUNO = {
  id: uuid(10),
  slug: 'juno-launchpad',
  name: 'Juno Launchpad',
  companyType: 'launchpad',
  createdAt: '2025-03-02T10:00:00.000Z',
}
