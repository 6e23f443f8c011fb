/**
 * The lists that can be exported, each with its filters and the columns of its CSV, in the API's names: every public field of a
 * record.
 * An import reads the same form: lists are joined by `|`, objects are JSON, a company is named by its slug.
 * No list has private channels.
 */
import type { Parameters } from '../../../contract/query.ts'
import type { DirectoryName } from '../../../contract/vocabulary.ts'
import { type CsvValue, csvLine } from '../../../csv.ts'
import type { Company } from '../../../directory/records/company.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import type { Person } from '../../../directory/records/person.ts'
import { LIST_PARAMETERS, listedCompanies, listedPeople } from '../../profiles/listed.ts'
import { investorRecord, personDetailOf, projectRecord } from '../../profiles/view-models.ts'
import { valuesOf } from '../../ui/list-query.ts'

export type Selection = ReturnType<typeof selectionOf>

interface ExportedList {
  parameters: Parameters
  /** Reads the first `limit` rows. @throws ApiError for what the API's list refuses as well */
  select(directory: Directory, query: string, limit: number): Selection
}

const PERSON_COLUMNS = [
  ...['id', 'slug', 'firstName', 'lastName', 'jobTitle', 'company', 'companyName', 'companyId'],
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
  ...['trustTier', 'trustTierRank', 'portfolioCount', 'altRoles', 'ticker', 'domain', 'sectors'],
  ...['chains', 'size', 'tokenLaunched', 'tokenLink', 'twitterHandle'],
  ...['followers', 'communityLink', 'discordUrl', 'linkedinUrl', 'logoUrl', 'lifecycle'],
  ...['aiSummary', 'handleHistory', 'twitterRisk', 'createdAt'],
]

/** By the last part of the list's path. */
export const EXPORTED_LISTS: Readonly<Record<string, ExportedList>> = {
  people: {
    parameters: LIST_PARAMETERS.people,
    select(directory, query, limit) {
      const values = valuesOf(LIST_PARAMETERS.people, query)
      const { records, total } = listedPeople(directory, { ...values, page: 1, limit })
      return selectionOf(values, total, records, PERSON_COLUMNS, personFields)
    },
  },
  projects: companyList('projects', COMPANY_COLUMNS, projectRecord),
  investors: companyList('investors', INVESTOR_COLUMNS, fundFields),
  services: companyList('services', COMPANY_COLUMNS, projectRecord),
}

function companyList(
  name: DirectoryName,
  columns: readonly string[],
  recordOf: (company: Company) => object,
): ExportedList {
  return {
    parameters: LIST_PARAMETERS[name],
    select(directory, query, limit) {
      const values = valuesOf(LIST_PARAMETERS[name], query)
      const { total, records } = listedCompanies(directory, name, { ...values, page: 1, limit })
      return selectionOf(values, total, records, columns, recordOf)
    },
  }
}

/** The rows that a query selected, in its order. @param total how many rows match, read or not */
function selectionOf<R>(
  values: Readonly<Record<string, unknown>>,
  total: number,
  records: readonly R[],
  columns: readonly string[],
  fieldsOf: (record: R) => object,
) {
  const others = {
    page: undefined,
    limit: undefined,
    more: undefined,
    within: undefined,
    view: undefined,
  }
  const filters: typeof values = { ...values, ...others }
  const line = (record: R) => {
    const fields: Readonly<Record<string, unknown>> = { ...fieldsOf(record) }
    return csvLine(columns.map((name) => cellOf(fields[name])))
  }
  return {
    /** The filters and the order, as the parser read them. */
    values: filters,
    total,
    header: csvLine(columns),
    /** CSV lines of the rows that were read, from `from` up to `to`. */
    lines: (from: number, to: number) => records.slice(from, to).map(line).join(''),
  }
}

/** A fund is a company too: what lists of companies show of it are fields of its own. */
function fundFields(fund: Company): object {
  return { ...projectRecord(fund), ...investorRecord(fund) }
}

function personFields(person: Person): object {
  const { company, ...fields } = personDetailOf(person)
  return { ...fields, company: company?.slug ?? null, companyName: company?.name ?? null }
}

function cellOf(value: unknown): CsvValue {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return value.join('|')
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}
