/**
 * A small directory that tests know by heart: companies of all six types, people with every mix of
 * channels, rounds. Each order that lists can have (D31) puts the records in another sequence.
 */
import { expect } from 'bun:test'
import type { Database } from '../../src/database/client.ts'
import { importRows } from '../../src/directory/import/import.ts'

const uuid = (number: number) => `0190a000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** An id and a slug of nothing in here. */
export const UNKNOWN_ID = uuid(999_999)
export const UNKNOWN_SLUG = 'nobody-of-this-name'

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
    { handle: 'aurora_old', seenAt: '2022-01-01T00:00:00.000Z' },
    { handle: 'aurora_older', seenAt: '2023-06-01T12:00:00.000Z' },
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

export const COMPANIES = [
  AURORA,
  BOREALIS,
  COMET,
  DORADO,
  EMBER,
  FJORD,
  GLACIER,
  HARBOR,
  IRIS,
  JUNO,
]

/** All four channels on file. What they say occurs nowhere else: a test can search for it. */
export const ADA = {
  id: uuid(101),
  slug: 'ada-ashford',
  firstName: 'Ada',
  lastName: 'Ashford',
  jobTitle: 'Co-Founder & CEO',
  twitterHandle: 'ada_ashford',
  avatarUrl: 'https://people.example/ada.png',
  isCreator: true,
  creatorFollowerCount: 1_200,
  company: AURORA.slug,
  contactType: 'team',
  roles: ['founder', 'executive'],
  createdAt: '2025-04-05T10:00:00.000Z',
  email: 'ada-sentinel@private.example',
  phone: '+1 202 555 0147',
  telegram: 'ada_sentinel_tg',
  linkedinUrl: 'https://www.linkedin.com/in/ada-sentinel',
}

/** One channel; Ada's coworker. */
export const BEN = {
  id: uuid(102),
  slug: 'ben-birch',
  firstName: 'Ben',
  lastName: 'Birch',
  jobTitle: 'Senior Engineer',
  company: AURORA.slug,
  contactType: 'team',
  roles: ['engineering'],
  createdAt: '2025-04-01T10:00:00.000Z',
  email: 'ben-sentinel@private.example',
}

/** No channel on file: nothing to reveal (D19). */
export const CLEO = {
  id: uuid(103),
  slug: 'cleo-cross',
  firstName: 'Cleo',
  lastName: 'Cross',
  jobTitle: 'Community Manager',
  company: AURORA.slug,
  contactType: 'team',
  roles: ['community'],
  createdAt: '2025-04-03T10:00:00.000Z',
}

export const DAN = {
  id: uuid(104),
  slug: 'dan-drake',
  firstName: 'Dan',
  lastName: 'Drake',
  jobTitle: 'Investment Partner',
  company: EMBER.slug,
  contactType: 'analyst',
  roles: ['investor'],
  createdAt: '2025-04-04T10:00:00.000Z',
  telegram: 'dan_sentinel_tg',
  linkedinUrl: 'https://www.linkedin.com/in/dan-sentinel',
}

/** No Latin letter in the name, so no slug; no company either. */
export const FANG = {
  id: uuid(105),
  firstName: '芳',
  lastName: '王',
  contactType: 'team',
  createdAt: '2025-04-02T10:00:00.000Z',
  phone: '+86 10 5555 0188',
}

export const FAY = {
  id: uuid(106),
  slug: 'fay-finch',
  firstName: 'Fay',
  lastName: 'Finch',
  jobTitle: 'Head of Legal',
  contactType: 'team',
  roles: ['legal'],
  createdAt: '2025-04-07T10:00:00.000Z',
  email: 'fay-sentinel@private.example',
  phone: '+1 202 555 0199',
}

export const EMILE = {
  id: uuid(107),
  slug: 'emile-gerard',
  firstName: 'Émile',
  lastName: 'Gérard',
  jobTitle: 'Security Auditor',
  company: HARBOR.slug,
  contactType: 'analyst',
  roles: ['engineering', 'other'],
  createdAt: '2025-04-06T10:00:00.000Z',
}

export const PEOPLE = [ADA, BEN, CLEO, DAN, FANG, FAY, EMILE]

/** What must never be seen before it is paid for, of all of them. */
export const PRIVATE_VALUES: readonly string[] = PEOPLE.flatMap((person) =>
  Object.entries(person).flatMap(([field, value]) =>
    ['email', 'phone', 'telegram', 'linkedinUrl'].includes(field) ? [String(value)] : [],
  ),
)

export const AURORA_SEED = {
  id: uuid(201),
  company: AURORA.slug,
  roundType: 'Seed',
  roundEventName: 'Seed round',
  amountUsd: 2_500_000,
  announceDate: '2024-03-01T00:00:00.000Z',
  investors: [
    { investor: EMBER.slug, isLead: true },
    { investor: DORADO.slug, isLead: false },
  ],
}

export const AURORA_SERIES_A = {
  id: uuid(202),
  company: AURORA.slug,
  roundType: 'Series A',
  roundEventName: null,
  amountUsd: 10_000_000,
  announceDate: '2025-02-01T00:00:00.000Z',
  investors: [],
}

export const BOREALIS_SERIES_A = {
  id: uuid(203),
  company: BOREALIS.slug,
  roundType: 'Series A',
  roundEventName: null,
  amountUsd: null,
  announceDate: '2024-09-01T00:00:00.000Z',
  investors: [
    { investor: GLACIER.slug, isLead: true },
    { investor: EMBER.slug, isLead: false },
  ],
}

export const ROUNDS = [AURORA_SEED, AURORA_SERIES_A, BOREALIS_SERIES_A]

/** Puts all of it into an empty directory. */
export async function fixtures(database: Database): Promise<void> {
  for (const [kind, rows] of [
    ['companies', COMPANIES],
    ['people', PEOPLE],
    ['rounds', ROUNDS],
  ] as const) {
    const { created, refusals } = await importRows(database, kind, rows)
    expect({ kind, refusals, created }).toEqual({ kind, refusals: [], created: rows.length })
  }
}

/** People of Juno Launchpad, `count` of them, named so that they sort by number. */
export async function crowd(database: Database, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, position) => ({
    id: uuid(10_001 + position),
    firstName: 'Xu',
    lastName: `Member ${String(position + 1).padStart(4, '0')}`,
    company: JUNO.slug,
    createdAt: '2024-01-01T00:00:00.000Z',
    email: `crowd-${position + 1}@private.example`,
  }))
  const { refusals } = await importRows(database, 'people', people)
  expect(refusals).toEqual([])
}

/** The id of the crowd's nth member, from 1. */
export const crowdId = (number: number) => uuid(10_000 + number)
