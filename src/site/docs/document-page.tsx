/** @jsxImportSource hono/jsx */
/** The pages of the documentation, the consoles on those of endpoints, and the page that lists the results of a search. */
import { once } from '../../once.ts'
import type { Form } from '../http/form.ts'
import { withFormErrors } from '../http/form-errors.ts'
import { markupOf, renderHtml } from '../http/html.ts'
import {
  isSignedIn,
  type Page,
  type PageContext,
  type Reply,
  type Route,
  type Site,
} from '../http/page.ts'
import { redirectToSignIn } from '../http/return-url.ts'
import { valuesOf } from '../ui/list-query.ts'
import { consoleKeys, consoleOf, type Sent, sendCall } from './console.tsx'
import { DocsFrame, ResultItem } from './docs-frame.tsx'
import { ageOf, type Document, type DocumentContext } from './document.ts'
import { DOCUMENTS, ENDPOINT_DOCUMENTS } from './documents.ts'
import { exampleValues } from './example-values.ts'
import { markdownHeaders } from './markdown-files.ts'
import { MarkdownText } from './markdown-text.tsx'
import { CONSOLE_SLOT, fill } from './placeholders.ts'
import { docsIndexOf } from './search-index.ts'
import { countOf, MAX_QUERY_CHARACTERS, searchDocs } from './search-matching.ts'

type EndpointDocument = (typeof ENDPOINT_DOCUMENTS)[number]

export const DOCUMENT_ROUTES: readonly Route[] = [
  ...DOCUMENTS.filter(({ endpoint }) => !endpoint).map(
    (document): Route => ({
      path: document.path,
      get: (context) => documentPage(document, context),
    }),
  ),
  ...ENDPOINT_DOCUMENTS.map(
    (document): Route => ({
      path: document.path,
      get: (context) => documentPage(document, context),
      post: (context, form) => answerConsole(document, context, form),
    }),
  ),
  { path: '/docs/find', get: findPage },
]

/** @param sent the form of the page's console, with its answer */
export async function documentPage(
  document: Document,
  context: PageContext,
  sent?: Sent,
): Promise<Page> {
  const { path, title, lead, endpoint } = document
  const { site, openapi, href, directory } = context
  const examples = exampleValues(directory)
  const { before, after } = await textOf(document, { site, openapi, href, examples, directory })
  const console = endpoint ? await consoleOf(context, endpoint, sent) : null
  return {
    title,
    description: lead,
    canonical: path,
    shape: 'wide',
    headers: markdownHeaders(href(path)),
    main: (
      <>
        {markupOf(before)}
        {console}
        {markupOf(after)}
      </>
    ),
  }
}

/** Shows the page again, with the API's answer. */
async function answerConsole(
  document: EndpointDocument,
  context: PageContext,
  form: Form,
): Promise<Reply> {
  if (!isSignedIn(context)) return redirectToSignIn(context)
  // Nothing asks the database after the call: a page that failed then would not show the charge.
  const keys = await consoleKeys(context)
  const again: Parameters<typeof withFormErrors>[1] = (errors) =>
    documentPage(document, context, { keys, errors })
  return withFormErrors(form, again, async () => {
    const call = await sendCall(context, document.endpoint, keys, form)
    const { balance } = call.charge
    const page = await documentPage(document, context, { keys, call })
    return balance === undefined ? page : { ...page, balance }
  })
}

/** The markup of a page before and after its console; of one without, all of it stands before. */
interface DocumentText {
  before: string
  after: string
}

type Texts = Map<Document, () => Promise<DocumentText>>

/** Texts of each site, by the object that `ageOf` returns: each is rendered once, and is the same for every reader. */
const texts = new WeakMap<Site, WeakMap<object, Texts>>()

function textOf(document: Document, context: DocumentContext): Promise<DocumentText> {
  const { site } = context
  const age = ageOf(document, context)
  const ofSite = texts.get(site) ?? new WeakMap<object, Texts>()
  texts.set(site, ofSite)
  const ofAge = ofSite.get(age) ?? new Map()
  ofSite.set(age, ofAge)
  const text = ofAge.get(document) ?? once(() => renderText(document, context))
  ofAge.set(document, text)
  return text()
}

async function renderText(document: Document, context: DocumentContext): Promise<DocumentText> {
  const index = await docsIndexOf(context)
  const [text = '', textAfter = ''] = fill(document, context, 'page').split(CONSOLE_SLOT)
  const { title, lead } = document
  const position = DOCUMENTS.indexOf(document)
  const [previous, next] = [DOCUMENTS[position - 1], DOCUMENTS[position + 1]]
  const html = await renderHtml(
    <DocsFrame context={context} index={index} current={document} title={title} lead={lead}>
      <MarkdownText text={text} />
      {markupOf(CONSOLE_SLOT)}
      <MarkdownText text={textAfter} />
      <nav class="neighbours" aria-label="Next and previous">
        {previous ? (
          <a rel="prev" href={context.href(previous.path)}>
            <span>Previous</span> {previous.title}
          </a>
        ) : null}
        {next ? (
          <a rel="next" href={context.href(next.path)}>
            <span>Next</span> {next.title}
          </a>
        ) : null}
      </nav>
    </DocsFrame>,
  )
  const [before = '', after = ''] = html.split(CONSOLE_SLOT)
  return { before, after }
}

const FIND_PARAMETERS = {
  q: { kind: 'text', maxLength: MAX_QUERY_CHARACTERS, description: 'Words of the documentation.' },
} as const

/** The answer to the search field without a script, by the same index. @throws ApiError for a query that is too long or other parameters */
async function findPage(context: PageContext): Promise<Page> {
  const { q = '' } = valuesOf(FIND_PARAMETERS, context.query)
  const published = await docsIndexOf(context)
  const matches = searchDocs(published.index, q)
  return {
    title: q ? `Search the documentation: ${q}` : 'Search the documentation',
    shape: 'wide',
    isUnlisted: true,
    main: (
      <DocsFrame context={context} index={published} q={q} title="Search the documentation">
        <p class="count" role="status">
          {q
            ? countOf(matches)
            : 'Names of endpoints, parameters, headers, fields and errors, or words of the text.'}
        </p>
        <ul class="results">
          {matches.results.map((result) => (
            <ResultItem result={result} />
          ))}
        </ul>
      </DocsFrame>
    ),
  }
}
