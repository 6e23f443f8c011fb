/** @jsxImportSource hono/jsx */
/**
 * `/bulk-search`: many searches at once. First the lines are counted and the price is said; then they are
 * answered while the page is being sent, each batch charged before it is shown. The CSV of the result is a
 * link that holds it, made of the same answer: nothing of it stays here.
 */
import { creditsOf } from '../../accounts/credits.ts'
import { paidUnits, type RunEnd, runId } from '../../accounts/web-runs.ts'
import { csvLine } from '../../csv.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { WEB_OPERATIONS } from '../../metering/prices.ts'
import { tierHas } from '../../metering/tiers.ts'
import { FieldError } from '../../users/fields.ts'
import { bestMatches, linesOf, MAX_LINES, type Match } from '../bulk-search.ts'
import type { Form as Fields } from '../form.ts'
import type { Html } from '../html.ts'
import { Later } from '../later.tsx'
import { type Page, PageError, type PersonalVisit, type Reply } from '../page.ts'
import { Form, type Tried } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Once, onceOf } from '../parts/once.tsx'
import { PlanNeeded, plansWith } from '../parts/plan-needed.tsx'
import { Facts } from '../parts/profile.tsx'
import { counted, figure, words } from '../parts/text.tsx'
import { textOf, tryForm } from '../trying.ts'

/** 200 lines of 200 characters, as a form writes them at worst, twice: pasted and as a file. */
export const MAX_BULK_BYTES = 1024 * 1024

const TITLE = 'Bulk search'
const { credits: LINE_CREDITS } = WEB_OPERATIONS.bulkSearch

export function bulkPage(visit: PersonalVisit, tried?: Tried): Page {
  const isPlanned = tierHas(visit.session.account.tier, 'bulkSearch')
  return {
    title: TITLE,
    isUnlisted: true,
    main: isPlanned ? (
      <Start visit={visit} tried={tried} />
    ) : (
      <PlanNeeded
        visit={visit}
        title={TITLE}
        text={`Up to ${MAX_LINES} searches at once, pasted or from a file, with the best matches for each as a table and as CSV. ${LINE_CREDITS} credits a line.`}
        feature="bulkSearch"
      />
    ),
  }
}

/** Counts the lines and says the price; with the value that this second form carries, searches. */
export function bulkSearch(visit: PersonalVisit, form: Fields): Promise<Reply> {
  if (!tierHas(visit.session.account.tier, 'bulkSearch')) {
    throw new PageError(
      403,
      'Your plan has no bulk search',
      `It comes with ${plansWith('bulkSearch')}.`,
    )
  }
  const again = (tried: Tried) => bulkPage(visit, tried)
  return tryForm(form, again, async () => {
    const lines = linesOf('lines', textIn(form))
    return form.has('once') ? resultPage(visit, lines, onceOf(form)) : pricePage(visit, lines)
  })
}

/** What was pasted, else the file. @throws FieldError for both */
function textIn(form: Fields): string {
  const [pasted, file] = [textOf(form, 'lines'), textOf(form, 'file')]
  if (pasted.trim() !== '' && file.trim() !== '') {
    throw new FieldError('lines', 'Either paste lines or choose a file, not both.')
  }
  return pasted.trim() === '' ? file : pasted
}

function Start({ visit, tried }: { visit: PersonalVisit; tried: Tried | undefined }): Html {
  const problem = tried?.problem.message
  return (
    <>
      <h1>{TITLE}</h1>
      <p class="lead">
        Names, tickers, handles, domains or job titles, one a line, up to {MAX_LINES}. Each line
        costs {LINE_CREDITS} credits; the price of all is said before anything is charged.
      </p>
      <form
        class="form wide-form"
        method="post"
        action={visit.to('/bulk-search')}
        enctype="multipart/form-data"
      >
        <input type="hidden" name="csrf" value={visit.formToken()} />
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
            {tried?.form.get('lines') ?? ''}
          </textarea>
          {problem ? (
            <p class="problem" id="lines-problem">
              {problem}
            </p>
          ) : null}
        </div>
        <div class="field">
          <label for="field-file">Or a file of text, in UTF-8</label>
          <input id="field-file" type="file" name="file" accept=".txt,.csv,text/plain,text/csv" />
        </div>
        <button class="button" type="submit">
          See the price
        </button>
      </form>
    </>
  )
}

async function pricePage(visit: PersonalVisit, lines: readonly string[]): Promise<Page> {
  const { application, session, to } = visit
  const credits = await creditsOf(application.database, session.account.id)
  const balance = credits?.balance ?? 0
  const price = lines.length * LINE_CREDITS
  const covered = credits?.unlimited
    ? lines.length
    : Math.min(lines.length, Math.floor(Math.max(0, balance) / LINE_CREDITS))
  return {
    title: TITLE,
    isUnlisted: true,
    balance,
    main: (
      <>
        <h1>{counted(lines.length, 'line', 'lines')}</h1>
        <Facts
          facts={[
            { name: 'First line', value: lines[0] },
            { name: 'Last line', value: lines.at(-1) },
            { name: 'Price', value: counted(price, 'credit', 'credits') },
            {
              name: 'You have',
              value: credits?.unlimited ? 'no ceiling' : counted(balance, 'credit', 'credits'),
            },
          ]}
        />
        {covered < lines.length ? (
          <Notice tone="warn">
            Your credits cover {figure(covered)} of {counted(lines.length, 'line', 'lines')}: the
            search would stop there. <a href={to('/credits')}>Get credits</a>
          </Notice>
        ) : null}
        <Form visit={visit} action="/bulk-search">
          <Once />
          <input type="hidden" name="lines" value={lines.join('\n')} />
          <div class="actions">
            {covered > 0 ? (
              <button class="button" type="submit">
                Search{' '}
                <span class="price">{counted(covered * LINE_CREDITS, 'credit', 'credits')}</span>
              </button>
            ) : null}
            <a class="button quiet" href={to('/bulk-search')}>
              Start over
            </a>
          </div>
        </Form>
      </>
    ),
  }
}

/** What has been answered so far; the end of the page is written from it. */
interface Answered {
  csv: string
  lines: number
  end: RunEnd | 'unavailable'
}

const CSV_COLUMNS = ['line', 'search', 'match', 'list', 'name', 'detail', 'id', 'url']

function resultPage(visit: PersonalVisit, lines: readonly string[], once: string): Page {
  const left = new AbortController()
  const accountId = visit.session.account.id
  const run = runId(accountId, once, lines.join('\n'))
  const answered: Answered = { csv: csvLine(CSV_COLUMNS), lines: 0, end: 'unavailable' }
  return {
    title: TITLE,
    isUnlisted: true,
    shape: 'wide',
    later: {
      left,
      parts: [rowsOf(visit, lines, run, answered, left.signal), endOf(visit, lines, run, answered)],
    },
    main: (
      <>
        <h1>{TITLE}</h1>
        <p class="lead">
          {counted(lines.length, 'line', 'lines')}. Lines appear as they are answered; what was
          charged stands at the end.
        </p>
        <section class="table" tabindex={0} aria-label="Table: matches by line">
          <table>
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col">Best matches</th>
              </tr>
            </thead>
            <tbody>
              <Later />
            </tbody>
          </table>
        </section>
        <Later />
      </>
    ),
  }
}

async function* rowsOf(
  { application, session, directory, site, to }: PersonalVisit,
  lines: readonly string[],
  run: string,
  answered: Answered,
  signal: AbortSignal,
): AsyncGenerator<Html> {
  const operation = WEB_OPERATIONS.bulkSearch
  const asked = { accountId: session.account.id, operation, id: run }
  const units = paidUnits(application, asked, lines.length, { signal })
  try {
    let next = await units.next()
    while (!next.done) {
      const { from, to: end } = next.value
      for (const [offset, line] of lines.slice(from, end).entries()) {
        const number = from + offset + 1
        const matches = bestMatches(directory, line)
        answered.csv += csvOf(site.appUrl, number, line, matches)
        answered.lines = number
        yield <Row number={number} of={lines.length} line={line} matches={matches} to={to} />
      }
      next = await units.next()
    }
    answered.end = next.value
  } catch (error) {
    // The page has begun: its end says so.
    if (!(error instanceof DatabaseUnavailable)) throw error
  }
}

function csvOf(appUrl: string, number: number, line: string, matches: readonly Match[]): string {
  if (matches.length === 0) return csvLine([number, line])
  return matches
    .map(({ list, name, detail, id, path }, i) =>
      csvLine([number, line, i + 1, list, name, detail, id, appUrl + path]),
    )
    .join('')
}

function Row({
  number,
  of,
  line,
  matches,
  to,
}: {
  number: number
  of: number
  line: string
  matches: readonly Match[]
  to(path: string): string
}): Html {
  return (
    <tr>
      <th scope="row">
        <span class="quiet">
          {number}/{of}
        </span>{' '}
        {line}
      </th>
      <td>
        {matches.length === 0 ? <span class="quiet">Nothing matches</span> : null}
        {matches.length > 0 ? (
          <ol class="matches">
            {matches.map(({ list, name, detail, path }) => (
              <li>
                <a href={to(path)}>{name}</a>{' '}
                <span class="quiet">
                  {words(list)}
                  {detail ? `: ${detail}` : ''}
                </span>
              </li>
            ))}
          </ol>
        ) : null}
      </td>
    </tr>
  )
}

async function* endOf(
  visit: PersonalVisit,
  lines: readonly string[],
  run: string,
  answered: Answered,
): AsyncGenerator<Html> {
  const { csv, end } = answered
  yield (
    <section aria-labelledby="end">
      <h2 id="end">
        {answered.lines === lines.length
          ? 'All lines are answered'
          : `${figure(answered.lines)} of ${counted(lines.length, 'line', 'lines')} answered`}
      </h2>
      <Ending visit={visit} end={end} />
      <p class="actions">
        {answered.lines > 0 ? (
          <a
            class="button"
            download="bulk-search.csv"
            href={`data:text/csv;charset=utf-8;base64,${Buffer.from(csv).toString('base64')}`}
          >
            Download as CSV
          </a>
        ) : null}
        <a class="button quiet" href={visit.to(`/balance?request=${run}#ledger`)}>
          What it was charged
        </a>
        <a class="button quiet" href={visit.to('/bulk-search')}>
          Search for more
        </a>
      </p>
    </section>
  )
}

function Ending({ visit, end }: { visit: PersonalVisit; end: Answered['end'] }): Html {
  if (end === 'unavailable') {
    return (
      <Notice tone="bad">
        The service can't go on right now. Load this page again in a moment: lines that were charged
        are not charged again.
      </Notice>
    )
  }
  const charged =
    end.charged === 0 && end.units > 0
      ? 'Nothing more was charged: these lines were paid for before.'
      : `${counted(end.charged, 'credit was', 'credits were')} charged.`
  return end.stopped === 'credits' ? (
    <Notice tone="warn">
      The credits ended here. {charged} <a href={visit.to('/credits')}>Get credits</a>
    </Notice>
  ) : (
    <Notice tone="good">{charged}</Notice>
  )
}
