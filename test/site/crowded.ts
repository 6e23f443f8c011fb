/** A company with more rounds, and more investors in one, than a page shows; and a fund that invested in itself. */

export const CROWD = 70
const INVESTORS = 30

const DAY_MS = 86_400_000
const investors = Array.from({ length: INVESTORS }, (_, i) => `crowd-fund-${i}`)

const companies = [
  {
    externalId: 'crowded',
    name: 'Crowded',
    slug: 'crowded',
    companyType: 'project',
    chains: ['mainnet', 'arbitrum_one', 'eth', 'constructor', 'Qchain-9', 'arbitrum'],
  },
  {
    externalId: 'ouroboros',
    name: 'Ouroboros',
    slug: 'ouroboros',
    companyType: 'investor',
  },
  ...investors.map((id) => ({ externalId: id, name: id, slug: id, companyType: 'investor' })),
]

const rounds = [
  ...Array.from({ length: CROWD }, (_, i) => ({
    externalId: `crowded-${i}`,
    company: 'crowded',
    roundType: 'Seed',
    amountUsd: 1_000_000,
    announceDate: new Date(Date.UTC(2020, 0) + i * DAY_MS).toISOString().slice(0, 10),
    investors:
      i === CROWD - 1
        ? investors.map((investor, place) => ({ investor, isLead: place === INVESTORS - 1 }))
        : [],
  })),
  ...['ouroboros', 'crowd-fund-0'].map((company) => ({
    externalId: `of-${company}`,
    company,
    roundType: 'Seed',
    amountUsd: 0,
    announceDate: '2021-01-01',
    investors: [{ investor: 'ouroboros', isLead: true }],
  })),
]

export const CROWDED_ROWS = { companies, rounds }
