/** @jsxImportSource hono/jsx */
/**
 * `/export/{list}`: a list with its filters as CSV. The file holds records and nothing else, unless credits
 * end before it does: then its last line says so. What was charged is in the ledger, where the page leads.
 */
import { paidUnits, type Run, runId } from '../../accounts/web-runs.ts'
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { tierHas } from '../../contract/tiers.ts'
import { csvLine } from '../../csv.ts'
import { Form } from '../components/form.tsx'
import { brokenForm, Once, onceOf } from '../components/idempotency-field.tsx'
import { PlanNeeded, plansWith } from '../components/plan-needed.tsx'
import { Facts } from '../components/profile.tsx'
import { quoteFacts, quoteOf, Shortfall } from '../components/quote.tsx'
import { counted, figure, words } from '../components/text.tsx'
import { queryOf } from '../directory/list-query.ts'
import type { Form as Fields } from '../http/form.ts'
import { notThere } from '../http/form-errors.ts'
import { type Page, PageError, type PersonalVisit, type Reply } from '../http/page.ts'
import { csvFile } from '../http/streams.ts'
import { type Chosen, EXPORTED_LISTS, type Export, type ExportedList } from './export.ts'

const { rows: PER_UNIT, credits: UNIT_CREDITS } = WEB_OPERATIONS.csvExport

/** A list, what was asked of it, and the address that asks for the same. */
function askedOf(visit: PersonalVisit): { list: ExportedList; asked: Export; query: string } {
  const list = Object.hasOwn(EXPORTED_LISTS, visit.id) ? EXPORTED_LISTS[visit.id] : undefined
  if (!list) throw notThere('list')
  const asked = list.select(visit.directory, visit.query)
  return { list, asked, query: queryOf(list.parameters, asked.values) }
}

export async function exportPage(visit: PersonalVisit): Promise<Page> {
  const { session, to, id } = visit
  const { list, asked, query } = askedOf(visit)
  const title = `Export: ${list.title}`
  if (!tierHas(session.account.tier, 'csvExport')) {
    const text = `A list with its filters as a file, ${UNIT_CREDITS} credits for each started ${figure(PER_UNIT)} rows.`
    return {
      title,
      isUnlisted: true,
      main: <PlanNeeded visit={visit} title={title} text={text} feature="csvExport" />,
    }
  }
  const quote = await quoteOf(visit, WEB_OPERATIONS.csvExport, unitsOf(asked.rows))
  const covered = Math.min(asked.rows, quote.covered * PER_UNIT)
  const once = crypto.randomUUID()
  const run = runOf(visit, once, query, asked.rows)
  return {
    title,
    isUnlisted: true,
    balance: quote.balance,
    main: (
      <>
        <h1>{title}</h1>
        <p class="lead">
          {counted(asked.rows, 'row', 'rows')} as CSV, with every public field. Private channels are
          in no export.
        </p>
        <Facts
          facts={[
            ...filtersOf(asked),
            { name: 'Rows', value: figure(asked.rows) },
            ...quoteFacts(quote),
          ]}
        />
        <Shortfall visit={visit} covered={covered} all={asked.rows} things="rows" what="the file" />
        {covered > 0 ? (
          <Form visit={visit} action={`/export/${id}${query}`}>
            <Once value={once} />
            <input type="hidden" name="rows" value={String(asked.rows)} />
            <button class="button" type="submit">
              Download <span class="price">{counted(quote.coveredPrice, 'credit', 'credits')}</span>
            </button>
          </Form>
        ) : null}
        <p class="note">
          {UNIT_CREDITS} credits for each started {figure(PER_UNIT)} rows, charged as the file is
          written. Pressed again on this page within a day, it costs nothing more: so a download
          that broke can be repeated.
        </p>
        <p>
          <a href={to(`/balance?request=${run.id}#ledger`)}>What this export was charged</a> ·{' '}
          <a href={to(`/${id}${query}`)}>Back to the list</a>
        </p>
      </>
    ),
  }
}

export function exportFile(visit: PersonalVisit, form: Fields): Reply {
  const { application, session, id } = visit
  const { asked, query } = askedOf(visit)
  if (!tierHas(session.account.tier, 'csvExport')) {
    throw new PageError(
      403,
      'Your plan has no CSV export',
      `It comes with ${plansWith('csvExport')}.`,
    )
  }
  // What was shown is what is paid at most, even if the list has grown since.
  const shown = rowsOf(form)
  const run = runOf(visit, onceOf(form), query, shown)
  const left = new AbortController()
  const chosen = asked.choose()
  const rows = Math.min(chosen.rows, shown)
  return csvFile(id, linesOf(application, run, chosen, rows, left.signal), left)
}

/** @throws PageError 400 for a form that doesn't say how many rows were shown */
function rowsOf(form: Fields): number {
  const rows = form.get('rows') ?? ''
  if (!/^\d{1,9}$/.test(rows)) throw brokenForm()
  return Number(rows)
}

function unitsOf(rows: number): number {
  return Math.ceil(rows / PER_UNIT)
}

function runOf({ session, id }: PersonalVisit, once: string, query: string, rows: number): Run {
  const accountId = session.account.id
  const question = `${id} ${query} ${rows}`
  return { accountId, operation: WEB_OPERATIONS.csvExport, id: runId(accountId, once, question) }
}

async function* linesOf(
  till: Parameters<typeof paidUnits>[0],
  run: Run,
  chosen: Chosen,
  rows: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield chosen.header
  const units = paidUnits(till, run, unitsOf(rows), { signal })
  let next = await units.next()
  while (!next.done) {
    const { from, to } = next.value
    for (let unit = from; unit < to; unit++) {
      yield chosen.lines(unit * PER_UNIT, Math.min((unit + 1) * PER_UNIT, rows))
    }
    next = await units.next()
  }
  if (next.value.stopped === 'credits') yield csvLine([stopLine(next.value.units, rows)])
}

function stopLine(units: number, rows: number): string {
  return `Stopped after ${units * PER_UNIT} of ${rows} rows: the credits ended. ${units * UNIT_CREDITS} credits were charged for this file.`
}

function filtersOf({ values }: Export) {
  return Object.entries(values).map(([name, value]) => ({
    name: filterName(name),
    value: Array.isArray(value) ? value.join(', ') : (value as string | undefined),
  }))
}

/** A parameter of the API in words: "Contact type" for `contactType`. */
function filterName(parameter: string): string {
  if (parameter === 'q') return 'Search'
  return words(parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
}
