/** @jsxImportSource hono/jsx */
/** `/bulk-search`: many searches at once. The first form leads to the price, the second one to the answers. */
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { tierHas } from '../../contract/tiers.ts'
import { FieldError } from '../../users/validation.ts'
import { QuietLink, Submit } from '../components/actions.tsx'
import { Form, IdempotencyField, idempotencyKeyOf } from '../components/form.tsx'
import { personalPage } from '../components/page-parts.tsx'
import {
  PaidSubmit,
  planNeededPage,
  quoteFacts,
  quoteOf,
  requireFeature,
  Shortfall,
} from '../components/paid-feature.tsx'
import { Facts } from '../components/profile.tsx'
import { isSuspended, NotWhileSuspended, refuseSuspended } from '../components/suspension.tsx'
import { plural } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../http/page.ts'
import { bulkResult, TITLE } from './bulk-result.tsx'

export const MAX_LINES = 200
const MAX_LINE_CHARACTERS = 200
/** The longest form: that many lines, percent-encoded, both pasted and as a file. */
export const MAX_BULK_BYTES = 1024 * 1024

const { credits: LINE_CREDITS } = WEB_OPERATIONS.bulkSearch

export function bulkPage(context: SignedInContext, errors?: FormErrors): Page {
  const text = `Up to ${MAX_LINES} searches at once, pasted or from a file, with the best matches of each as a table and as CSV. ${LINE_CREDITS} credits a line.`
  return tierHas(context.session.account.tier, 'bulkSearch')
    ? personalPage({ title: TITLE }, <Lines context={context} errors={errors} />)
    : planNeededPage(context, TITLE, text, 'bulkSearch')
}

/** Answers the first form with the price, and the second one, which has an idempotency key, with the results. */
export function bulkSearch(context: SignedInContext, form: Fields): Promise<Reply> {
  requireFeature(context, 'bulkSearch', 'bulk search')
  refuseSuspended(context)
  const again = (errors: FormErrors) => bulkPage(context, errors)
  return withFormErrors(form, again, async () => {
    const lines = linesOf(textIn(form))
    return form.has('idempotencyKey')
      ? bulkResult(context, lines, idempotencyKeyOf(form))
      : pricePage(context, lines)
  })
}

/** The pasted text, else the file's. @throws FieldError where both were sent */
function textIn(form: Fields): string {
  const [pasted, file] = [fieldText(form, 'lines'), fieldText(form, 'file')]
  if (pasted.trim() !== '' && file.trim() !== '') {
    throw linesError('Paste lines or choose a file, not both.')
  }
  return pasted.trim() === '' ? file : pasted
}

/** The lines with text, trimmed, in their order. @throws FieldError that names the line */
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
        costs {LINE_CREDITS} credits. You see the total price before anything is charged.
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

async function pricePage(context: SignedInContext, lines: readonly string[]): Promise<Page> {
  const quote = await quoteOf(context, WEB_OPERATIONS.bulkSearch, lines.length)
  return personalPage(
    { title: TITLE, heading: plural(lines.length, 'line', 'lines'), balance: quote.balance },
    <>
      <Facts
        facts={[
          { name: 'First line', value: lines[0] },
          { name: 'Last line', value: lines.at(-1) },
          ...quoteFacts(quote),
        ]}
      />
      <Shortfall
        context={context}
        covered={quote.covered}
        all={lines.length}
        things="lines"
        what="the search"
      />
      <Form context={context} action="/bulk-search">
        <IdempotencyField />
        <input type="hidden" name="lines" value={lines.join('\n')} />
        <div class="actions">
          <PaidSubmit quote={quote}>Search</PaidSubmit>
          <QuietLink href={context.href('/bulk-search')}>Start over</QuietLink>
        </div>
      </Form>
    </>,
  )
}
