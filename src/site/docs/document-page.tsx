/** @jsxImportSource hono/jsx */
/** The pages of the documentation, the consoles on those of endpoints, and the page that lists the results of a search. */
import { once } from '../../once.ts'
import { ASSETS } from '../http/assets.ts'
import type { Form } from '../http/form.ts'
import { withFormErrors } from '../http/form-errors.ts'
import { type Child, markupOf, renderHtml } from '../http/html.ts'
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
import { ageOf, type Document, type DocumentContext } from './document.ts'
import { DOCUMENTS, ENDPOINT_DOCUMENTS } from './documents.ts'
import { exampleValues } from './example-values.ts'
import { markdownHeaders } from './markdown-files.ts'
import { MarkdownText } from './markdown-text.tsx'
import { CONSOLE, fill } from './placeholders.ts'
import { docsIndexOf, type PublishedIndex } from './search-index.ts'
import { countOf, MAX_QUERY_CHARACTERS, type Result, searchDocs } from './search-matching.ts'

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

/** Markup where the console is put in. No text looks like it, because a `<` in a text is escaped. */
const CONSOLE_SLOT = '<slot name="console"></slot>'

async function renderText(document: Document, context: DocumentContext): Promise<DocumentText> {
  const index = await docsIndexOf(context)
  const { title, lead, text, endpoint } = document
  const [above = '', below = ''] = text
    .split(CONSOLE)
    .map((part) => fill({ text: part, ...(endpoint && { endpoint }) }, context, 'page'))
  const position = DOCUMENTS.indexOf(document)
  const [previous, next] = [DOCUMENTS[position - 1], DOCUMENTS[position + 1]]
  const html = renderHtml(
    <DocsFrame context={context} index={index} current={document} title={title} lead={lead}>
      <MarkdownText text={above} />
      {markupOf(CONSOLE_SLOT)}
      <MarkdownText text={below} />
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

interface DocsFrameProps {
  context: Pick<DocumentContext, 'href'>
  index: PublishedIndex
  current?: Document
  /** The query in the search field. */
  q?: string
  title: string
  lead?: string
  children?: Child
}

/** The search field and the contents beside a text. On a phone they stand below its title, and the contents are folded. */
function DocsFrame({ context, index, current, q, title, lead, children }: DocsFrameProps) {
  return (
    <div class="docs">
      <header class="text">
        <h1>{title}</h1>
        {lead ? <p class="lead">{lead}</p> : null}
      </header>
      <div class="side">
        <SearchField context={context} index={index} q={q} />
        <nav aria-label="Documentation">
          <details class="contents">
            <summary class="button quiet small">Contents</summary>
            <ul>
              {DOCUMENTS.map((it) => (
                <li class={it.endpoint ? 'endpoint' : undefined}>
                  <a
                    href={context.href(it.path)}
                    aria-current={it === current ? 'page' : undefined}
                  >
                    {it.title}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        </nav>
      </div>
      <article class={current?.endpoint ? 'text with-example' : 'text'}>{children}</article>
    </div>
  )
}

interface SearchFieldProps {
  context: Pick<DocumentContext, 'href'>
  index: PublishedIndex
  q?: string | undefined
}

/** A form that `/docs/find` answers; with the script, results show below the field. */
function SearchField({ context, index, q }: SearchFieldProps) {
  return (
    <search aria-label="Documentation">
      <form
        class="field docs-search"
        action={context.href('/docs/find')}
        data-script-src={context.href(ASSETS.docsSearch.path)}
        data-index-src={context.href(index.path)}
      >
        <label for="docs-q">Search the docs</label>
        <input
          id="docs-q"
          type="search"
          name="q"
          value={q}
          placeholder="Endpoint, field, error…"
          maxlength={MAX_QUERY_CHARACTERS}
          autocomplete="off"
          spellcheck={false}
        />
        <div class="found unseen">
          <p class="count" role="status"></p>
          <ul class="results"></ul>
        </div>
        <template>
          <ResultItem result={undefined} />
        </template>
      </form>
    </search>
  )
}

/** A link to a section, with a quotation. @param result undefined in the template that the script fills in */
function ResultItem({ result }: { result: Result | undefined }) {
  return (
    <li>
      <a href={result?.href}>
        <span class="name">{result?.title}</span> <span class="page-title">{result?.page}</span>
        <span class="excerpt">
          {result?.excerpt.map(({ text, isMarked }) => (isMarked ? <mark>{text}</mark> : text))}
        </span>
      </a>
    </li>
  )
}
