/** @jsxImportSource hono/jsx */
/**
 * `/bulk-search`: many searches at once. Its form leads to `/bulk-search/{id}`, which shows the price and, once it is
 * confirmed, the results.
 */
import { setImmediate } from 'node:timers/promises'
import { WEB_OPERATIONS } from '../../../contract/endpoints.ts'
import { tierHas } from '../../../contract/tiers.ts'
import { DIRECTORIES } from '../../../contract/vocabulary.ts'
import { BYTE_ORDER_MARK, csvLine } from '../../../csv.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import { exactly } from '../../../directory/search/query.ts'
import {
  type KeptSearch,
  keepSearch,
  keptSearch,
  MAX_LINES,
  type PricedSearch,
  priceSearch,
} from '../../../money/accounts/kept-searches.ts'
import { paidUnits, type RunEnd } from '../../../money/accounts/web-runs.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../../http/form-errors.ts'
import type { Html } from '../../http/html.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { rightEnd } from '../../http/rights.ts'
import {
  companyNames,
  companyPath,
  nameOf,
  personNames,
  personPath,
  personRecord,
  projectRecord,
} from '../../profiles/view-models.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Form, malformedForm } from '../../ui/form.tsx'
import { beginPaid } from '../../ui/outcome.tsx'
import { Notice, personalPage, Section, Table } from '../../ui/page-parts.tsx'
import {
  PaidSubmit,
  planNeededPage,
  quoteFacts,
  quoteOf,
  requireFeature,
  Shortfall,
} from '../../ui/paid-feature.tsx'
import { isSuspended, NotWhileSuspended, refuseSuspended } from '../../ui/suspension.tsx'
import { figure, humanize, plural } from '../../ui/text.tsx'

const MAX_LINE_CHARACTERS = 200
/** Largest form: the maximum of lines, percent-encoded, pasted and as a file. */
export const MAX_BULK_BYTES = 1024 * 1024

const { credits: LINE_CREDITS } = WEB_OPERATIONS.bulkSearch

export function bulkPage(context: SignedInContext, errors?: FormErrors): Page {
  const text = `Up to ${MAX_LINES} searches at once, pasted or from a file, with the best matches of each as a table and as CSV. ${LINE_CREDITS} credits a line that finds something.`
  return tierHas(context.session.account.tier, 'bulkSearch')
    ? personalPage({ title: TITLE }, <Lines context={context} errors={errors} />)
    : planNeededPage(context, TITLE, text, 'bulkSearch')
}

/** Stores the lines and redirects to their price. */
export function bulkSearch(context: SignedInContext, form: Fields): Promise<Reply> {
  requireFeature(context, 'bulkSearch', 'bulk search')
  refuseSuspended(context)
  const again = (errors: FormErrors) => bulkPage(context, errors)
  return withFormErrors(form, again, async () => {
    const { application, session, href } = context
    const all = linesOf(textIn(form))
    const lines = Map.groupBy(all, searchOf)
      .values()
      .map(([line = '']) => line)
      .toArray()
    const search = { lines, repeated: all.length - lines.length }
    const id = await keepSearch(application.database, session.account.id, search)
    return redirect(href(`/bulk-search/${id}`))
  })
}

/** Key for repeated lines: case and number of blanks don't matter. */
const searchOf = (line: string) => line.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')

/** Price of a search, or its results once it is confirmed. */
export async function bulkSearchPage(context: SignedInContext): Promise<Reply> {
  const search = await searchIn(context)
  return isPriced(search) ? bulkResult(context, search, context.id) : pricePage(context, search)
}

const isPriced = (search: KeptSearch): search is PricedSearch => search.priced !== undefined

/**
 * Confirms the price of a number of lines; those without a match at this moment are free. A search that the credits didn't
 * cover can be confirmed again for more lines.
 */
export async function confirmBulkSearch(context: SignedInContext, form: Fields): Promise<Reply> {
  const search = await searchIn(context)
  const { application, session, href, id } = context
  const units = fieldText(form, 'units')
  if (!/^\d{1,3}$/.test(units)) throw malformedForm()
  const most = Number(units)
  if (!isPriced(search) || search.most < most) {
    const priced = search.priced ?? (await pricedIn(context, search))
    const confirmed = { ...search, priced, most }
    await priceSearch(application.database, session.account.id, id, search, confirmed)
  }
  return redirect(href(`/bulk-search/${id}`))
}

/** Positions of the lines with a match. */
async function pricedIn({ directory }: SignedInContext, { lines }: KeptSearch): Promise<number[]> {
  const priced: number[] = []
  for (const [position, line] of lines.entries()) {
    if (hasMatch(directory, line)) priced.push(position)
    await setImmediate()
  }
  return priced
}

/** @throws PageError 404 */
async function searchIn(context: SignedInContext): Promise<KeptSearch> {
  requireFeature(context, 'bulkSearch', 'bulk search')
  refuseSuspended(context)
  const { application, session, id } = context
  const search = await keptSearch(application.database, session.account.id, id)
  if (search) return search
  const help = 'A bulk search is kept for a day. What it cost stays in Usage.'
  throw new PageError(404, 'There is no such bulk search', help)
}

/** Pasted text or the file's. @throws FieldError if both were sent */
function textIn(form: Fields): string {
  const [pasted, file] = [fieldText(form, 'lines'), fieldText(form, 'file')]
  if (pasted.trim() !== '' && file.trim() !== '') {
    throw linesError('Paste lines or choose a file, not both.')
  }
  return pasted.trim() === '' ? file : pasted
}

/** Trimmed non-empty lines. @throws FieldError that names the line */
function linesOf(text: string): string[] {
  const all = text.split(/\r\n|\r|\n/).map((line) => line.trim())
  for (const [position, line] of all.entries()) {
    if (line.length > MAX_LINE_CHARACTERS) {
      const limit = `at most ${MAX_LINE_CHARACTERS}`
      throw linesError(`Line ${position + 1} has ${line.length} characters: ${limit}.`)
    }
  }
  const lines = all.filter((line) => line !== '')
  if (lines.length === 0) throw linesError('Enter at least one line.')
  if (lines.length > MAX_LINES) {
    throw linesError(`There are ${lines.length} lines: at most ${MAX_LINES} at once.`)
  }
  return lines
}

function linesError(message: string): FieldError {
  return new FieldError('lines', message)
}

interface LinesProps {
  context: SignedInContext
  errors: FormErrors | undefined
}

function Lines({ context, errors }: LinesProps) {
  return (
    <>
      <p class="lead">
        Names, tickers, handles, domains or job titles, one per line, up to {MAX_LINES}. Each line
        that finds something costs {LINE_CREDITS} credits; a repeated line counts once, and one that
        finds nothing is free. You see the highest price before anything is charged.
      </p>
      {isSuspended(context) ? (
        <NotWhileSuspended />
      ) : (
        <LinesForm context={context} errors={errors} />
      )}
    </>
  )
}

function LinesForm({ context, errors }: LinesProps) {
  const problem = errors?.problems[0]?.message
  return (
    <Form
      context={context}
      action="/bulk-search"
      class="form wide-form"
      enctype="multipart/form-data"
    >
      <div class="field">
        <label for="field-lines">Lines</label>
        <textarea
          id="field-lines"
          name="lines"
          rows={10}
          spellcheck={false}
          aria-invalid={problem ? 'true' : undefined}
          aria-describedby={problem ? 'lines-problem' : undefined}
        >
          {errors?.form.get('lines') ?? ''}
        </textarea>
        {problem ? (
          <p class="problem" id="lines-problem">
            {problem}
          </p>
        ) : null}
      </div>
      <div class="field">
        <label for="field-file">Or a text file (UTF-8)</label>
        <input id="field-file" type="file" name="file" accept=".txt,.csv,text/plain,text/csv" />
      </div>
      <Submit>See price</Submit>
    </Form>
  )
}

async function pricePage(context: SignedInContext, { lines, repeated }: KeptSearch): Promise<Page> {
  const quote = await quoteOf(context, WEB_OPERATIONS.bulkSearch, lines.length)
  return personalPage(
    { title: TITLE, heading: plural(lines.length, 'line', 'lines'), balance: quote.balance },
    <>
      <Facts
        facts={[
          { name: 'First line', value: lines[0] },
          { name: 'Last line', value: lines.at(-1) },
          {
            name: 'Repeated',
            value:
              repeated > 0 ? `${plural(repeated, 'line', 'lines')}, searched and paid once` : null,
          },
          ...quoteFacts(quote),
        ]}
      />
      <p>
        This is the most that it costs: {LINE_CREDITS} credits for each line that finds something.
        Lines that find nothing are free.
      </p>
      <Shortfall
        context={context}
        covered={quote.covered}
        all={lines.length}
        things="lines"
        what="the search"
      />
      <Form context={context} action={`/bulk-search/${context.id}`}>
        <input type="hidden" name="units" value={String(quote.covered)} />
        <div class="actions">
          <PaidSubmit quote={quote}>Search</PaidSubmit>
          <QuietLink href={context.href('/bulk-search')}>Start over</QuietLink>
        </div>
      </Form>
    </>,
  )
}

// Results of `/bulk-search/{id}`. The end says what was charged and has a link that contains the results as CSV: the server
// stores none.

const TITLE = 'Bulk search'

const CSV_COLUMNS = ['line', 'search', 'match', 'list', 'name', 'detail', 'id', 'url']

/** A line with its best matches; none where nothing is found, which costs nothing. */
interface Answer {
  line: string
  matches: readonly Match[]
}

interface Answers {
  /** From the first line on, as far as the search went. */
  answers: readonly Answer[]
  end: RunEnd
}

/** Charges the lines and shows their matches. @param id of the run */
async function bulkResult(
  context: SignedInContext,
  search: PricedSearch,
  id: string,
): Promise<Page> {
  const { lines, priced } = search
  const result = await answersOf(context, search, id)
  const { units, stopped } = result.end
  const more = stopped === 'credits' ? await moreForm(context, units, priced.length) : null
  return personalPage(
    { title: TITLE, shape: 'wide' },
    <>
      <p class="lead">
        {plural(lines.length, 'line', 'lines')}. The end of the page says what was charged. For a
        day you can come back to this page at no cost.
      </p>
      <Table
        label="matches by line"
        columns={['Line', 'Best matches']}
        rows={result.answers.map(({ line, matches }, position) => [
          <>
            <span class="quiet">{`${position + 1}/${lines.length}`}</span> {line}
          </>,
          <Matches matches={matches} href={context.href} />,
        ])}
      />
      <End context={context} result={result} total={lines.length} more={more} />
    </>,
  )
}

async function answersOf(
  context: SignedInContext,
  { lines, priced, most }: PricedSearch,
  id: string,
): Promise<Answers> {
  const { application, session, directory, request } = context
  const { bulkSearch: operation } = WEB_OPERATIONS
  const run = await beginPaid(
    context,
    { accountId: session.account.id, operation, id, units: priced.length },
    shownTooOften(),
  )
  const lineAt = (position: number) => lines[position] ?? ''
  const units = paidUnits(
    application,
    run,
    Math.min(most, priced.length),
    (unit) => {
      const position = priced[unit] ?? 0
      return { position, matches: bestMatches(directory, lineAt(position)) }
    },
    {
      rightEnd: () => rightEnd(context, 'bulkSearch'),
      isWorth: ({ matches }) => matches.length > 0,
      signal: request.signal,
    },
  )
  const answers: Answer[] = []
  /** Answers the lines before this one: they find nothing. */
  const answerBefore = (position: number) => {
    for (const line of lines.slice(answers.length, position)) answers.push({ line, matches: [] })
  }
  for (;;) {
    const { value, done } = await units.next()
    if (!done) {
      answerBefore(value.position)
      answers.push({ line: lineAt(value.position), matches: value.matches })
      continue
    }
    // The confirmed lines are done and others are left.
    const isShort = value.stopped === null && value.units < priced.length
    if (value.stopped === null && !isShort) answerBefore(lines.length)
    return { answers, end: isShort ? { ...value, stopped: 'credits' } : value }
  }
}

/** Form for the lines that the credits didn't cover. Loading the page again charges nothing. */
async function moreForm(context: SignedInContext, units: number, all: number) {
  const quote = await quoteOf(context, WEB_OPERATIONS.bulkSearch, all - units)
  return quote.covered === 0 ? null : (
    <Form context={context} action={`/bulk-search/${context.id}`}>
      <input type="hidden" name="units" value={String(units + quote.covered)} />
      <p class="actions">
        <PaidSubmit quote={quote}>Search on</PaidSubmit>
      </p>
    </Form>
  )
}

function shownTooOften(): PageError {
  return new PageError(
    400,
    'This search was shown too often',
    'Its results were shown as often as a day allows. Nothing was charged. Start a new bulk search: it is charged anew.',
  )
}

const csvOf = (appUrl: string, answers: readonly Answer[]): string =>
  answers
    .flatMap(({ line, matches }, position) =>
      matches.length === 0
        ? [csvLine([position + 1, line])]
        : matches.map(({ list, name, detail, id, path }, i) =>
            csvLine([position + 1, line, i + 1, list, name, detail, id, appUrl + path]),
          ),
    )
    .join('')

type Href = SignedInContext['href']

function Matches({ matches, href }: { matches: readonly Match[]; href: Href }) {
  if (matches.length === 0) return <span class="quiet">No matches</span>
  return (
    <ol class="matches">
      {matches.map(({ list, name, detail, path }) => (
        <li>
          <a href={href(path)}>
            <bdi>{name}</bdi>
          </a>{' '}
          <span class="quiet">
            {humanize(list)}
            {detail ? ': ' : ''}
            <bdi>{detail}</bdi>
          </span>
        </li>
      ))}
    </ol>
  )
}

interface EndProps {
  context: SignedInContext
  result: Answers
  total: number
  /** Form that continues the search. */
  more: Html | null
}

function End({ context: { href, id, site }, result: { answers, end }, total, more }: EndProps) {
  const csv = csvLine(CSV_COLUMNS) + csvOf(site.appUrl, answers)
  const file = Buffer.from(BYTE_ORDER_MARK + csv).toString('base64')
  const title =
    answers.length === total
      ? 'All lines answered'
      : `${figure(answers.length)} of ${plural(total, 'line', 'lines')} answered`
  return (
    <Section id="end" title={title}>
      <Notice tone={end.stopped === null ? 'good' : end.stopped === 'credits' ? 'warn' : 'bad'}>
        {messageOf(end, href)}
      </Notice>
      {more}
      <p class="actions">
        {answers.length === 0 ? null : (
          <a
            class="button"
            download="bulk-search.csv"
            href={`data:text/csv;charset=utf-8;base64,${file}`}
          >
            Download as CSV
          </a>
        )}
        <QuietLink href={href(`/balance?request=${id}#ledger`)}>View charges</QuietLink>
        <QuietLink href={href('/bulk-search')}>New bulk search</QuietLink>
      </p>
    </Section>
  )
}

/** Sentence about what was charged. */
function messageOf({ units, charged, stopped }: RunEnd, href: Href) {
  const known =
    charged === 0 && units > 0
      ? 'Nothing more was charged: these lines were paid for before.'
      : charged === 0 && stopped === null
        ? 'Nothing was charged: no line found anything.'
        : `${plural(charged, 'credit was', 'credits were')} charged.`
  const reload = 'Reload this page in a moment: no line is charged twice.'
  switch (stopped) {
    case 'credits':
      return (
        <>
          Your credits ran out. {known} <a href={href('/credits')}>Get credits</a>
        </>
      )
    case 'suspended':
      return `Your account was suspended: the lines above are answered. ${known}`
    case 'access':
      return `You were signed out, or you no longer have access to this account. ${known} Sign in and reload this page within a day: no line is charged twice.`
    case 'plan':
      return `Your plan no longer includes bulk search: the lines above are answered. ${known}`
    case 'changed':
      return `The directory has changed, and the next line finds nothing any more. ${known} Start a new bulk search for the other lines.`
    case 'expired':
      return `This search began a day ago and can't be continued. ${known} Start a new bulk search for the other lines.`
    case 'unavailable':
      return `The service can't continue right now. ${known} ${reload}`
    case 'unknown':
      return (
        <>
          The service can't continue right now. {units > 0 ? known : null} We don't know whether the
          next lines were charged. <a href={href('/balance')}>Usage</a> shows it. {reload}
        </>
      )
    default:
      return known
  }
}

/** Matches shown for each line. */
const MATCHES = 3

interface Match {
  /** `people` or the company's directory. */
  list: string
  id: string
  name: string
  /** Job title and company, or type and sectors. */
  detail: string
  path: string
}

function hasMatch(directory: Directory, line: string): boolean {
  const head = { q: line, page: 1, limit: 1 }
  return (
    directory.people(head).total > 0 ||
    DIRECTORIES.some((list) => directory.companies(list, head).total > 0)
  )
}

/** Best records for a line: exact names first, then the best of each list in turn. */
function bestMatches(directory: Directory, line: string): Match[] {
  const isExact = exactly(line)
  const head = { q: line, page: 1, limit: MATCHES }
  const people = directory.people(head).people.map(personRecord)
  const candidates = people.map((person, rank) => ({
    rank,
    isExact: isExact(personNames(person)),
    match: {
      list: 'people',
      id: person.id,
      name: nameOf(person),
      detail: [person.jobTitle, person.company?.name].filter(Boolean).join(', '),
      path: personPath(person),
    },
  }))
  for (const list of DIRECTORIES) {
    const companies = directory.companies(list, head).companies.map(projectRecord)
    for (const [rank, company] of companies.entries()) {
      const { id, name, companyType, sectors } = company
      candidates.push({
        rank,
        isExact: isExact(companyNames(company)),
        match: {
          list,
          id,
          name,
          detail: [companyType, ...sectors.slice(0, 2)].join(', '),
          path: companyPath(company),
        },
      })
    }
  }
  candidates.sort((a, b) => Number(b.isExact) - Number(a.isExact) || a.rank - b.rank)
  const best = new Map<string, Match>()
  for (const { match } of candidates) {
    // A company may be in two directories: its first match counts.
    if (best.size < MATCHES && !best.has(match.id)) best.set(match.id, match)
  }
  return [...best.values()]
}
