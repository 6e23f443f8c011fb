/** Invented records of samples, the same in every call. The code that renders live records renders them. */
import type { CompanyType, DirectoryName, PrivateChannels } from '../../contract/vocabulary.ts'
import { type Company, roundOf } from '../../directory/records/company.ts'
import { NO_FUNDING } from '../../directory/records/company-funding.ts'
import { companyOf } from '../../directory/records/company-record.ts'
import type { DirectoryReads } from '../../directory/records/directory.ts'
import { type Person, personOf } from '../../directory/records/person.ts'
import { readyAnswer } from '../../directory/records/ready-answer.ts'
import type { CompanyRow, PersonRow } from '../../directory/records/rows.ts'

/** Most records of a sample. */
const MAX_RECORDS = 3

const CREATED_AT = Date.UTC(2025, 0, 15, 9, 30)

/** Channels of a sampled reveal. */
export const channels: PrivateChannels = {
  email: 'sample.person@example.com',
  phone: '+1-555-0100',
  telegram: 'sample_person',
  linkedinUrl: 'https://www.linkedin.com/in/sample-person',
}

/** The first records of a sampled page. */
export function page<T>(records: readonly T[], limit: number): T[] {
  return records.slice(0, Math.min(limit, MAX_RECORDS))
}

function sampleId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

function sampleCompany(
  number: number,
  name: string,
  companyType: CompanyType,
  fields: Partial<CompanyRow>,
  portfolioCount = 0,
): Company {
  const slug = name.toLowerCase().replaceAll(' ', '-')
  const handle = slug.replaceAll('-', '_')
  const row: CompanyRow = {
    id: sampleId(number),
    slug,
    name,
    companyType,
    ticker: null,
    domain: `${slug}.example`,
    sectors: ['Infrastructure'],
    chains: ['ethereum'],
    size: '11-50',
    logoUrl: `https://${slug}.example/logo.png`,
    twitterHandle: handle,
    communityLink: `https://t.me/${handle}`,
    discordUrl: `https://discord.gg/${slug}`,
    linkedinUrl: `https://www.linkedin.com/company/${slug}`,
    tokenLaunched: false,
    tokenLink: null,
    aiSummary: `${name} is an invented company of a sample response.`,
    followers: 12_000 + number,
    handleHistory: [{ handle: `${handle}_old`, seenAt: new Date(CREATED_AT).toISOString() }],
    twitterRisk: { level: 'low', reasons: [] },
    lifecycle: null,
    fundType: null,
    entityKind: null,
    fundAllTimeRoiPct: null,
    trustTier: null,
    trustTierRank: null,
    altRoles: [],
    createdAt: CREATED_AT + number,
    ...fields,
  }
  return companyOf(row, { portfolioCount, funding: NO_FUNDING })
}

function samplePerson(number: number, firstName: string, jobTitle: string, roles: string[]) {
  const handle = firstName.toLowerCase()
  const row: PersonRow = {
    id: sampleId(number),
    slug: `${handle}-sample`,
    firstName,
    lastName: 'Sample',
    jobTitle,
    twitterHandle: `${handle}_sample`,
    avatarUrl: `https://people.example/${handle}.png`,
    isCreator: number % 2 === 1,
    creatorFollowerCount: number % 2 === 1 ? 4_200 : null,
    companyId: sampleId(1),
    contactType: 'team',
    roles,
    hasEmail: true,
    hasPhone: true,
    hasTelegram: true,
    hasLinkedin: true,
    createdAt: CREATED_AT + number,
    updatedAt: CREATED_AT + number,
  }
  return personOf(row, project)
}

const fund = {
  fundType: 'Venture',
  entityKind: 'organization',
  fundAllTimeRoiPct: 137.5,
  trustTier: 'A',
  trustTierRank: 1,
}

const secondFund = { trustTier: 'B', trustTierRank: 2 }
const angel = { fundType: 'Angel', entityKind: 'individual' }

type NonEmpty<T> = readonly [T, ...T[]]

/** Companies by directory. */
export const companies: Readonly<Record<DirectoryName, NonEmpty<Company>>> = {
  projects: [
    sampleCompany(1, 'Sample Protocol', 'project', {
      ticker: 'SMPL',
      tokenLaunched: true,
      tokenLink: 'https://sample-protocol.example/token',
    }),
    sampleCompany(2, 'Placeholder Chain', 'project', { sectors: ['Layer 1'], chains: [] }),
    sampleCompany(3, 'Specimen Exchange Group', 'institution', { tokenLaunched: null }),
  ],
  investors: [
    sampleCompany(11, 'Sample Capital', 'investor', fund, 1),
    sampleCompany(12, 'Placeholder Ventures', 'investor', { ...fund, ...secondFund }, 1),
    sampleCompany(13, 'Specimen Angel', 'investor', { ...fund, ...angel }, 1),
  ],
  services: [
    sampleCompany(21, 'Sample Audits', 'service', { sectors: ['Security'] }),
    sampleCompany(22, 'Placeholder Exchange', 'platform', { ticker: 'PLEX', tokenLaunched: true }),
    sampleCompany(23, 'Specimen Launchpad', 'launchpad', { sectors: ['Launchpad'] }),
  ],
}
const [project] = companies.projects

export const people: NonEmpty<Person> = [
  samplePerson(31, 'Alex', 'Co-Founder & CEO', ['founder', 'executive']),
  samplePerson(32, 'Sam', 'Head of Engineering', ['engineering']),
  samplePerson(33, 'Robin', 'Community Lead', ['community']),
]

const round = roundOf({
  id: sampleId(41),
  companyId: project.id,
  roundType: 'Seed',
  roundEventName: 'Seed round',
  amountUsd: 2_500_000,
  announceDate: CREATED_AT,
  investors: [],
})

/** A directory of these records, which ignores filters. The first project raised one round, from all investors. */
export const directory: DirectoryReads = {
  people: ({ limit }) => ({
    people: people.slice(0, limit),
    total: people.length,
    facets: {
      roles: [
        { value: 'community', count: 1 },
        { value: 'engineering', count: 1 },
      ],
      channels: [{ value: 'email', count: people.length }],
    },
  }),
  companies: (name, { limit }) => ({
    companies: companies[name].slice(0, limit),
    total: companies[name].length,
  }),
  values: () => [],
  prominent: (name, _, limit) => ({
    companies: companies[name].slice(0, limit),
    total: companies[name].length,
  }),
  search: (_, limit) => ({
    projects: companies.projects.slice(0, limit),
    people: people.slice(0, limit),
  }),
  person: (slug) => people.find((it) => it.slug === slug),
  company: (slug) =>
    Object.values(companies)
      .flat()
      .find((it) => it.slug === slug),
  lists: (company, name) => company.directories.includes(name),
  team: () => people,
  coworkers: () => people.slice(1),
  fundingRounds: () => [
    {
      fields: round.fields,
      investors: companies.investors.map((company, place) => ({ company, isLead: place === 0 })),
    },
  ],
  portfolio: () => [{ id: sampleId(51), company: project, round, isLead: true }],
  ready: (_, look) => readyAnswer(look().text()),
}
