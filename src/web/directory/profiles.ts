/** What profiles show: records, and what follows from the records around them. */
import type { Company } from '../../directory/company.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Person } from '../../directory/person.ts'
import * as render from '../../directory/render.ts'
import { connectionsOfCompany, connectionsOfPerson } from './connections.ts'
import { amountsOf, fundingOf, ROUNDS_SHOWN } from './funding.ts'
import { portfolioOf } from './portfolio.ts'
import type { PortfolioQuery } from './portfolio-query.ts'
import { bySeniority } from './seniority.ts'
import { similarCompanies } from './similar.ts'
import { companyPath, investorRecord, type ProjectDetail, personDetailOf } from './view-models.ts'

export type PersonProfile = ReturnType<typeof personProfile>
export type CompanyProfile = ReturnType<typeof companyProfile>

/** All that a person's page shows of the directory, read at one moment (D41). */
export function personProfile(directory: Directory, it: Person) {
  const { company } = it
  return {
    person: personDetailOf(it),
    coworkers: directory.coworkers(it).sort(bySeniority),
    /** Where they work; null where that is not on record. */
    employer: company
      ? {
          ...fundedCompany(directory, company),
          team: directory.team(company).length,
          investments: company.portfolioCount,
        }
      : null,
    connections: connectionsOfPerson(directory, it),
  }
}

/** All that a company's page shows of the directory, read at one moment (D41). @param query which page of a fund's portfolio, in which order */
export function companyProfile(directory: Directory, it: Company, query: PortfolioQuery) {
  return {
    ...fundedCompany(directory, it),
    /** Null where the company is no fund. */
    fund: it.investor ? investorRecord(it) : null,
    team: directory.team(it).toSorted(bySeniority),
    /** Of funds it says nothing: they are compared by whom they invest with. */
    similar: it.investor ? [] : similarCompanies(directory, it),
    /** Null where the company is no fund. */
    portfolio: it.investor ? portfolioOf(directory, it, query) : null,
    connections: connectionsOfCompany(directory, it),
  }
}

export type FundedCompany = ReturnType<typeof fundedCompany>

/** A company's record with the rounds that are shown, and what it raised in all of them. */
function fundedCompany(directory: Directory, it: Company) {
  const rounds = directory.fundingRounds(it)
  const shown = rounds.slice(0, ROUNDS_SHOWN)
  const company: ProjectDetail = JSON.parse(render.projectDetail(it, shown))
  const investors = company.fundingRounds.flatMap((round) => round.investors)
  const paths = investors.flatMap(({ id }) => {
    const investor = directory.company(id)
    return investor ? [[id, companyPath(investor)] as const] : []
  })
  return {
    company,
    funding: fundingOf(company, amountsOf(rounds)),
    /** The profile's path of each investor in the funding rounds, by id. */
    investorPaths: new Map(paths),
  }
}
