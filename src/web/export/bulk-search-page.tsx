/** @jsxImportSource hono/jsx */
/** `/bulk-search`: many searches at once. First the lines are counted and the price is said, then they are answered. */
import { WEB_OPERATIONS } from '../../contract/endpoints.ts'
import { tierHas } from '../../contract/tiers.ts'
import { FieldError } from '../../users/fields.ts'
import { Form, type Tried } from '../components/form.tsx'
import { Once, onceOf } from '../components/idempotency-field.tsx'
import { PlanNeeded, plansWith } from '../components/plan-needed.tsx'
import { Facts } from '../components/profile.tsx'
import { quoteFacts, quoteOf, Shortfall } from '../components/quote.tsx'
import { counted } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { textOf, tryForm } from '../http/form-errors.ts'
import type { Html } from '../http/html.ts'
import { type Page, PageError, type PersonalVisit, type Reply } from '../http/page.ts'
import { bulkResult, TITLE } from './bulk-result.tsx'
import { linesOf, MAX_LINES } from './bulk-search.ts'

/** 200 lines of 200 characters, as a form writes them at worst, twice: pasted and as a file. */
export const MAX_BULK_BYTES = 1024 * 1024

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
    return form.has('once') ? bulkResult(visit, lines, onceOf(form)) : pricePage(visit, lines)
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
  const quote = await quoteOf(visit, WEB_OPERATIONS.bulkSearch, lines.length)
  return {
    title: TITLE,
    isUnlisted: true,
    balance: quote.balance,
    main: (
      <>
        <h1>{counted(lines.length, 'line', 'lines')}</h1>
        <Facts
          facts={[
            { name: 'First line', value: lines[0] },
            { name: 'Last line', value: lines.at(-1) },
            ...quoteFacts(quote),
          ]}
        />
        <Shortfall
          visit={visit}
          covered={quote.covered}
          all={lines.length}
          things="lines"
          what="the search"
        />
        <Form visit={visit} action="/bulk-search">
          <Once />
          <input type="hidden" name="lines" value={lines.join('\n')} />
          <div class="actions">
            {quote.covered > 0 ? (
              <button class="button" type="submit">
                Search <span class="price">{counted(quote.coveredPrice, 'credit', 'credits')}</span>
              </button>
            ) : null}
            <a class="button quiet" href={visit.to('/bulk-search')}>
              Start over
            </a>
          </div>
        </Form>
      </>
    ),
  }
}
