/** @jsxImportSource hono/jsx */
/**
 * Similar companies: those that share investors, sectors and chains. Rare traits count
 * more than common ones. The work for a page is bounded.
 */
import { HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import { chainNames } from '../../directory/records/chains.ts'
import type { Company } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { PageContext } from '../http/page.ts'
import { Section } from '../ui/page-parts.tsx'
import { plural, wordList } from '../ui/text.tsx'
import { CompanyRow } from './rows.tsx'
import { type ProjectRecord, projectRecord } from './view-models.ts'

export interface SimilarCompany {
  record: ProjectRecord
  /** Names of shared investors. */
  investors: readonly string[]
  sectors: readonly string[]
  chains: readonly string[]
}

const SHOWN = 6
/** Bounds on the work of a page. */
const ROUNDS_MAX = 60
const INVESTORS_MAX = 12
const INVESTMENTS_MAX = 60
const SECTORS_MAX = 5
const PER_SECTOR = 40
/** Candidates whose chains are compared, which takes parsing their records. */
const CANDIDATES_MAX = 20
const CHAIN_WEIGHT = 0.3
const CHAINS_COUNTED = 3
/** Least score: below it is one sector that hundreds share. */
const SCORE_MIN = 0.5

interface Candidate {
  company: Company
  investors: Company[]
  score: number
}

export function similarCompanies(directory: Directory, company: Company): SimilarCompany[] {
  const home = HOME_DIRECTORY[company.companyType]
  const candidates = new Map<string, Candidate>()
  const candidate = (other: Company) => {
    const existing = candidates.get(other.id)
    if (existing) return existing
    const entry: Candidate = { company: other, investors: [], score: 0 }
    if (other.id !== company.id && directory.lists(other, home)) candidates.set(other.id, entry)
    return entry
  }

  for (const investor of investorsOf(directory, company).slice(0, INVESTORS_MAX)) {
    const newest = directory.portfolio(investor, INVESTMENTS_MAX)
    for (const other of new Set(newest.map((investment) => investment.company))) {
      const entry = candidate(other)
      entry.investors.push(investor)
      entry.score += 2 * rarity(investor.portfolioCount)
    }
  }
  const weights = new Map<string, number>()
  for (const sector of company.sectors.slice(0, SECTORS_MAX)) {
    const { companies, total } = directory.prominent(home, sector, PER_SECTOR)
    weights.set(sector.toLowerCase(), rarity(total))
    for (const other of companies) candidate(other)
  }
  for (const entry of candidates.values()) {
    for (const sector of entry.company.sectors) {
      entry.score += weights.get(sector.toLowerCase()) ?? 0
    }
  }

  const { sectors, chains: written } = projectRecord(company)
  const chains = chainNames(written)
  return [...candidates.values()]
    .sort(mostFirst)
    .slice(0, CANDIDATES_MAX)
    .map((entry) => {
      const record = projectRecord(entry.company)
      const sharedChains = shared(chainNames(record.chains), chains)
      const score = entry.score + CHAIN_WEIGHT * Math.min(sharedChains.length, CHAINS_COUNTED)
      return { ...entry, score, record, chains: sharedChains }
    })
    .filter(({ score }) => score >= SCORE_MIN)
    .sort(mostFirst)
    .slice(0, SHOWN)
    .map(({ record, investors, chains }) => ({
      record,
      investors: investors.map(({ name }) => name),
      sectors: shared(record.sectors, sectors),
      chains,
    }))
}

/** Weight between 0 and 4; higher for fewer owners. */
const rarity = (owners: number) => 4 / Math.log2(owners + 2)

/** Investors of the newest rounds. */
function investorsOf(directory: Directory, company: Company): Company[] {
  const newest = directory.fundingRounds(company, 0, ROUNDS_MAX)
  const parts = newest.flatMap(({ investors }) => investors)
  return [...new Map(parts.map((part) => [part.company.id, part.company])).values()]
}

function mostFirst(a: Candidate, b: Candidate): number {
  const { company: one } = a
  const { company: other } = b
  return b.score - a.score || other.followers - one.followers || (one.id < other.id ? -1 : 1)
}

/** Values in both lists, ignoring case. */
function shared(values: readonly string[], others: readonly string[]): string[] {
  const existing = new Set(others.map((value) => value.toLowerCase()))
  return values.filter((value) => existing.has(value.toLowerCase()))
}

/** Names in a line; the rest is counted. */
const NAMED = 3

interface SimilarProps {
  similar: readonly SimilarCompany[]
  context: Pick<PageContext, 'href' | 'picture'>
}

export function Similar({ similar, context }: SimilarProps) {
  if (similar.length === 0) return null
  return (
    <Section id="similar" title="Similar companies">
      <p class="note">Ranked by the investors, sectors and chains that they share.</p>
      <ul class="rows compact">
        {similar.map((it) => (
          <CompanyRow
            company={it.record}
            context={context}
            note={inCommon(it)}
            noted={it.sectors}
          />
        ))}
      </ul>
    </Section>
  )
}

function inCommon({ investors, sectors, chains }: SimilarCompany): string {
  const named = [...sectors, ...chains].slice(0, NAMED)
  return [
    investors.length > 0
      ? `${plural(investors.length, 'shared investor', 'shared investors')}: ${wordList(investors, NAMED)}`
      : null,
    named.length > 0 ? named.join(', ') : null,
  ]
    .filter(Boolean)
    .join(' · ')
}
