/** The directory's records in memory. Each is a value: a change makes new ones of all that show it. */
import type { Batch } from './batch.ts'
import {
  type Company,
  type FundingRound,
  fundingRoundOf,
  type Investment,
  newestFirst,
  type PortfolioRow,
  type Round,
  roundOf,
} from './company.ts'
import { changedCompany, newCompanies } from './company-collection.ts'
import { type CompanyRounds, companyFundingOf, isSameRounds } from './company-funding.ts'
import { companyOf } from './company-record.ts'
import type { KindIndexPart } from './index-thread.ts'
import { byId, byName } from './names.ts'
import { changedPerson, newPeople } from './people-collection.ts'
import { type Person, personOf } from './person.ts'
import { PictureVersions } from './pictures.ts'
import { Redirects } from './redirects.ts'
import type { CompanyRow, PersonRow, RoundRow } from './rows.ts'
import { ownText, TextPages, type TextPlace } from './text-pages.ts'

const DAY_MS = 86_400_000

/** Days in UTC since the epoch. */
const today = () => Math.floor(Date.now() / DAY_MS)

/** Moments of the directory: all reads are of one moment while `now` is the same object. */
class Moments {
  #now = {}
  #day = today()

  /**
   * Identity of the present state: a new object after each change and on each day (UTC), because active investors change with
   * the days.
   */
  get now(): object {
    if (this.#day !== today()) this.change()
    return this.#now
  }

  change(): void {
    this.#now = {}
    this.#day = today()
  }
}

// Lists of records by the id of the record that they belong to, each kept in one order. A change replaces a list whole, so a
// reader keeps the list that it was given.

class SortedGroups<T> {
  readonly #groups = new Map<string, readonly T[]>()
  /** Records that came since their group was last asked for: a load adds thousands before anyone asks. */
  readonly #added = new Map<string, T[]>()
  readonly #compare: (a: T, b: T) => number

  /** @param compare never 0 for two different records. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  of(owner: string): readonly T[] {
    const group = this.#groups.get(owner) ?? []
    const added = this.#added.get(owner)
    if (!added) return group
    const all = this.#merged(group, added.sort(this.#compare))
    this.replace(owner, all)
    return all
  }

  add(owner: string, record: T) {
    const added = this.#added.get(owner)
    if (added) added.push(record)
    else this.#added.set(owner, [record])
  }

  /** Both lists, each in order, in one. */
  #merged(left: readonly T[], right: readonly T[]): T[] {
    const all: T[] = []
    let next = 0
    for (const record of right) {
      for (let other = left[next]; other && this.#compare(other, record) < 0; other = left[next]) {
        all.push(other)
        next++
      }
      all.push(record)
    }
    return all.concat(left.slice(next))
  }

  /** @param records in the order of the group, at least one. */
  replace(owner: string, records: readonly T[]) {
    this.#added.delete(owner)
    this.#groups.set(owner, records)
  }

  remove(owner: string, isGone: (record: T) => boolean) {
    const left = this.of(owner).filter((record) => !isGone(record))
    if (left.length > 0) this.#groups.set(owner, left)
    else this.delete(owner)
  }

  delete(owner: string) {
    this.#added.delete(owner)
    this.#groups.delete(owner)
  }
}

type How = Required<Pick<Batch, 'isIndexed'>> & { keep: (text: string) => TextPlace }

export class Store {
  readonly companies = newCompanies()
  readonly people = newPeople(this.companies.slots)
  readonly #rounds = new Map<string, Round>()
  /** By company: its people by name, and the rounds that it raised, newest first. */
  readonly #teams = new SortedGroups<Person>(byName)
  readonly #roundsOf = new SortedGroups<Round>(newestFirst)
  /** By investor: its parts in rounds, newest first. */
  readonly #portfolios = new SortedGroups<Investment>(
    (a, b) => newestFirst(a.round, b.round) || byId(a, b),
  )
  readonly #moments = new Moments()
  readonly redirects = new Redirects(() => this.#moments.change())
  readonly pictures = new PictureVersions(() => this.#moments.change())
  readonly #pages = new TextPages()

  /** Identity of the present state (`moments.ts`), so that earlier reads are recognised. */
  get moment(): object {
    return this.#moments.now
  }

  get rounds(): ReadonlyMap<string, Round> {
    return this.#rounds
  }

  company(idOrSlug: string): Company | undefined {
    const { companies, redirects } = this
    return (
      companies.get(idOrSlug) ??
      companies.bySlug(idOrSlug) ??
      companies.get(redirects.idFor('company', idOrSlug))
    )
  }

  person(idOrSlug: string): Person | undefined {
    const { people, redirects } = this
    return (
      people.get(idOrSlug) ??
      people.bySlug(idOrSlug) ??
      people.get(redirects.idFor('person', idOrSlug))
    )
  }

  /** The company's people by name. */
  team({ id }: Company): readonly Person[] {
    return this.#teams.of(id)
  }

  /** The rounds that the company raised, newest first. */
  roundsOf({ id }: Company): readonly Round[] {
    return this.#roundsOf.of(id)
  }

  /** The same with their investors. @param from the first of them @param to the one after the last */
  fundingRounds(company: Company, from?: number, to?: number): FundingRound[] {
    const rounds = this.roundsOf(company).slice(from, to)
    return rounds.map((round) => fundingRoundOf(round, (id) => this.companies.get(id)))
  }

  /** The company's parts in others' rounds, newest first. */
  portfolio({ id }: Company, newest = Number.POSITIVE_INFINITY): PortfolioRow[] {
    const investments = this.#portfolios.of(id).slice(0, newest)
    return investments.flatMap((investment) => {
      const company = this.companies.get(investment.round.companyId)
      return company ? [{ ...investment, company }] : []
    })
  }

  /** Applies a batch. Lists show it at once. */
  apply(batch: Batch): void {
    this.put(batch)
    this.commit()
  }

  /** Takes a batch in, companies before those who belong to them. Lists show it after `commit`. */
  put({ companies, rounds, people, ...given }: Batch): void {
    const { isIndexed = false, isLoaded = false } = given
    const keep = isLoaded ? (text: string) => this.#pages.add(text) : ownText
    const how = { isIndexed, keep }
    this.#moments.change()
    const involved = new Set<string>()
    for (const [id, row] of companies) {
      if (!row) this.#removeRoundsOf(id, involved)
      this.#putCompany(id, row, how)
    }
    for (const [id, row] of rounds) this.#replaceRound(id, row, involved)
    for (const id of involved) this.#putRounds(id)
    for (const id of [...companies.keys(), ...involved]) this.#putMembers(id)
    for (const [id, row] of people) this.#putPerson(id, row, how)
  }

  /** Has the lists show what was put. */
  commit(): void {
    this.companies.commit()
    this.people.commit()
    this.#moments.change()
  }

  /** Takes the next part of the search index that was made beside the records. */
  takeIndex({ kind, ...part }: KindIndexPart) {
    const collection = kind === 'company' ? this.companies : this.people
    collection.takeIndex(part)
  }

  /** True if the index is whole, and of these records. */
  get isIndexed(): boolean {
    return this.companies.isIndexed && this.people.isIndexed
  }

  #putCompany(id: string, row: CompanyRow | null, { isIndexed, keep }: How) {
    const before = this.companies.get(id)
    const rounds = this.#roundsFor(id)
    // Made first: of a row that can't be taken in nothing changes.
    const record = row && companyOf(row, rounds, keep)
    const document = !row || isIndexed ? null : changedCompany(row, before)
    if (before) this.companies.releaseSlug(before)
    if (record) {
      this.companies.put({ id, record, document })
      this.companies.takeSlug(record)
    } else if (before) {
      this.companies.put({ id, record: null, document: null })
    }
  }

  /** A company's rounds and its parts in others' go with it, as the tables' foreign keys do it. */
  #removeRoundsOf(companyId: string, involved: Set<string>) {
    for (const { id } of this.#roundsOf.of(companyId)) this.#replaceRound(id, null, involved)
    this.#portfolios.delete(companyId)
  }

  /** @param involved takes the ids of those whose portfolios or rounds change. */
  #replaceRound(id: string, row: RoundRow | null, involved: Set<string>) {
    const before = this.#rounds.get(id)
    // Its company was deleted after the round was read: the log has the round's end as well.
    const isKnown = row && this.companies.get(row.companyId)
    const round = isKnown ? roundOf(row) : null
    if (before) {
      this.#rounds.delete(id)
      involved.add(before.companyId)
      this.#roundsOf.remove(before.companyId, (round) => round === before)
      for (const { investorId } of before.investors) {
        this.#portfolios.remove(investorId, ({ round }) => round === before)
        involved.add(investorId)
      }
    }
    if (!round) return
    this.#rounds.set(id, round)
    this.#roundsOf.add(round.companyId, round)
    involved.add(round.companyId)
    for (const { id, investorId, isLead } of round.investors) {
      if (!this.companies.get(investorId)) continue
      this.#portfolios.add(investorId, { id, round, isLead })
      involved.add(investorId)
    }
  }

  /** Updates a company's rounds: those that it raised, and the number of others that it invested in. */
  #putRounds(id: string) {
    const company = this.companies.get(id)
    if (!company) return
    const rounds = this.#roundsFor(id)
    if (isSameRounds(company, rounds)) return
    this.companies.put({ id, record: company.withRounds(rounds), document: null })
  }

  #roundsFor(id: string): CompanyRounds {
    const portfolioCount = this.#portfolios.of(id).length
    return { portfolioCount, funding: companyFundingOf(this.#roundsOf.of(id)) }
  }

  /** The people of a company that changed or went, each with its record as it is now. */
  #putMembers(companyId: string) {
    const company = this.companies.get(companyId) ?? null
    const team = this.#teams.of(companyId)
    if (team.every((person) => person.company === company)) return
    // All at once: one by one, a team of thousands would hold the event loop for seconds.
    const records = team.map((person) => person.at(company))
    if (company) this.#teams.replace(companyId, records)
    else this.#teams.delete(companyId)
    for (const record of records) this.people.put({ id: record.id, record, document: null })
  }

  #putPerson(id: string, row: PersonRow | null, { isIndexed, keep }: How) {
    const before = this.people.get(id)
    const company = (row?.companyId && this.companies.get(row.companyId)) || null
    const record = row && personOf(row, company, keep)
    const document = !row || isIndexed ? null : changedPerson(row, before)
    if (before) this.people.releaseSlug(before)
    this.#moveMember(before, record)
    if (record) {
      this.people.put({ id, record, document })
      this.people.takeSlug(row)
    } else if (before) {
      this.people.put({ id, record: null, document: null })
    }
  }

  #moveMember(before: Person | undefined, after: Person | null) {
    if (before?.company) this.#teams.remove(before.company.id, ({ id }) => id === before.id)
    if (after?.company) this.#teams.add(after.company.id, after)
  }
}
