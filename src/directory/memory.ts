/** All records of the directory, joined to each other, and the changes that keep them so. */
import {
  companyDocument,
  personDocument,
  type SearchDocument,
} from '../../index-build/documents.ts'
import { LargeMap } from '../../index-build/large-map.ts'
import type { Change } from './collection.ts'
import { newCompanies } from './companies.ts'
import { addRound, type Company, companyOf, type Round, removeRound } from './company.ts'
import { newPeople } from './people.ts'
import { joinTeam, leaveTeam, type Person, personOf } from './person.ts'
import type { CompanyRow, PersonRow, RoundRow } from './rows.ts'

/** Rows as the database has them now; an id without a row is a record that is gone. */
export interface Batch {
  companies: Map<string, CompanyRow | null>
  rounds: Map<string, RoundRow | null>
  people: Map<string, PersonRow | null>
  /** Search documents made before, by record id; what is not here is made from the row. */
  documents?: ReadonlyMap<string, SearchDocument>
}

export interface Memory {
  readonly companies: ReturnType<typeof newCompanies>
  readonly people: ReturnType<typeof newPeople>
  company(idOrSlug: string): Company | undefined
  person(idOrSlug: string): Person | undefined
  readonly roundCount: number
  /** Takes a batch in, companies before those who belong to them. */
  put(batch: Batch): void
  /** Makes lists show what was put since the last call: with readers, in the same turn as `put`. */
  settle(): void
  /** The same in steps, for a memory without readers. */
  settleInSteps(): Generator<void>
}

export function newMemory(): Memory {
  const companies = newCompanies()
  const people = newPeople()
  const companyById = new LargeMap<Company>()
  const companyBySlug = new LargeMap<Company>()
  const personById = new LargeMap<Person>()
  const personBySlug = new LargeMap<Person>()
  const rounds = new LargeMap<Round>()

  function put(batch: Batch) {
    // Portfolios are an order of companies.
    const touched = new Set<Company>()
    for (const [id] of batch.rounds) forgetRound(id, touched)
    const changes: Change<Company>[] = []
    for (const [id, row] of batch.companies) {
      const change = changeCompany(id, row, batch.documents, touched)
      if (change) changes.push(change)
    }
    for (const row of batch.rounds.values()) if (row) learnRound(row, touched)
    companies.put(changes)
    companies.moved(
      'portfolio',
      [...touched].filter(({ id }) => companyById.has(id)),
    )
    people.put(
      [...batch.people].flatMap(([id, row]) => changePerson(id, row, batch.documents) ?? []),
    )
  }

  function changeCompany(
    id: string,
    row: CompanyRow | null,
    documents: Batch['documents'],
    touched: Set<Company>,
  ): Change<Company> | null {
    const known = companyById.get(id)
    // Its portfolio may have changed already, so what it was is not known.
    const before = known ? { record: known, document: documentOfCompany(known), was: null } : null
    if (known && companyBySlug.get(known.slug) === known) companyBySlug.delete(known.slug)
    if (!row) {
      if (known) removeCompany(known, touched)
      return before && { before, after: null }
    }
    const company = known ? updated(known, companyOf(row)) : companyOf(row)
    companyById.set(id, company)
    companyBySlug.set(company.slug, company)
    return {
      before,
      after: { record: company, document: documents?.get(id) ?? companyDocument(row) },
    }
  }

  /** Its rounds go with it; its people stay, without a company (as the tables' foreign keys do it). */
  function removeCompany(company: Company, touched: Set<Company>) {
    companyById.delete(company.id)
    for (const person of company.team) person.company = null
    for (const round of company.rounds) forgetRound(round.id, touched)
    for (const { round } of company.portfolio) {
      round.investors = round.investors.filter(({ investor }) => investor !== company)
    }
  }

  function forgetRound(id: string, touched: Set<Company>) {
    const round = rounds.get(id)
    if (!round) return
    rounds.delete(id)
    removeRound(round)
    for (const { investor } of round.investors) touched.add(investor)
  }

  function learnRound(row: RoundRow, touched: Set<Company>) {
    const company = companyById.get(row.companyId)
    // Its company was deleted after the round was read: the log has the round's end as well.
    if (!company) return
    const round = addRound(row, company, (id) => companyById.get(id))
    rounds.set(row.id, round)
    for (const { investor } of round.investors) touched.add(investor)
  }

  function changePerson(
    id: string,
    row: PersonRow | null,
    documents: Batch['documents'],
  ): Change<Person> | null {
    const known = personById.get(id)
    const before = known
      ? { record: known, document: documentOfPerson(known), was: { ...known } }
      : null
    if (known) {
      leaveTeam(known)
      if (known.slug && personBySlug.get(known.slug) === known) personBySlug.delete(known.slug)
    }
    if (!row) {
      personById.delete(id)
      return before && { before, after: null }
    }
    const company = row.companyId === null ? null : (companyById.get(row.companyId) ?? null)
    const next = personOf(row, company)
    const person = known ? Object.assign(known, next, { slot: known.slot }) : next
    joinTeam(person)
    personById.set(id, person)
    if (person.slug) personBySlug.set(person.slug, person)
    return {
      before,
      after: { record: person, document: documents?.get(id) ?? personDocument(row) },
    }
  }

  function* settleInSteps() {
    yield* companies.settle()
    yield* people.settle()
  }

  return {
    companies,
    people,
    company: (idOrSlug) => companyById.get(idOrSlug) ?? companyBySlug.get(idOrSlug),
    person: (idOrSlug) => personById.get(idOrSlug) ?? personBySlug.get(idOrSlug),
    get roundCount() {
      return rounds.size
    },
    put,
    settle: () => {
      for (const _step of settleInSteps());
    },
    settleInSteps,
  }
}

/** In place, so that people and rounds that point at it see the change; they stay joined to it. */
function updated(company: Company, next: Company): Company {
  const { slot, rounds, portfolio, team } = company
  return Object.assign(company, next, { slot, rounds, portfolio, team, teamOrdered: false })
}

/** Its record's own JSON has all that the index knows it by: nothing is kept twice for the day it changes. */
function documentOfCompany(company: Company): SearchDocument {
  return companyDocument(JSON.parse(company.project))
}

function documentOfPerson(person: Person): SearchDocument {
  return personDocument(JSON.parse(person.fields))
}
