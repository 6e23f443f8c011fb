/** @jsxImportSource hono/jsx */
/**
 * The answers of a bulk search, sent as they are charged. The page's last part says what was charged, and has
 * the answers as CSV in a link: the server keeps nothing of them.
 */
import { paidUnits, type RunEnd, runId } from '../../accounts/web-runs.ts'
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { csvLine } from '../../csv.ts'
import { QuietLink } from '../components/actions.tsx'
import { beginPaid } from '../components/outcome.tsx'
import { Notice, personalPage, Section, Table } from '../components/page-parts.tsx'
import { figure, humanize, plural } from '../components/text.tsx'
import type { Html } from '../http/html.ts'
import type { SignedInContext, StreamedPage } from '../http/page.ts'
import { rightEnd } from '../http/rights.ts'
import { StreamingSlot } from '../http/streaming-slot.tsx'
import { bestMatches, type Match } from './best-matches.ts'

export const TITLE = 'Bulk search'

const CSV_COLUMNS = ['line', 'search', 'match', 'list', 'name', 'detail', 'id', 'url']

/** A page whose table is filled while it is sent. @param key the form's: the same form again is charged once */
export async function bulkResult(
  context: SignedInContext,
  lines: readonly string[],
  key: string,
): Promise<StreamedPage> {
  const { application, session, directory, site, href } = context
  const left = new AbortController()
  const accountId = session.account.id
  const id = runId(accountId, key, lines.join('\n'))
  const run = await beginPaid(context, { accountId, operation: WEB_OPERATIONS.bulkSearch, id })
  const csv: string[] = []
  let end: RunEnd = { units: 0, charged: 0, stopped: 'unavailable' }

  function answer(position: number): Html {
    const line = lines[position] ?? ''
    const matches = bestMatches(directory, line)
    csv[position] = csvOf(site.appUrl, position + 1, line, matches)
    return (
      <tr>
        <th scope="row">
          <span class="quiet">{`${position + 1}/${lines.length}`}</span> {line}
        </th>
        <td>
          <Matches matches={matches} href={href} />
        </td>
      </tr>
    )
  }

  async function* rows(): AsyncGenerator<Html> {
    end = yield* paidUnits(application, run, lines.length, answer, {
      rightEnd: () => rightEnd(context, 'bulkSearch'),
      signal: left.signal,
    })
  }

  async function* ending(): AsyncGenerator<Html> {
    yield endOf(context, end, csv, lines.length, `/balance?request=${id}#ledger`)
  }

  return {
    ...personalPage(
      { title: TITLE, shape: 'wide' },
      <>
        <p class="lead">
          {plural(lines.length, 'line', 'lines')}. Results appear as they are found; the end of the
          page says what was charged.
        </p>
        <Table label="matches by line" columns={['Line', 'Best matches']}>
          <StreamingSlot />
        </Table>
        <StreamingSlot />
      </>,
    ),
    streamed: { left, parts: [rows(), ending()] },
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

type Href = SignedInContext['href']

function Matches({ matches, href }: { matches: readonly Match[]; href: Href }) {
  if (matches.length === 0) return <span class="quiet">No matches</span>
  return (
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
  )
}

/** @param csv the answers by line, those after the end among them @param charges the path of the run's transactions */
function endOf(
  { href }: SignedInContext,
  end: RunEnd,
  csv: readonly string[],
  total: number,
  charges: string,
): Html {
  const file = Buffer.from(csvLine(CSV_COLUMNS) + csv.slice(0, end.units).join(''))
  const title =
    end.units === total
      ? 'All lines answered'
      : `${figure(end.units)} of ${plural(total, 'line', 'lines')} answered`
  return (
    <Section id="end" title={title}>
      <Notice tone={end.stopped === null ? 'good' : end.stopped === 'credits' ? 'warn' : 'bad'}>
        {messageOf(end, href)}
      </Notice>
      <p class="actions">
        {end.units === 0 ? null : (
          <a
            class="button"
            download="bulk-search.csv"
            href={`data:text/csv;charset=utf-8;base64,${file.toString('base64')}`}
          >
            Download as CSV
          </a>
        )}
        <QuietLink href={href(charges)}>View charges</QuietLink>
        <QuietLink href={href('/bulk-search')}>New bulk search</QuietLink>
      </p>
    </Section>
  )
}

/** What was charged, as far as it is known (D42). Loading the page again sends the same form. */
function messageOf({ units, charged, stopped }: RunEnd, href: Href) {
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
    case 'suspended':
      return `Your account was suspended: the lines above are answered. ${known}`
    case 'access':
      return `You were signed out, or you no longer have access to this account. ${known} Sign in and reload this page within a day: no line is charged twice.`
    case 'plan':
      return `Your plan no longer includes bulk search: the lines above are answered. ${known}`
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
