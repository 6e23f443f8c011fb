/** Data of profiles: a record, and what follows from the records around it. */
import type { Company } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { Person } from '../../directory/records/person.ts'
import { knownValuesOf } from '../ui/list-query.ts'
import { type SharedContext, sharedPart } from '../ui/shared-part.ts'
import { type Connections, connectionsOfCompany, connectionsOfPerson } from './connections.ts'
import { FUNDING_PARAMETERS, fundingOf } from './funding.ts'
import { PORTFOLIO_PARAMETERS, portfolioOf } from './portfolio.ts'
import { similarCompanies } from './similar.tsx'
import {
  bySeniority,
  companyPath,
  investorRecord,
  personDetailOf,
  projectRecord,
} from './view-models.ts'

export type PersonProfile = ReturnType<typeof personProfile>
export type CompanyProfile = ReturnType<typeof companyProfile>

/** Data of a person's page. */
export function personProfile(context: SharedContext, it: Person) {
  const { directory } = context
  const { company } = it
  return {
    person: personDetailOf(it),
    coworkers: directory.coworkers(it).sort(bySeniority),
    /** Null if not on record. */
    employer: company
      ? {
          ...fundedCompany(directory, company),
          team: directory.team(company).length,
          investments: company.portfolioCount,
        }
      : null,
    connections: connectionsPart(context, 'person', it, connectionsOfPerson),
  }
}

/** Data of a company's page. @param query of the URL: pages of rounds and portfolio */
export function companyProfile(context: SharedContext, it: Company, query: string) {
  const { directory } = context
  const connections = connectionsPart(context, 'company', it, connectionsOfCompany)
  const portfolio = it.investor
    ? portfolioOf(directory, it, knownValuesOf(PORTFOLIO_PARAMETERS, query))
    : null
  const similar = it.investor
    ? null
    : sharedPart(context, `similar to ${it.id}`, () => similarCompanies(directory, it))
  return {
    ...fundedCompany(directory, it, query),
    /** Null unless the company is a fund. */
    fund: it.investor ? investorRecord(it) : null,
    team: directory.team(it).toSorted(bySeniority),
    /** Null for funds, which have co-investors instead. */
    similar,
    /** Null unless the company is a fund. */
    portfolio,
    connections,
  }
}

/** @param kind part of the key: a person and a company may share an id */
function connectionsPart<R extends Person | Company>(
  context: SharedContext,
  kind: 'person' | 'company',
  it: R,
  connectionsOf: (directory: Directory, it: R) => Connections,
) {
  return sharedPart(context, `connections of ${kind} ${it.id}`, () =>
    connectionsOf(context.directory, it),
  )
}

export type FundedCompany = ReturnType<typeof fundedCompany>

function fundedCompany(directory: Directory, it: Company, query = '') {
  const funding = fundingOf(directory, it, knownValuesOf(FUNDING_PARAMETERS, query))
  const named = [...funding.rounds, ...(funding.newest ? [funding.newest] : [])]
  const paths = named
    .flatMap((round) => round.investors)
    .flatMap(({ id }) => {
      const investor = directory.company(id)
      return investor ? [[id, companyPath(investor)] as const] : []
    })
  return {
    company: projectRecord(it),
    funding,
    /** Paths of the investors in the shown rounds, by id. */
    investorPaths: new Map(paths),
  }
}
