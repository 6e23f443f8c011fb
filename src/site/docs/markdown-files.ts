/** The documentation for programs that read: each page as Markdown, their list `llms.txt`, and all of them in one file. */
import type { Directory } from '../../directory/records/directory.ts'
import type { Site, WebServices } from '../http/page.ts'
import { type Answer, answerOf, type Content } from '../http/responses.ts'
import { ageOf, type Document, type DocumentContext, type Purpose } from './document.ts'
import { DOCUMENTS } from './documents.ts'
import { type ExampleValues, exampleValues } from './example-values.ts'
import { plainMarkdown } from './markdown.ts'
import { fill } from './placeholders.ts'

export interface MarkdownFiles {
  /** Files by path, each written on its first request. */
  answers: ReadonlyMap<string, Answer>
  /** Returns the Markdown of a page if the request prefers it. */
  preferred(request: Request): Answer | undefined
}

export function markdownFiles(
  site: Site & Pick<WebServices, 'openapi' | 'directory'>,
): MarkdownFiles {
  // Programs read a file away from its address, so its links are whole.
  const href = (path: string) => site.appUrl + path
  const { openapi, directory } = site
  const lazily: Lazily = (type, write, document = {}, headers = {}) =>
    answerByAge(
      () => contextOf(exampleValues(directory)),
      (context) => ageOf(document, context),
      (context) => ({
        type: `${type}; charset=utf-8`,
        kept: 'checked',
        headers,
        text: write(context),
      }),
    )
  const contextOf = (examples: ExampleValues) => ({ site, openapi, href, examples, directory })
  const pages = new Map(
    DOCUMENTS.map((document) => [
      document.path,
      lazily(MARKDOWN, (context) => pageOf(document, context, 'markdown'), document, {
        vary: 'Accept, Accept-Encoding',
      }),
    ]),
  )
  const answers = new Map<string, Answer>([
    ...[...pages].map(([path, answer]): [string, Answer] => [`${path}.md`, answer]),
    ['/llms.txt', lazily('text/plain', listOf)],
    ['/llms-full.txt', lazily('text/plain', allOf)],
  ])
  return {
    answers,
    preferred(request) {
      if (!prefersMarkdown(request)) return undefined
      const { pathname } = new URL(request.url)
      return pages.get(pathname as Document['path'])
    },
  }
}

type Lazily = (
  type: string,
  write: (context: DocumentContext) => string,
  document?: Pick<Document, 'isLive'>,
  headers?: Record<string, string>,
) => Answer

/** Answers with content that depends on the examples alone. */
export const answerWithExamples = (
  directory: Directory,
  make: (examples: ExampleValues) => Content,
): Answer =>
  answerByAge(
    () => exampleValues(directory),
    (examples) => examples,
    make,
  )

/** Answers with content that is made once for each age of a reading. */
function answerByAge<T>(
  read: () => T,
  age: (reading: T) => object,
  make: (reading: T) => Content,
): Answer {
  const answers = new WeakMap<object, Answer>()
  return async (request) => {
    const reading = read()
    const key = age(reading)
    const answer = answers.get(key) ?? answerOf(make(reading))
    answers.set(key, answer)
    return answer(request)
  }
}

function pageOf(document: Document, context: DocumentContext, purpose: Purpose): string {
  const { title, lead } = document
  return `# ${title}\n\n${lead}\n\n${plainMarkdown(fill(document, context, purpose)).trim()}\n`
}

/** Writes `llms.txt` (llmstxt.org): a name, a summary, and links with a line for each. */
function listOf(context: DocumentContext): string {
  const { serviceName, baseUrl } = context.site
  const links = (documents: readonly Document[]) =>
    documents
      .map(({ path, title, lead }) => `- [${title}](${context.href(path)}.md): ${lead}`)
      .join('\n')
  const texts = DOCUMENTS.filter(({ endpoint }) => !endpoint)
  const endpoints = DOCUMENTS.filter(({ endpoint }) => endpoint)
  return `# ${serviceName}

> A read-only REST API at ${baseUrl} over a directory of crypto people, companies, funds and service providers, billed in credits.

Every call is a GET with the header Authorization: Bearer and an API key. Every error says what to do and whether anything was charged. A page's address without .md is the same page for people.

## Documentation

${links(texts)}

## Endpoints

${links(endpoints)}

## Optional

- [Everything in one file](${context.href('/llms-full.txt')}): all pages above.
- [OpenAPI document](${context.href('/openapi.json')}): the same as a machine reads it.
`
}

/** Returns all pages; a text that several of them have stands in it once. */
function allOf(context: DocumentContext): string {
  return DOCUMENTS.map((document) => pageOf(document, context, 'whole')).join('\n')
}
export const MARKDOWN = 'text/markdown'

/** The headers of a page that is Markdown for whoever prefers that. @param href the link to the page */
export function markdownHeaders(href: string): Readonly<Record<string, string>> {
  return {
    link: `<${href}.md>; rel="alternate"; type="${MARKDOWN}"`,
    vary: 'Accept, Accept-Encoding, Cookie',
  }
}

/** True if `Accept` weighs Markdown at least as much as HTML (RFC 9110, 12.5.1); `*` counts for neither. */
export function prefersMarkdown(request: Request): boolean {
  const accept = request.headers.get('accept')?.toLowerCase()
  if (!accept?.includes(MARKDOWN)) return false
  const weights = new Map(
    accept.split(',').map((range): [string, number] => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return [type, weight === undefined ? 1 : Number(weight.slice(2))]
    }),
  )
  const weight = weights.get(MARKDOWN) ?? 0
  return weight > 0 && weight >= (weights.get('text/html') ?? 0)
}
