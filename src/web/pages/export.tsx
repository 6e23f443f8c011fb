/** @jsxImportSource hono/jsx */
/**
 * `/export/{list}`: a list with its filters as CSV. The file holds records and nothing else, unless credits
 * end before it does: then its last line says so. What was charged is in the ledger, where the page leads.
 */
import { creditsOf } from '../../accounts/credits.ts'
import { exportCredits, paidUnits, type Run, runId } from '../../accounts/web-runs.ts'
import { csvLine } from '../../csv.ts'
import { WEB_OPERATIONS } from '../../metering/prices.ts'
import { tierHas } from '../../metering/tiers.ts'
import { EXPORTED_LISTS, type Export, type ExportedList } from '../exports.ts'
import type { Form as Fields } from '../form.ts'
import { queryOf } from '../listing.ts'
import { type Page, PageError, type PersonalVisit, type Reply } from '../page.ts'
import { Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Once, onceOf } from '../parts/once.tsx'
import { PlanNeeded, plansWith } from '../parts/plan-needed.tsx'
import { Facts } from '../parts/profile.tsx'
import { counted, figure, words } from '../parts/text.tsx'
import { csvFile } from '../streams.ts'
import { notThere } from '../trying.ts'

const { rows: PER_UNIT, credits: UNIT_CREDITS } = WEB_OPERATIONS.csvExport

/** A list, what was asked of it, and the address that asks for the same. */
function askedOf(visit: PersonalVisit): { list: ExportedList; chosen: Export; query: string } {
  const list = Object.hasOwn(EXPORTED_LISTS, visit.id) ? EXPORTED_LISTS[visit.id] : undefined
  if (!list) throw notThere('list')
  const chosen = list.select(visit.directory, visit.query)
  return { list, chosen, query: queryOf(list.parameters, chosen.values) }
}

export async function exportPage(visit: PersonalVisit): Promise<Page> {
  const { application, session, to, id } = visit
  const { list, chosen, query } = askedOf(visit)
  const title = `Export: ${list.title}`
  if (!tierHas(session.account.tier, 'csvExport')) {
    const text = `A list with its filters as a file, ${UNIT_CREDITS} credits for each started ${figure(PER_UNIT)} rows.`
    return {
      title,
      isUnlisted: true,
      main: <PlanNeeded visit={visit} title={title} text={text} feature="csvExport" />,
    }
  }
  const credits = await creditsOf(application.database, session.account.id)
  const balance = credits?.balance ?? 0
  const price = exportCredits(chosen.rows)
  const covered = credits?.unlimited
    ? chosen.rows
    : Math.min(chosen.rows, Math.floor(Math.max(0, balance) / UNIT_CREDITS) * PER_UNIT)
  const once = crypto.randomUUID()
  const run = runOf(visit, once, query, chosen.rows)
  return {
    title,
    isUnlisted: true,
    balance,
    main: (
      <>
        <h1>{title}</h1>
        <p class="lead">
          {counted(chosen.rows, 'row', 'rows')} as CSV, with every public field. Private channels
          are in no export.
        </p>
        <Facts
          facts={[
            ...filtersOf(chosen),
            { name: 'Rows', value: figure(chosen.rows) },
            { name: 'Price', value: counted(price, 'credit', 'credits') },
            {
              name: 'You have',
              value: credits?.unlimited ? 'no ceiling' : counted(balance, 'credit', 'credits'),
            },
          ]}
        />
        {covered < chosen.rows ? (
          <Notice tone="warn">
            Your credits cover {figure(covered)} of {counted(chosen.rows, 'row', 'rows')}: the file
            would stop there. <a href={to('/credits')}>Get credits</a>
          </Notice>
        ) : null}
        {covered > 0 ? (
          <Form visit={visit} action={`/export/${id}${query}`}>
            <Once value={once} />
            <input type="hidden" name="rows" value={String(chosen.rows)} />
            <button class="button" type="submit">
              Download{' '}
              <span class="price">
                {counted(Math.min(price, exportCredits(covered)), 'credit', 'credits')}
              </span>
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
  const { chosen, query } = askedOf(visit)
  if (!tierHas(session.account.tier, 'csvExport')) {
    throw new PageError(
      403,
      'Your plan has no CSV export',
      `It comes with ${plansWith('csvExport')}.`,
    )
  }
  // What was shown is what is paid at most, even if the list has grown since.
  const shown = Number(/^\d{1,9}$/.exec(form.get('rows') ?? '')?.[0] ?? 0)
  const run = runOf(visit, onceOf(form), query, shown)
  const left = new AbortController()
  const rows = Math.min(chosen.rows, shown)
  return csvFile(id, linesOf(application, run, chosen, rows, left.signal), left)
}

function runOf({ session, id }: PersonalVisit, once: string, query: string, rows: number): Run {
  const accountId = session.account.id
  const question = `${id} ${query} ${rows}`
  return { accountId, operation: WEB_OPERATIONS.csvExport, id: runId(accountId, once, question) }
}

async function* linesOf(
  till: Parameters<typeof paidUnits>[0],
  run: Run,
  chosen: Export,
  rows: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield chosen.header
  const units = paidUnits(till, run, Math.ceil(rows / PER_UNIT), { signal })
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
    name: words(name),
    value: Array.isArray(value) ? value.join(', ') : (value as string | undefined),
  }))
}
