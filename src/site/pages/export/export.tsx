/** @jsxImportSource hono/jsx */
/**
 * `/export/{list}`: a list with its filters as CSV. The file contains records only, unless it stops
 * early: then its last line says why and what was charged.
 */
import { WEB_OPERATIONS } from '../../../contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../../contract/headers.ts'
import type { Parameters } from '../../../contract/query.ts'
import { tierHas } from '../../../contract/tiers.ts'
import type { DirectoryName } from '../../../contract/vocabulary.ts'
import { type CsvValue, csvLine } from '../../../csv.ts'
import type { Company } from '../../../directory/records/company.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import type { Person } from '../../../directory/records/person.ts'
import { paidUnits, runId } from '../../../money/accounts/web-runs.ts'
import { csvFile } from '../../http/csv-file.ts'
import type { Form as Fields } from '../../http/form.ts'
import { fieldText, notFound } from '../../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../../http/page.ts'
import { rightEnd } from '../../http/rights.ts'
import { LIST_PARAMETERS, listedCompanies, listedPeople } from '../../profiles/directory-lists.ts'
import { filterFacts } from '../../profiles/filter-facts.ts'
import { investorRecord, personDetailOf, projectRecord } from '../../profiles/view-models.ts'
import { QuietLink } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Form, IdempotencyField, idempotencyKeyOf, malformedForm } from '../../ui/form.tsx'
import { queryOf, valuesOf } from '../../ui/list-query.ts'
import { beginPaid } from '../../ui/outcome.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import {
  PaidSubmit,
  planNeededPage,
  quoteFacts,
  quoteOf,
  requireFeature,
  Shortfall,
} from '../../ui/paid-feature.tsx'
import { isSuspended, NotWhileSuspended } from '../../ui/suspension.tsx'
import { figure, plural } from '../../ui/text.tsx'

const { rows: PER_UNIT, credits: UNIT_CREDITS } = WEB_OPERATIONS.csvExport

export async function exportPage(context: SignedInContext): Promise<Page> {
  const { session, href, id } = context
  const { selection, query } = select(context, 1)
  const title = `Export ${id}`
  if (!tierHas(session.account.tier, 'csvExport')) {
    const text = `Download a list with its filters, ${UNIT_CREDITS} credits for each started ${figure(PER_UNIT)} rows.`
    return planNeededPage(context, title, text, 'csvExport')
  }
  const rows = selection.total
  const quote = await quoteOf(context, WEB_OPERATIONS.csvExport, unitsOf(rows))
  const covered = Math.min(rows, quote.covered * PER_UNIT)
  const key = crypto.randomUUID()
  const run = runOf(context, key, query, rows)
  return personalPage(
    { title, balance: quote.balance },
    <>
      <p class="lead">
        {plural(rows, 'row', 'rows')} as CSV, with every public field of a record. Funding rounds
        and portfolios are in the API. Exports never include private contact channels.
      </p>
      <Facts
        facts={[
          ...filterFacts(selection.values, context.directory),
          { name: 'Rows', value: figure(rows) },
          ...quoteFacts(quote),
        ]}
      />
      <Shortfall context={context} covered={covered} all={rows} things="rows" what="the file" />
      {isSuspended(context) ? (
        <NotWhileSuspended />
      ) : covered > 0 ? (
        <Form context={context} action={`/export/${id}${query}`}>
          <IdempotencyField value={key} />
          <input type="hidden" name="rows" value={String(rows)} />
          <p class="actions">
            <PaidSubmit quote={quote}>Download</PaidSubmit>
            <QuietLink href={href(`/${id}${query}`)}>Cancel</QuietLink>
          </p>
          <p class="note">
            {UNIT_CREDITS} credits per {figure(PER_UNIT)} rows, rounded up and charged as the file
            downloads. If the download breaks off, press the button again within a day, at most{' '}
            {IDEMPOTENT_REPEATS} times: no row is charged twice. Once it has begun, Usage shows{' '}
            <a href={href(`/balance?request=${run.id}#ledger`)}>what this export cost</a>.
          </p>
        </Form>
      ) : (
        <p>
          <QuietLink href={href(`/${id}${query}`)}>Back to the list</QuietLink>
        </p>
      )}
    </>,
  )
}

/** Sends at most as many rows as the form showed, even if the list has grown. */
export async function exportFile(context: SignedInContext, form: Fields): Promise<Reply> {
  requireFeature(context, 'csvExport', 'CSV export')
  const shown = fieldText(form, 'rows')
  if (!/^\d{1,9}$/.test(shown)) throw malformedForm()
  const { selection, query } = select(context, Number(shown))
  const { total, header, lines } = selection
  const rows = Math.min(total, Number(shown))
  const request = runOf(context, idempotencyKeyOf(form), query, Number(shown))
  const run = await beginPaid(context, request)
  const left = new AbortController()
  const { signal } = left

  async function* file() {
    yield header
    const unit = (i: number) => lines(i * PER_UNIT, Math.min((i + 1) * PER_UNIT, rows))
    const end = yield* paidUnits(context.application, run, unitsOf(rows), unit, {
      rightEnd: () => rightEnd(context, 'csvExport'),
      signal,
    })
    if (end.stopped) yield csvLine([stopLine(end.units, end.stopped, rows)])
  }

  return csvFile(context.log, context.id, file(), left)
}

/** List of the path, its first `limit` rows, and its normalised query. */
function select({ id, directory, query }: SignedInContext, limit: number) {
  const list = Object.hasOwn(EXPORTED_LISTS, id) ? EXPORTED_LISTS[id] : undefined
  if (!list) throw notFound('list')
  const selection = list.select(directory, query, limit)
  return { selection, query: queryOf(list.parameters, selection.values) }
}

function unitsOf(rows: number): number {
  return Math.ceil(rows / PER_UNIT)
}

function runOf({ session, id }: SignedInContext, key: string, query: string, rows: number) {
  const accountId = session.account.id
  const question = `${id} ${query} ${rows}`
  const operation = WEB_OPERATIONS.csvExport
  return { accountId, operation, id: runId(accountId, key, question), units: unitsOf(rows) }
}

const AGAIN = 'Download again from the same page within a day: no row is charged twice.'

/** For each early end: the reason, the rest of the sentence about charges, and the next step. */
const STOP_REASONS = {
  credits: ['your credits ran out', '', AGAIN],
  suspended: ['your account was suspended', '', AGAIN],
  access: [
    'you were signed out, or you no longer have access to this account',
    ' and nothing more',
    'Sign in and download again from the same page within a day: no row is charged twice.',
  ],
  plan: ['your plan no longer includes CSV export', ' and nothing more', ''],
  changed: ['the list has changed', ' and nothing more', 'Start a new export.'],
  expired: ['the download began a day ago', ' and nothing more', 'Start a new export.'],
  left: ['the download was cancelled', '', AGAIN],
  unavailable: ['the service did not answer', ' and nothing more', AGAIN],
  unknown: ['the service did not answer', ' and perhaps for the next ones: Usage shows it', AGAIN],
} as const

/** Last line of an incomplete file. */
function stopLine(units: number, stopped: keyof typeof STOP_REASONS, rows: number): string {
  const [reason, more, next] = STOP_REASONS[stopped]
  const charged = `${units * UNIT_CREDITS} credits were charged for these rows${more}`
  return `Stopped after ${units * PER_UNIT} of ${rows} rows: ${reason}. ${charged}. ${next}`.trimEnd()
}

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

/** @param total number of all matching rows */
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
    /** Filters and order, parsed. */
    values: filters,
    total,
    header: csvLine(columns),
    /** CSV lines of rows `from` up to `to`. */
    lines: (from: number, to: number) => records.slice(from, to).map(line).join(''),
  }
}

/** A fund has the fields of a company, and its own. */
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
