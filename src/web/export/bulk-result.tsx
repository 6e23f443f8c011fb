/** @jsxImportSource hono/jsx */
/**
 * The answers of a bulk search, sent as they are charged. The page's last part says what was charged, and has
 * the answers as CSV in a link: the server keeps nothing of them.
 */
import { paidUnits, type RunEnd, runId } from '../../accounts/web-runs.ts'
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { csvLine } from '../../csv.ts'
import { QuietLink } from '../components/actions.tsx'
import { Notice } from '../components/page-parts.tsx'
import { figure, humanize, plural } from '../components/text.tsx'
import type { Html } from '../http/html.ts'
import type { SignedInContext, StreamedPage } from '../http/page.ts'
import { StreamingSlot } from '../http/streaming-slot.tsx'
import { bestMatches, type Match } from './best-matches.ts'

export const TITLE = 'Bulk search'

const CSV_COLUMNS = ['line', 'search', 'match', 'list', 'name', 'detail', 'id', 'url']

/** A page whose table is filled while it is sent. @param key the form's: the same form again is charged once */
export function bulkResult(
  context: SignedInContext,
  lines: readonly string[],
  key: string,
): StreamedPage {
  const { application, session, directory, site, href } = context
  const left = new AbortController()
  const accountId = session.account.id
  const id = runId(accountId, key, lines.join('\n'))
  const run = { accountId, operation: WEB_OPERATIONS.bulkSearch, id }
  const csv: string[] = []
  let end: RunEnd = { units: 0, charged: 0, stopped: 'unavailable' }

  function answer(position: number): Html {
    const line = lines[position] ?? ''
    const matches = bestMatches(directory, line)
    csv[position] = csvOf(site.appUrl, position + 1, line, matches)
    return (
      <Row href={href} counter={`${position + 1}/${lines.length}`} line={line} matches={matches} />
    )
  }

  async function* rows(): AsyncGenerator<Html> {
    end = yield* paidUnits(application, run, lines.length, answer, { signal: left.signal })
  }

  async function* ending(): AsyncGenerator<Html> {
    const answered = csv.slice(0, end.units).join('')
    yield (
      <End
        context={context}
        end={end}
        total={lines.length}
        csv={answered === '' ? '' : csvLine(CSV_COLUMNS) + answered}
        charges={`/balance?request=${id}#ledger`}
      />
    )
  }

  return {
    title: TITLE,
    isUnlisted: true,
    shape: 'wide',
    streamed: { left, parts: [rows(), ending()] },
    main: (
      <>
        <h1>{TITLE}</h1>
        <p class="lead">
          {plural(lines.length, 'line', 'lines')}. Results appear as they are found; the end of the
          page says what was charged.
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

function csvOf(appUrl: string, number: number, line: string, matches: readonly Match[]): string {
  if (matches.length === 0) return csvLine([number, line])
  return matches
    .map(({ list, name, detail, id, path }, i) =>
      csvLine([number, line, i + 1, list, name, detail, id, appUrl + path]),
    )
    .join('')
}

interface RowProps {
  href(path: string): string
  counter: string
  line: string
  matches: readonly Match[]
}

function Row({ href, counter, line, matches }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <span class="quiet">{counter}</span> {line}
      </th>
      <td>
        {matches.length === 0 ? (
          <span class="quiet">No matches</span>
        ) : (
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
        )}
      </td>
    </tr>
  )
}

interface EndProps {
  context: SignedInContext
  end: RunEnd
  total: number
  csv: string
  /** The path of the run's transactions. */
  charges: string
}

function End({ context: { href }, end, total, csv, charges }: EndProps) {
  return (
    <section aria-labelledby="end">
      <h2 id="end">
        {end.units === total
          ? 'All lines answered'
          : `${figure(end.units)} of ${plural(total, 'line', 'lines')} answered`}
      </h2>
      <Notice tone={end.stopped === null ? 'good' : end.stopped === 'credits' ? 'warn' : 'bad'}>
        {messageOf(end, href)}
      </Notice>
      <p class="actions">
        {csv === '' ? null : (
          <a
            class="button"
            download="bulk-search.csv"
            href={`data:text/csv;charset=utf-8;base64,${Buffer.from(csv).toString('base64')}`}
          >
            Download as CSV
          </a>
        )}
        <QuietLink href={href(charges)}>View charges</QuietLink>
        <QuietLink href={href('/bulk-search')}>New bulk search</QuietLink>
      </p>
    </section>
  )
}

/** What was charged, as far as it is known (D42). Loading the page again sends the same form. */
function messageOf({ units, charged, stopped }: RunEnd, href: (path: string) => string) {
  const known =
    charged === 0 && units > 0
      ? 'Nothing more was charged: these lines were paid for before.'
      : `${plural(charged, 'credit was', 'credits were')} charged.`
  const reload = 'Reload this page in a moment: no line is charged twice.'
  switch (stopped) {
    case 'credits':
      return (
        <>
          Your credits ran out. {known} <a href={href('/credits')}>Get credits</a>
        </>
      )
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
