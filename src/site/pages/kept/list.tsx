/** @jsxImportSource hono/jsx */
/** `/lists/{id}`: the records of a list that the account keeps, as rows of the directory’s lists; `/lists/list.csv?id=` is its file. */
import type { Parameters } from '../../../contract/query.ts'
import {
  type DirectoryName,
  HOME_DIRECTORY,
  LISTS,
  type ListName,
} from '../../../contract/vocabulary.ts'
import { csvLine } from '../../../csv.ts'
import type { Company } from '../../../directory/records/company.ts'
import { sortedCompanies } from '../../../directory/records/company-collection.ts'
import type { CompanyOrder, PeopleSort } from '../../../directory/records/directory.ts'
import { sortedPeople } from '../../../directory/records/people-collection.ts'
import type { Person } from '../../../directory/records/person.ts'
import { unlockedContacts } from '../../../money/accounts/unlocks.ts'
import { type KeptList, type ListEntry, listOf } from '../../../people/contacts/record-lists.ts'
import type { Session } from '../../../people/users/sessions.ts'
import { notFound } from '../../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../../http/page.ts'
import { ownCsvFile } from '../../http/rights.ts'
import { LIST_PARAMETERS } from '../../profiles/directory-lists.ts'
import { COLUMNS, ROWS } from '../../profiles/list-rows.tsx'
import { SelectionDone, SelectionForm } from '../../profiles/selection.tsx'
import { nameOf, personRecord } from '../../profiles/view-models.ts'
import { ButtonLink, Submit } from '../../ui/actions.tsx'
import { SortField } from '../../ui/form.tsx'
import { queryOf, valuesOf } from '../../ui/list-query.ts'
import { ListTable } from '../../ui/list-table.tsx'
import { Flash, personalPage } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'
import { figure, humanize, plural } from '../../ui/text.tsx'

const SHOWN = 40

const MESSAGES = {
  added: 'Added to the list.',
  one: 'Added to the list.',
  some: 'Some records are no longer in the directory. The others were added to the list.',
  removed: 'Removed from the list.',
  renamed: 'The list was renamed.',
}

/** Order by time of adding, which directory lists don't have. */
const ADDED = 'added'
const orders = (kind: ListName) => [ADDED, ...LIST_PARAMETERS[kind].sort.choices]

const PARAMETERS = {
  of: { kind: 'choice', choices: LISTS, description: 'Which of its records are shown.' },
  sort: {
    kind: 'choice',
    choices: [...new Set(LISTS.flatMap(orders))],
    description: 'Order; what was added last comes first unless given.',
  },
  said: { kind: 'text', maxLength: 20, description: 'What was done before.' },
  page: { kind: 'integer', default: 1, min: 1, max: 1_000, description: 'Page of the records.' },
} as const satisfies Parameters

export async function listPage(context: SignedInContext): Promise<Page> {
  const { id } = context
  const values = valuesOf(PARAMETERS, context.query)
  const list = await keptRecords(context, id)
  const filled = LISTS.filter((kind) => countOf(list, kind) > 0)
  const kind = values.of ?? filled[0] ?? 'people'
  // Ignores an order of another kind of records.
  const sort = orders(kind).includes(values.sort ?? '') ? values.sort : undefined
  // The selection was used for this.
  const isDone = ['added', 'some', 'removed'].includes(values.said ?? '')
  const shown: Shown = { context, list, kind, sort, page: values.page }
  return personalPage(
    { title: list.name, shape: 'wide' },
    <>
      <p class="lead">
        A list of your account. <a href={context.href('/lists')}>All lists</a>
      </p>
      <Flash context={context} messages={MESSAGES} />
      {filled.length > 1 ? <Tabs {...shown} /> : null}
      {countOf(list, kind) > 0 ? (
        <Records {...shown} isDone={isDone} />
      ) : (
        <div class="empty">
          {isDone ? <SelectionDone context={context} /> : null}
          <p>{filled.length > 0 ? 'None of these is on the list.' : 'This list is empty.'}</p>
          <p>
            <ButtonLink href={context.href(`/${kind}`)}>Browse {kind}</ButtonLink>
          </p>
        </div>
      )}
      <Gone {...shown} />
      {filled.length > 0 ? (
        <p class="note">
          <a href={context.href(`/lists/list.csv?id=${id}`)} download>
            Download as CSV
          </a>
          : names, and the channels of those whom you have unlocked. It is free; all fields come
          with an export of the directory’s lists.
        </p>
      ) : null}
      <p class="note">
        <a href={context.href(`/lists/rename?id=${id}`)}>Rename</a> ·{' '}
        <a href={context.href(`/lists/delete?id=${id}`)}>Delete the list</a>
      </p>
    </>,
  )
}

interface Shown {
  context: SignedInContext
  list: KeptRecords
  kind: ListName
  sort: string | undefined
  page: number
}

function addressOf({ context, list, kind, sort }: Shown, changes: object): string {
  return context.href(`/lists/${list.id}`) + queryOf(PARAMETERS, { of: kind, sort, ...changes })
}

function Tabs(shown: Shown) {
  const { list, kind } = shown
  return (
    <nav class="kinds" aria-label="Kinds of records">
      {LISTS.filter((each) => countOf(list, each) > 0 || each === kind).map((each) => (
        <a
          href={addressOf(shown, { of: each, sort: undefined })}
          aria-current={each === kind ? 'page' : undefined}
        >
          {humanize(each)} <span class="number">{figure(countOf(list, each))}</span>
        </a>
      ))}
    </nav>
  )
}

function Records({ isDone, ...shown }: Shown & { isDone: boolean }) {
  const { context, list, kind, sort, page } = shown
  const total = countOf(list, kind)
  const pages = Math.ceil(total / SHOWN)
  const first = (Math.min(page, pages) - 1) * SHOWN
  return (
    <>
      <form class="filters" action={context.href(`/lists/${list.id}`)}>
        <input type="hidden" name="of" value={kind} />
        <SortField choices={orders(kind)} values={{ sort }} />
        <Submit>Show</Submit>
      </form>
      <p class="count" role="status">
        <strong>{figure(total)}</strong> {kind}
        {total > SHOWN ? `, ${figure(first + 1)} to ${figure(Math.min(first + SHOWN, total))}` : ''}
      </p>
      <SelectionForm
        context={context}
        kind={kind === 'people' ? 'people' : 'companies'}
        isDone={isDone}
      >
        <input type="hidden" name="list" value={list.id} />
        <Submit tone="quiet" formaction={context.href('/lists/remove')}>
          Remove from this list
        </Submit>
      </SelectionForm>
      <ListTable
        label={list.name}
        columns={COLUMNS[kind]}
        rows={rowsOf(shown, first)}
        order={sort}
        sorted={(order) => addressOf(shown, { sort: order })}
      />
      <Pager
        page={Math.min(page, pages)}
        totalPages={pages}
        href={(number) => addressOf(shown, { page: number })}
      />
    </>
  )
}

function rowsOf({ context, list, kind, sort }: Shown, first: number) {
  const isSorted = sort !== undefined && sort !== ADDED
  if (kind === 'people') {
    const people = isSorted ? sortedPeople(list.people, sort as PeopleSort) : list.people
    return people.slice(first, first + SHOWN).map((person) => ROWS.people(person, context))
  }
  const unsorted = list.companies[kind]
  const companies =
    sort === 'active'
      ? context.directory.mostActive(sortedCompanies(unsorted, 'prominence'))
      : isSorted
        ? sortedCompanies(unsorted, sort as CompanyOrder)
        : unsorted
  return companies.slice(first, first + SHOWN).map((company) => ROWS[kind](company, context))
}

/** Deleted records stay on the list until somebody removes them, because an undo may bring them back. */
function Gone({ context, list: { id, gone } }: Shown) {
  if (gone.length === 0) return null
  return (
    <p class="note">
      {plural(gone.length, 'record', 'records')} of the list {gone.length === 1 ? 'is' : 'are'} not
      in the directory any more.{' '}
      <a href={context.href(`/lists/remove?list=${id}&gone=yes`)}>Remove from this list</a>
    </p>
  )
}

interface KeptRecords {
  id: string
  name: string
  /** Newest entry first, as are companies. */
  people: Person[]
  companies: Readonly<Record<DirectoryName, Company[]>>
  /** Entries whose records were deleted. */
  gone: ListEntry[]
}

/** @throws PageError 404 if the account has no such list @throws DatabaseUnavailable */
export async function keptList(
  { application, session }: SignedInContext,
  id: string,
): Promise<KeptList> {
  const list = await listOf(application.database, session.account.id, id)
  if (!list) throw notFound('list')
  return list
}

/** Resolves the entries of a list in the directory. @throws as `keptList` does */
export async function keptRecords(context: SignedInContext, id: string): Promise<KeptRecords> {
  const { directory } = context
  const list = await keptList(context, id)
  const companies = { projects: [], investors: [], services: [] } as Record<
    DirectoryName,
    Company[]
  >
  const records: KeptRecords = { id, name: list.name, people: [], companies, gone: [] }
  for (const entry of list.entries) {
    const person = entry.kind === 'person' ? directory.person(entry.id) : undefined
    const company = entry.kind === 'company' ? directory.company(entry.id) : undefined
    if (person) records.people.push(person)
    else if (company) companies[HOME_DIRECTORY[company.companyType]].push(company)
    else records.gone.push(entry)
  }
  return records
}

export const countOf = ({ people, companies }: KeptRecords, kind: ListName): number =>
  (kind === 'people' ? people : companies[kind]).length

export const idsOf = ({ people, companies, gone }: KeptRecords): string[] =>
  [people, ...Object.values(companies), gone].flatMap((records) => records.map(({ id }) => id))

const FILE_COLUMNS = [
  ...['kind', 'id', 'slug', 'name', 'addedAt'],
  ...['email', 'phone', 'telegram', 'linkedinUrl'],
]

/** File of a list: names and unlocked channels; other fields are part of a paid export. @throws PageError 404 */
export async function listFile(context: SignedInContext): Promise<Reply> {
  const { application, session, directory, query } = context
  const { database } = application
  const id = new URLSearchParams(query).get('id') ?? ''
  const list = await keptList(context, id)
  const people = list.entries.flatMap((entry) => (entry.kind === 'person' ? [entry.id] : []))
  const contacts = await unlockedContacts(database, session.account.id, people)

  async function* lines() {
    yield csvLine(FILE_COLUMNS)
    for (const { id, kind, addedAt } of list.entries) {
      const person = kind === 'person' ? directory.person(id) : undefined
      const record = person ?? (kind === 'company' ? directory.company(id) : undefined)
      const name = person
        ? nameOf(personRecord(person))
        : record && 'name' in record
          ? record.name
          : null
      // An erased person's channels must not be shown.
      const channels = person ? contacts.get(id) : undefined
      yield csvLine([
        ...[kind, id, record?.slug, name, addedAt],
        ...[channels?.email, channels?.phone, channels?.telegram, channels?.linkedinUrl],
      ])
    }
  }
  // Stops when the account is suspended meanwhile: the channels were read before.
  const { suspensionReason } = session.account
  const allows = ({ account }: Session) => account.suspensionReason === suspensionReason
  return ownCsvFile(context, 'list', lines(), allows)
}
