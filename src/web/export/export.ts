/**
 * The lists that can be exported, each with its filters and the columns of its CSV, in the API's names.
 * An import reads the same form: lists are split at `|`, objects are JSON, a company is named by its slug.
 * Private channels are in none.
 */

import {
  INVESTORS_PARAMETERS,
  PEOPLE_PARAMETERS,
  PROJECTS_PARAMETERS,
  SERVICES_PARAMETERS,
} from '../../contract/parameters.ts'
import type { Parameters, Values } from '../../contract/query.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import { type CsvValue, csvLine } from '../../csv.ts'
import type { Company } from '../../directory/company.ts'
import type { CompaniesQuery, Directory } from '../../directory/directory.ts'
import type { Person } from '../../directory/person.ts'
import { valuesOf } from '../directory/list-query.ts'
import { investorRecord, personDetailOf, projectRecord } from '../directory/view-models.ts'

/** What a query asks to have exported. */
export interface Export {
  /** The filters and the order, as the parser read them. */
  values: Readonly<Record<string, unknown>>
  /** How many there are now. */
  rows: number
  /** Fixes which rows: of the longest lists this takes some ten milliseconds, a count takes none. */
  choose(): Chosen
}

/** The rows of an export, fixed when they were chosen. */
export interface Chosen {
  rows: number
  header: string
  /** Lines of the rows from `from` up to `to`, as the records are when it is called. */
  lines(from: number, to: number): string
}

export interface ExportedList {
  title: string
  parameters: Parameters
  /** @throws ApiError for what the list refuses as well */
  select(directory: Directory, query: string): Export
}

/** Everything at once. The records are the directory's own: only the list of them is new. */
const ALL = Number.MAX_SAFE_INTEGER

const PERSON_COLUMNS = [
  ...['id', 'slug', 'firstName', 'lastName', 'jobTitle', 'company', 'companyName'],
  ...['contactType', 'roles', 'twitterHandle', 'isCreator', 'creatorFollowerCount', 'avatarUrl'],
  ...['hasEmail', 'hasPhone', 'hasTelegram', 'hasLinkedin', 'createdAt', 'updatedAt'],
]
const COMPANY_COLUMNS = [
  ...['id', 'slug', 'name', 'companyType', 'ticker', 'domain', 'sectors', 'chains', 'size'],
  ...['twitterHandle', 'followers', 'communityLink', 'discordUrl', 'linkedinUrl', 'logoUrl'],
  ...['tokenLaunched', 'tokenLink', 'lifecycle', 'aiSummary', 'handleHistory', 'twitterRisk'],
  'createdAt',
]
const INVESTOR_COLUMNS = [
  ...['id', 'slug', 'name', 'companyType', 'fundType', 'entityKind', 'fundAllTimeRoiPct'],
  ...['trustTier', 'trustTierRank', 'portfolioCount', 'altRoles', 'domain', 'twitterHandle'],
  ...['followers', 'communityLink', 'discordUrl', 'linkedinUrl', 'logoUrl', 'lifecycle'],
  ...['aiSummary', 'handleHistory', 'twitterRisk', 'createdAt'],
]

export const EXPORTED_LISTS: Readonly<Record<string, ExportedList>> = {
  people: listOf({
    title: 'People',
    parameters: PEOPLE_PARAMETERS,
    columns: PERSON_COLUMNS,
    find: (directory, values, limit) => {
      const { people, total } = directory.people({ ...values, page: 1, limit })
      return { records: people, total }
    },
    fieldsOf: personFields,
  }),
  projects: listOf({
    title: 'Projects',
    parameters: PROJECTS_PARAMETERS,
    columns: COMPANY_COLUMNS,
    find: (directory, { sector: sectors, ...values }, limit) =>
      companies(directory, 'projects', { ...values, sectors }, limit),
    fieldsOf: (company: Company) => projectRecord(company),
  }),
  investors: listOf({
    title: 'Investors',
    parameters: INVESTORS_PARAMETERS,
    columns: INVESTOR_COLUMNS,
    find: (directory, values, limit) =>
      companies(directory, 'investors', { ...values, sectors: [] }, limit),
    fieldsOf: (company: Company) => investorRecord(company),
  }),
  services: listOf({
    title: 'Services',
    parameters: SERVICES_PARAMETERS,
    columns: COMPANY_COLUMNS,
    find: (directory, { sector: sectors, ...values }, limit) =>
      companies(directory, 'services', { ...values, sectors }, limit),
    fieldsOf: (company: Company) => projectRecord(company),
  }),
}

interface Found<R> {
  records: readonly R[]
  total: number
}

function companies(
  directory: Directory,
  name: DirectoryName,
  query: Omit<CompaniesQuery, 'page' | 'limit'>,
  limit: number,
): Found<Company> {
  const { companies, total } = directory.companies(name, { ...query, page: 1, limit })
  return { records: companies, total }
}

function listOf<P extends Parameters, R>({
  title,
  parameters,
  columns,
  find,
  fieldsOf,
}: {
  title: string
  parameters: P
  columns: readonly string[]
  /** The first `limit` rows, and how many there are. */
  find(directory: Directory, values: Values<P>, limit: number): Found<R>
  fieldsOf(record: R): object
}): ExportedList {
  const line = (record: R) => {
    const fields: Readonly<Record<string, unknown>> = { ...fieldsOf(record) }
    return csvLine(columns.map((name) => cellOf(fields[name])))
  }
  return {
    title,
    parameters,
    select(directory, query) {
      const values = valuesOf(parameters, query)
      return {
        values: { ...values, page: undefined, limit: undefined },
        rows: find(directory, values, 1).total,
        choose() {
          const { records } = find(directory, values, ALL)
          return {
            rows: records.length,
            header: csvLine(columns),
            lines: (from, to) => records.slice(from, to).map(line).join(''),
          }
        },
      }
    },
  }
}

function personFields(person: Person): object {
  const detail = personDetailOf(person)
  return {
    ...detail,
    company: detail.company?.slug ?? null,
    companyName: detail.company?.name ?? null,
  }
}

function cellOf(value: unknown): CsvValue {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return value.join('|')
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}
