/** Invented companies and their funding rounds, as rows for the import. */

import type { CompanyType } from '../../contract/vocabulary.ts'
import { Chance } from './random.ts'
import * as words from './words.ts'

/** A row of the import. */
export type CompanyRow = ReturnType<typeof inventCompany>

const TYPES: readonly (readonly [CompanyType, number])[] = [
  ['project', 46],
  ['investor', 24],
  ['service', 12],
  ['platform', 8],
  ['institution', 6],
  ['launchpad', 4],
]

export const companyKey = (position: number) => `demo:company:${position}`

/** `count` companies; the same for the same seed, and the first n of them whatever the count. */
export function* inventCompanies(count: number, seed: number): Generator<CompanyRow> {
  const chance = new Chance(seed)
  for (let position = 0; position < count; position++) yield inventCompany(chance, position)
}

function inventCompany(chance: Chance, position: number) {
  const companyType = chance.weighted(TYPES)
  const isAngel = companyType === 'investor' && chance.happens(0.15)
  const brand = isAngel
    ? personName(chance).join('')
    : chance.pick(words.COMPANY_BEGINNINGS) + chance.pick(words.COMPANY_ENDINGS)
  const name = isAngel
    ? brand.replace(/(?<=.)([A-Z])/, ' $1')
    : `${brand} ${chance.pick(words.SUFFIXES[companyType] ?? [])}`
  const word = brand.toLowerCase()
  const created = chance.time('2023-01-09', '2025-06-30')
  const hasToken = companyType !== 'investor' && companyType !== 'service'
  const tokenLaunched = hasToken ? chance.pick([true, true, false, null]) : null
  const domain = `${word}.example`
  return {
    id: chance.id(created),
    externalId: companyKey(position),
    name,
    companyType,
    ticker: tokenLaunched ? tickerOf(brand) : null,
    domain,
    sectors: chance.several(words.SECTORS, chance.between(1, 3)),
    chains: hasToken ? chance.several(words.CHAINS, chance.between(1, 4)) : [],
    size: isAngel ? null : chance.pick(words.SIZES),
    logoUrl: `https://${domain}/logo.svg`,
    twitterHandle: handleOf(word),
    communityLink: chance.happens(0.6) ? `https://community.${domain}` : null,
    discordUrl: chance.happens(0.5) ? `https://${domain}/discord` : null,
    linkedinUrl: chance.happens(0.7) ? `https://${domain}/linkedin` : null,
    tokenLaunched,
    tokenLink: tokenLaunched ? `https://${domain}/token` : null,
    aiSummary: `${name} is ${chance.pick(words.DOES[companyType] ?? [])}. ${chance.pick(words.SECOND_SENTENCES)}`,
    followers: chance.happens(0.9) ? Math.floor(10 ** (2 + 4 * chance.next())) : null,
    ...reputation(chance, word),
    lifecycle: chance.happens(0.05) ? 'defunct' : chance.happens(0.02) ? 'deceased' : null,
    altRoles: companyType === 'project' && chance.happens(0.06) ? ['services'] : [],
    ...(companyType === 'investor' ? fund(chance, isAngel) : {}),
    createdAt: created.toISOString(),
  }
}

/** History and risk of the company's X account. */
function reputation(chance: Chance, word: string) {
  const renamed = chance.happens(0.15)
  const risky = chance.happens(renamed ? 0.4 : 0.05)
  return {
    handleHistory: renamed ? [formerHandle(chance, word)] : [],
    twitterRisk: risky ? risk(chance) : null,
  }
}

function formerHandle(chance: Chance, word: string) {
  const seenAt = chance.time('2020-01-01', '2022-12-31').toISOString()
  return { handle: handleOf(`old${word}`), seenAt }
}

function risk(chance: Chance) {
  const level = chance.pick(['low', 'medium', 'high'])
  return { level, reasons: chance.several(words.RISK_REASONS, chance.between(1, 2)) }
}

function fund(chance: Chance, isAngel: boolean) {
  const rank = chance.between(1, 4)
  return {
    fundType: isAngel ? 'angel' : chance.pick(words.FUND_TYPES),
    entityKind: isAngel ? 'individual' : 'organization',
    fundAllTimeRoiPct: chance.happens(0.7) ? chance.between(-600, 9_000) / 10 : null,
    trustTier: chance.happens(0.85) ? `tier-${rank}` : null,
    trustTierRank: rank,
    altRoles: chance.happens(0.1) ? ['services'] : [],
  }
}

/** First and last name. */
export function personName(chance: Chance): [string, string] {
  return [
    chance.pick(words.FIRST_BEGINNINGS) + chance.pick(words.FIRST_ENDINGS),
    chance.pick(words.LAST_BEGINNINGS) + chance.pick(words.LAST_ENDINGS),
  ]
}

/** An X handle has 15 characters at most; the ending keeps it apart from real ones. */
export function handleOf(word: string): string {
  return `${word.slice(0, 10)}_demo`
}

function tickerOf(brand: string): string {
  const consonants = brand.toUpperCase().replace(/[AEIOU]/g, '')
  return consonants.slice(0, 4).padEnd(3, 'X')
}

const STAGES: readonly (readonly [string, number])[] = [
  ['Pre-Seed', 6e5],
  ['Seed', 3e6],
  ['Series A', 1.4e7],
  ['Series B', 4e7],
]

/** How many days before the end a company raised last, and how many it raised before that. */
const LAST_ROUND_AGO = [0, 1_000] as const
const BETWEEN_ROUNDS = [150, 420] as const
const DAY_MS = 86_400_000

/** Skew by which a few funds are in most rounds. */
const FAME_SKEW = 1.6

/**
 * Rounds of the companies given: most projects raised once or more, from a few well-known funds and
 * many small ones, now and then from an institution (which makes it no fund).
 * @param until no round is announced later
 */
export function* inventRounds(companies: readonly CompanyRow[], seed: number, until: Date) {
  const chance = new Chance(seed)
  const funds = companies.filter(({ companyType }) => companyType === 'investor')
  const institutions = companies.filter(({ companyType }) => companyType === 'institution')
  const raisers = companies.filter(
    ({ companyType }) => companyType !== 'investor' && companyType !== 'institution',
  )
  if (funds.length === 0) return
  for (const { externalId, name, companyType } of raisers) {
    const stages = companyType === 'service' ? chance.between(0, 1) : chance.between(0, 4)
    const dates: Date[] = []
    for (let after = until; dates.length < stages; after = dates[0] ?? until) {
      const [least, most] = after === until ? LAST_ROUND_AGO : BETWEEN_ROUNDS
      dates.unshift(new Date(after.getTime() - chance.between(least, most) * DAY_MS))
    }
    for (const [stage, [roundType, usualUsd]] of STAGES.slice(0, stages).entries()) {
      const backers = new Set<CompanyRow>()
      const wanted = chance.between(1, 7)
      for (let draws = 0; draws < 30 && backers.size < wanted; draws++) {
        const fromInstitution = institutions.length > 0 && chance.happens(0.06)
        backers.add(fromInstitution ? chance.pick(institutions) : chance.pick(funds, FAME_SKEW))
      }
      const hasLead = chance.happens(0.85)
      yield {
        externalId: `${externalId.replace('company', 'round')}:${roundType}`,
        company: externalId,
        roundType,
        roundEventName: `${name} ${roundType}`,
        amountUsd: chance.happens(0.85)
          ? Math.round((usualUsd * (0.5 + 1.5 * chance.next())) / 5e4) * 5e4
          : null,
        announceDate: dates[stage]?.toISOString().slice(0, 10),
        investors: [...backers].map((backer, place) => ({
          investor: backer.externalId,
          isLead: hasLead && place === 0,
        })),
      }
    }
  }
}
