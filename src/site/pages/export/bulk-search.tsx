/** @jsxImportSource hono/jsx */
/**
 * `/bulk-search`: many searches at once. Its form leads to `/bulk-search/{id}`, which shows the price and, once it is
 * confirmed, the results.
 */
import { setImmediate } from 'node:timers/promises'
import { WEB_OPERATIONS } from '../../../contract/endpoints.ts'
import { tierHas } from '../../../contract/tiers.ts'
import {
  type KeptSearch,
  keepSearch,
  keptSearch,
  MAX_LINES,
  type PricedSearch,
  priceSearch,
} from '../../../money/accounts/kept-searches.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Form, malformedForm } from '../../ui/form.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import {
  PaidSubmit,
  planNeededPage,
  quoteFacts,
  quoteOf,
  requireFeature,
  Shortfall,
} from '../../ui/paid-feature.tsx'
import { isSuspended, NotWhileSuspended, refuseSuspended } from '../../ui/suspension.tsx'
import { plural } from '../../ui/text.tsx'
import { bulkResult, hasMatch, TITLE } from './bulk-result.tsx'

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
