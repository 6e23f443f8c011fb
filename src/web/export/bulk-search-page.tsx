/** @jsxImportSource hono/jsx */
/** `/bulk-search`: many searches at once. First the lines are counted and the price is said, then they are answered. */
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { tierHas } from '../../contract/tiers.ts'
import { FieldError } from '../../users/validation.ts'
import { Form } from '../components/form.tsx'
import { IdempotencyField, idempotencyKeyOf } from '../components/idempotency-field.tsx'
import { PlanNeeded, plansWith } from '../components/plan-needed.tsx'
import { Facts } from '../components/profile.tsx'
import { quoteFacts, quoteOf, Shortfall } from '../components/quote.tsx'
import { plural } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../http/form-errors.ts'
import type { Html } from '../http/html.ts'
import type { Page, Reply, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { bulkResult, TITLE } from './bulk-result.tsx'
import { linesOf, MAX_LINES } from './bulk-search.ts'

/** 200 lines of 200 characters, as a form writes them at worst, twice: pasted and as a file. */
export const MAX_BULK_BYTES = 1024 * 1024

const { credits: LINE_CREDITS } = WEB_OPERATIONS.bulkSearch

export function bulkPage(context: SignedInContext, errors?: FormErrors): Page {
  const isPlanned = tierHas(context.session.account.tier, 'bulkSearch')
  return {
    title: TITLE,
    isUnlisted: true,
    main: isPlanned ? (
      <Start context={context} errors={errors} />
    ) : (
      <PlanNeeded
        context={context}
        title={TITLE}
        text={`Up to ${MAX_LINES} searches at once, pasted or from a file, with the best matches for each as a table and as CSV. ${LINE_CREDITS} credits a line.`}
        feature="bulkSearch"
      />
    ),
  }
}

/** Counts the lines and says the price; with the value that this second form carries, searches. */
export function bulkSearch(context: SignedInContext, form: Fields): Promise<Reply> {
  if (!tierHas(context.session.account.tier, 'bulkSearch')) {
    throw new PageError(
      403,
      'Your plan has no bulk search',
      `It comes with ${plansWith('bulkSearch')}.`,
    )
  }
  const again = (errors: FormErrors) => bulkPage(context, errors)
  return withFormErrors(form, again, async () => {
    const lines = linesOf('lines', textIn(form))
    return form.has('idempotencyKey')
      ? bulkResult(context, lines, idempotencyKeyOf(form))
      : pricePage(context, lines)
  })
}

/** What was pasted, else the file. @throws FieldError for both */
function textIn(form: Fields): string {
  const [pasted, file] = [fieldText(form, 'lines'), fieldText(form, 'file')]
  if (pasted.trim() !== '' && file.trim() !== '') {
    throw new FieldError('lines', 'Either paste lines or choose a file, not both.')
  }
  return pasted.trim() === '' ? file : pasted
}

function Start({
  context,
  errors,
}: {
  context: SignedInContext
  errors: FormErrors | undefined
}): Html {
  const problem = errors?.problem.message
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
        action={context.href('/bulk-search')}
        enctype="multipart/form-data"
      >
        <input type="hidden" name="csrf" value={context.formToken()} />
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

async function pricePage(context: SignedInContext, lines: readonly string[]): Promise<Page> {
  const quote = await quoteOf(context, WEB_OPERATIONS.bulkSearch, lines.length)
  return {
    title: TITLE,
    isUnlisted: true,
    balance: quote.balance,
    main: (
      <>
        <h1>{plural(lines.length, 'line', 'lines')}</h1>
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
            {quote.covered > 0 ? (
              <button class="button" type="submit">
                Search <span class="price">{plural(quote.coveredPrice, 'credit', 'credits')}</span>
              </button>
            ) : null}
            <a class="button quiet" href={context.href('/bulk-search')}>
              Start over
            </a>
          </div>
        </Form>
      </>
    ),
  }
}
