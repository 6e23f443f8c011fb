/** @jsxImportSource hono/jsx */
/** `/operator/directory`: every record, the one that was changed last first, or those that are looked for. */
import { type FoundRecord, findRecordsBy } from '../../../intake/editing/find.ts'
import { RECORD_KINDS, type RecordKind } from '../../../intake/editing/records.ts'
import type { Child } from '../../../site/http/html.ts'
import type { Page, PageContext, SignedInContext } from '../../../site/http/page.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { numbers } from '../../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../../site/ui/pager.tsx'
import { figure, Moment } from '../../../site/ui/text.tsx'
import { Said } from '../../ui/acts.tsx'
import { operatorPage } from '../../ui/frame.tsx'
import { type Cells, List, Tabs } from '../../ui/lists.tsx'
import { ADD, DIRECTORY, JOURNAL, KIND_NAMES, REQUESTS, recordPath } from '../../ui/paths.ts'
import { MAX_PAGE, MAX_TEXT, pageIn, textIn } from '../../ui/query.ts'
import { kindIn } from './kinds.ts'

/** Records of a page. */
const LIMIT = 50

export async function browsePage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const kind = kindIn(asked, 'company')
  const text = textIn(asked)
  const page = pageIn(asked)
  const { database } = context.application
  const { records, hasMore } = await findRecordsBy(database, kind, { text, page, limit: LIMIT })
  const href = (more: Record<string, string>) =>
    context.href(`${DIRECTORY}?${new URLSearchParams({ kind, ...(text && { q: text }), ...more })}`)
  return operatorPage(
    context,
    { title: 'Directory' },
    <>
      <Said context={context} />
      <DirectoryTabs context={context} current={kind} text={text} />
      <SearchForm context={context} kind={kind} text={text} action={DIRECTORY}>
        {text ? <a href={context.href(`${DIRECTORY}?kind=${kind}`)}>Clear search</a> : null}
        <QuietLink href={context.href(`${ADD}?kind=${kind}`)}>Add a {kind}</QuietLink>
      </SearchForm>
      {records.length > 0 ? (
        <>
          <p class="note">{text ? FOUND_ORDER : ORDERS[kind]}</p>
          <Records context={context} kind={kind} records={records} />
        </>
      ) : (
        <p class="empty">
          {text ? 'No record is found.' : 'There are none yet: import a file, or add one.'}
        </p>
      )}
      <NewerOlder
        newer={page > 1 ? href({ page: String(page - 1) }) : undefined}
        older={hasMore && page < MAX_PAGE ? href({ page: String(page + 1) }) : undefined}
      />
    </>,
  )
}

interface TabsProps {
  context: PageContext
  /** Selected tab. */
  current: RecordKind | 'journal' | 'requests'
  /** Search text for records of each kind. */
  text?: string
}

/** The parts of the directory: each kind of record, the journal, and what people ask about their own data. */
export function DirectoryTabs({ context, current, text = '' }: TabsProps) {
  const pathOf = (kind: RecordKind) =>
    `${DIRECTORY}?${new URLSearchParams({ kind, ...(text && { q: text }) })}`
  const tabs = [
    ...RECORD_KINDS.map((kind) => [pathOf(kind), KIND_NAMES[kind].plural] as const),
    [JOURNAL, 'Journal'] as const,
    [REQUESTS, 'Privacy requests'] as const,
  ]
  const path = current === 'journal' ? JOURNAL : current === 'requests' ? REQUESTS : pathOf(current)
  return <Tabs context={context} label="Parts of the directory" tabs={tabs} current={path} />
}

interface SearchFormProps {
  context: PageContext
  kind: RecordKind
  text: string
  /** The path to which the form is sent. */
  action: string
  /** Further parameters of the query. */
  hidden?: Readonly<Record<string, string>>
  children?: Child
}

const WORDS: Readonly<Record<RecordKind, string>> = {
  company: 'Name, domain, X handle, id, externalId or slug',
  person: 'Name, X handle, id, externalId or slug',
  round: 'Company, name of the round, id or externalId',
}

/** A field to look for records by. */
export function SearchForm({ context, kind, text, action, hidden, children }: SearchFormProps) {
  return (
    <form class="filters" action={context.href(action)}>
      {Object.entries({ kind, ...hidden }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="field grows">
        <label for="field-q">{WORDS[kind]}</label>
        <input id="field-q" type="search" name="q" value={text} maxlength={MAX_TEXT} />
      </div>
      <Submit tone="quiet">Search</Submit>
      {children}
    </form>
  )
}

/** In which order records are listed. */
const ORDERS: Readonly<Record<RecordKind, string>> = {
  company: 'Newest changes first.',
  person: 'Newest changes first.',
  round: 'Added last first.',
}
const FOUND_ORDER = 'Exact matches first.'

interface RecordsProps {
  context: PageContext
  kind: RecordKind
  records: readonly FoundRecord[]
}

const ABOUT: Readonly<Record<RecordKind, string>> = {
  company: 'Domain',
  person: 'Job title',
  round: 'Announced as',
}

/** A column that no record fills is left out. */
function Records({ context, kind, records }: RecordsProps) {
  const cells: Cells<FoundRecord> = [
    [
      'Record',
      ({ id, name }) => (
        <a href={context.href(recordPath(kind, id))}>
          <bdi>{name}</bdi>
        </a>
      ),
    ],
    [{ label: ABOUT[kind], card: 'line' }, ({ about }) => about && <bdi>{about}</bdi>],
    [
      kind === 'round' ? 'Added (UTC)' : 'Changed (UTC)',
      ({ changedAt }) => <Moment at={changedAt} />,
    ],
    ['Source', ({ sources }) => sources.length > 0 && <bdi>{sources.join(', ')}</bdi>],
    [numbers('Pinned fields'), ({ pins }) => pins > 0 && figure(pins)],
  ]
  return (
    <List
      label={KIND_NAMES[kind].plural}
      rows={records}
      cells={cells.filter(([, cell]) => records.some((record) => cell(record)))}
    />
  )
}
