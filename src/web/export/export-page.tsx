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
import {
  IdempotencyField,
  idempotencyKeyOf,
  malformedForm,
} from '../components/idempotency-field.tsx'
import { PlanNeeded, plansWith } from '../components/plan-needed.tsx'
import { Facts } from '../components/profile.tsx'
import { quoteFacts, quoteOf, Shortfall } from '../components/quote.tsx'
import { figure, humanize, plural } from '../components/text.tsx'
import { queryOf } from '../directory/list-query.ts'
import type { Form as Fields } from '../http/form.ts'
import { notFound } from '../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { csvFile } from '../http/streams.ts'
import { type Chosen, EXPORTED_LISTS, type Export, type ExportedList } from './export.ts'

const { rows: PER_UNIT, credits: UNIT_CREDITS } = WEB_OPERATIONS.csvExport

/** A list, what was asked of it, and the address that asks for the same. */
function askedOf(context: SignedInContext): { list: ExportedList; asked: Export; query: string } {
  const list = Object.hasOwn(EXPORTED_LISTS, context.id) ? EXPORTED_LISTS[context.id] : undefined
  if (!list) throw notFound('list')
  const asked = list.select(context.directory, context.query)
  return { list, asked, query: queryOf(list.parameters, asked.values) }
}

export async function exportPage(context: SignedInContext): Promise<Page> {
  const { session, href, id } = context
  const { list, asked, query } = askedOf(context)
  const title = `Export: ${list.title}`
  if (!tierHas(session.account.tier, 'csvExport')) {
    const text = `A list with its filters as a file, ${UNIT_CREDITS} credits for each started ${figure(PER_UNIT)} rows.`
    return {
      title,
      isUnlisted: true,
      main: <PlanNeeded context={context} title={title} text={text} feature="csvExport" />,
    }
  }
  const quote = await quoteOf(context, WEB_OPERATIONS.csvExport, unitsOf(asked.rows))
  const covered = Math.min(asked.rows, quote.covered * PER_UNIT)
  const once = crypto.randomUUID()
  const run = runOf(context, once, query, asked.rows)
  return {
    title,
    isUnlisted: true,
    balance: quote.balance,
    main: (
      <>
        <h1>{title}</h1>
        <p class="lead">
          {plural(asked.rows, 'row', 'rows')} as CSV, with every public field. Private channels are
          in no export.
        </p>
        <Facts
          facts={[
            ...filtersOf(asked),
            { name: 'Rows', value: figure(asked.rows) },
            ...quoteFacts(quote),
          ]}
        />
        <Shortfall
          context={context}
          covered={covered}
          all={asked.rows}
          things="rows"
          what="the file"
        />
        {covered > 0 ? (
          <Form context={context} action={`/export/${id}${query}`}>
            <IdempotencyField value={once} />
            <input type="hidden" name="rows" value={String(asked.rows)} />
            <button class="button" type="submit">
              Download <span class="price">{plural(quote.coveredPrice, 'credit', 'credits')}</span>
            </button>
          </Form>
        ) : null}
        <p class="note">
          {UNIT_CREDITS} credits for each started {figure(PER_UNIT)} rows, charged as the file is
          written. Pressed again on this page within a day, it costs nothing more: so a download
          that broke can be repeated.
        </p>
        <p>
          <a href={href(`/balance?request=${run.id}#ledger`)}>What this export was charged</a> ·{' '}
          <a href={href(`/${id}${query}`)}>Back to the list</a>
        </p>
      </>
    ),
  }
}

export function exportFile(context: SignedInContext, form: Fields): Reply {
  const { application, session, id } = context
  const { asked, query } = askedOf(context)
  if (!tierHas(session.account.tier, 'csvExport')) {
    throw new PageError(
      403,
      'Your plan has no CSV export',
      `It comes with ${plansWith('csvExport')}.`,
    )
  }
  // What was shown is what is paid at most, even if the list has grown since.
  const shown = rowsOf(form)
  const run = runOf(context, idempotencyKeyOf(form), query, shown)
  const left = new AbortController()
  const chosen = asked.choose()
  const rows = Math.min(chosen.rows, shown)
  return csvFile(id, linesOf(application, run, chosen, rows, left.signal), left)
}

/** @throws PageError 400 for a form that doesn't say how many rows were shown */
function rowsOf(form: Fields): number {
  const rows = form.get('rows') ?? ''
  if (!/^\d{1,9}$/.test(rows)) throw malformedForm()
  return Number(rows)
}

function unitsOf(rows: number): number {
  return Math.ceil(rows / PER_UNIT)
}

function runOf({ session, id }: SignedInContext, once: string, query: string, rows: number): Run {
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
  return humanize(parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
}
