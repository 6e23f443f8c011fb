/** A company as a record: what lists compare beside its texts, which stand on a page. */
import * as schemas from '../../contract/schemas/companies.ts'
import { type CompanyType, type DirectoryName, HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import { chainNames } from './chains.ts'
import type { Company } from './company.ts'
import { type CompanyFunding, type CompanyRounds, NO_FUNDING } from './company-funding.ts'
import { nameKey } from './names.ts'
import type { CompanyRow } from './rows.ts'
import { SharedLists, SharedWords } from './shared-lists.ts'
import { linesAt, ownText, RecordOnPage, type TextPlace } from './text-pages.ts'

/** A company without its texts and without what its rounds say. */
type CompanyHead = Omit<
  Company,
  'nameKey' | 'project' | 'investor' | 'place' | 'withRounds' | keyof CompanyRounds
>

/** Texts stand one a line: the project record, and of an investor what stands before and after `portfolioCount`. */
const INVESTOR_LINES = 3

class CompanyRecord extends RecordOnPage implements Company {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly companyType: CompanyType
  readonly directories: readonly DirectoryName[]
  readonly sectors: readonly string[]
  readonly chains: readonly string[]
  readonly entityKind: string | null
  readonly tokenLaunched: boolean | null
  readonly fundType: string | null
  readonly trustTier: string | null
  readonly roi: number | null
  readonly followers: number
  readonly portfolioCount: number
  readonly funding: CompanyFunding
  readonly completeness: number
  readonly createdAt: number

  constructor(head: CompanyHead, rounds: CompanyRounds, place: TextPlace) {
    super(place)
    this.id = head.id
    this.slug = head.slug
    this.name = head.name
    this.companyType = head.companyType
    this.directories = head.directories
    this.sectors = head.sectors
    this.chains = head.chains
    this.entityKind = head.entityKind
    this.tokenLaunched = head.tokenLaunched
    this.fundType = head.fundType
    this.trustTier = head.trustTier
    this.roi = head.roi
    this.followers = head.followers
    this.portfolioCount = rounds.portfolioCount
    this.funding = rounds.funding
    this.completeness = head.completeness
    this.createdAt = head.createdAt
  }

  get nameKey(): string {
    return nameKey(this.name)
  }

  get project(): TextPlace {
    const { place } = this
    return this.companyType === 'investor' ? (linesAt(place, INVESTOR_LINES)[0] ?? place) : place
  }

  get investor(): Company['investor'] {
    if (this.companyType !== 'investor') return null
    const [, before, after] = linesAt(this.place, INVESTOR_LINES)
    return before && after ? { before, after } : null
  }

  withRounds(rounds: CompanyRounds): Company {
    return new CompanyRecord(this, rounds, this.place)
  }
}

const sectorLists = new SharedLists()
const chainLists = new SharedLists()
const directoryLists = new SharedLists<DirectoryName>()
const words = new SharedWords()

const NO_ROUNDS: CompanyRounds = { portfolioCount: 0, funding: NO_FUNDING }

/**
 * Makes a company of a row, and shares values that few companies differ in, because each row brings copies of its own.
 * @param keep gives the record's text its place.
 */
export function companyOf(
  row: CompanyRow,
  rounds: CompanyRounds = NO_ROUNDS,
  keep: (text: string) => TextPlace = ownText,
): Company {
  const head = {
    id: row.id,
    slug: row.slug,
    name: row.name,
    companyType: words.of(row.companyType),
    directories: directoryLists.of(directoriesOf(row)),
    sectors: sectorLists.of(row.sectors),
    chains: chainLists.of(chainNames(row.chains)),
    entityKind: row.entityKind && words.of(row.entityKind),
    tokenLaunched: row.tokenLaunched,
    fundType: row.fundType && words.of(row.fundType),
    trustTier: row.trustTier && words.of(row.trustTier),
    roi: row.fundAllTimeRoiPct,
    followers: row.followers ?? 0,
    completeness: completenessOf(row),
    createdAt: row.createdAt,
  }
  const texts = [jsonOf(row, PROJECT_FIELDS)]
  if (row.companyType === 'investor') texts.push(...investorJson(row))
  return new CompanyRecord(head, rounds, keep(texts.join('\n')))
}

function completenessOf(row: CompanyRow): number {
  const looked = [row.aiSummary, row.domain, row.twitterHandle, row.logoUrl, row.linkedinUrl]
  return looked.filter((value) => value !== null).length / looked.length
}

/** Its type's directory, and services where `altRoles` says so (the overlap being retired). */
function directoriesOf({ companyType, altRoles }: CompanyRow): DirectoryName[] {
  const home = HOME_DIRECTORY[companyType]
  return home !== 'services' && altRoles.includes('services') ? [home, 'services'] : [home]
}

/** The contract's fields: columns of the same names, and a fund's `portfolioCount`. */
const PROJECT_FIELDS = Object.keys(schemas.project.properties)
const INVESTOR_FIELDS = Object.keys(schemas.investor.properties)
const COUNT_PLACE = INVESTOR_FIELDS.indexOf('portfolioCount')
const FIELDS_BEFORE_COUNT = INVESTOR_FIELDS.slice(0, COUNT_PLACE)
const FIELDS_AFTER_COUNT = INVESTOR_FIELDS.slice(COUNT_PLACE + 1)

/** These columns of a row, in this order; the moment in the contract's form. */
function jsonOf(row: CompanyRow, names: readonly string[]): string {
  const fields: Record<string, unknown> = {}
  for (const name of names) fields[name] = row[name as keyof CompanyRow]
  if ('createdAt' in fields) fields.createdAt = new Date(row.createdAt).toISOString()
  return JSON.stringify(fields)
}

/** @returns what stands before `portfolioCount`, and what stands after it. */
function investorJson(row: CompanyRow): [before: string, after: string] {
  return [jsonOf(row, FIELDS_BEFORE_COUNT).slice(0, -1), jsonOf(row, FIELDS_AFTER_COUNT).slice(1)]
}
