/** @jsxImportSource hono/jsx */
/**
 * The answers of a bulk search, sent as they are made, each batch charged before it is shown. The CSV of the
 * result is a link that holds it, made of the same answers: nothing of it stays here.
 */
import { paidUnits, type RunEnd, runId } from '../../accounts/web-runs.ts'
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { csvLine } from '../../csv.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { Notice } from '../components/notice.tsx'
import { figure, humanize, plural } from '../components/text.tsx'
import type { Html } from '../http/html.ts'
import type { SignedInContext, StreamedPage } from '../http/page.ts'
import { StreamingSlot } from '../http/streaming-slot.tsx'
import { bestMatches, type Match } from './bulk-search.ts'

export const TITLE = 'Bulk search'

/** What has been answered so far; the end of the page is written from it. */
interface Answered {
  csv: string
  lines: number
  end: RunEnd | 'unavailable'
}

const CSV_COLUMNS = ['line', 'search', 'match', 'list', 'name', 'detail', 'id', 'url']

/** A page whose table is filled while it is sent. @param once the form's: the same again is charged once */
export function bulkResult(
  context: SignedInContext,
  lines: readonly string[],
  once: string,
): StreamedPage {
  const left = new AbortController()
  const accountId = context.session.account.id
  const run = runId(accountId, once, lines.join('\n'))
  const answered: Answered = { csv: csvLine(CSV_COLUMNS), lines: 0, end: 'unavailable' }
  return {
    title: TITLE,
    isUnlisted: true,
    shape: 'wide',
    streamed: {
      left,
      parts: [
        rowsOf(context, lines, run, answered, left.signal),
        endOf(context, lines, run, answered),
      ],
    },
    main: (
      <>
        <h1>{TITLE}</h1>
        <p class="lead">
          {plural(lines.length, 'line', 'lines')}. Lines appear as they are answered; what was
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
              <StreamingSlot />
            </tbody>
          </table>
        </section>
        <StreamingSlot />
      </>
    ),
  }
}

async function* rowsOf(
  { application, session, directory, site, href }: SignedInContext,
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
        yield <Row number={number} of={lines.length} line={line} matches={matches} href={href} />
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
  href,
}: {
  number: number
  of: number
  line: string
  matches: readonly Match[]
  href(path: string): string
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
                <a href={href(path)}>{name}</a>{' '}
                <span class="quiet">
                  {humanize(list)}
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
  context: SignedInContext,
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
          : `${figure(answered.lines)} of ${plural(lines.length, 'line', 'lines')} answered`}
      </h2>
      <Ending context={context} end={end} />
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
        <a class="button quiet" href={context.href(`/balance?request=${run}#ledger`)}>
          What it was charged
        </a>
        <a class="button quiet" href={context.href('/bulk-search')}>
          Search for more
        </a>
      </p>
    </section>
  )
}

function Ending({ context, end }: { context: SignedInContext; end: Answered['end'] }): Html {
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
      : `${plural(end.charged, 'credit was', 'credits were')} charged.`
  return end.stopped === 'credits' ? (
    <Notice tone="warn">
      The credits ended here. {charged} <a href={context.href('/credits')}>Get credits</a>
    </Notice>
  ) : (
    <Notice tone="good">{charged}</Notice>
  )
}
