/** The index of the documentation: built of the texts of its pages, for this host's own page and for browsers. */
import MiniSearch from 'minisearch'
import { once } from '../../once.ts'
import { notFound } from '../http/form-errors.ts'
import type { PageContext, Route, Site } from '../http/page.ts'
import { type Answer, answerOf, contentHash } from '../http/responses.ts'
import type { Document, DocumentContext } from './document.ts'
import { DOCUMENTS } from './documents.ts'
import { fill } from './placeholders.ts'
import { type DocsIndex, INDEX_OPTIONS, type IndexedSection } from './search-matching.ts'
import { sectionsOf } from './search-sections.ts'

export interface PublishedIndex {
  index: DocsIndex
  /** The path for browsers, with a hash of the content. */
  path: string
  /** Sends it as the JSON of MiniSearch. */
  send: Answer
}

/** Indexes by site; the texts stay the same while the process runs. */
const published = new WeakMap<Site, () => Promise<PublishedIndex>>()

type TextContext = Omit<DocumentContext, 'examples'>

/** Returns the index of a site, built when it is first asked for. */
export function docsIndexOf({
  site,
  openapi,
  href,
  directory,
}: TextContext): Promise<PublishedIndex> {
  // Every process has the same index, whatever its directory: examples and live values are left out.
  const context = { site, openapi, href, directory, examples: {} }
  const index = published.get(site) ?? once(() => buildIndex(context))
  published.set(site, index)
  return index()
}

/** Builds the index in steps, between which other requests are answered: it takes a tenth of a second. */
async function buildIndex(context: DocumentContext): Promise<PublishedIndex> {
  const index = new MiniSearch(INDEX_OPTIONS)
  for (const document of DOCUMENTS) {
    await index.addAllAsync(indexedSections(document, context), { chunkSize: 10 })
  }
  const text = JSON.stringify(index)
  const type = 'application/json; charset=utf-8'
  return {
    index,
    path: `/assets/docs-index/${contentHash(text)}`,
    send: answerOf({ text, type, kept: 'forever' }),
  }
}

/** The sections of a page; its beginning has the page's own title, and its lead before the text. */
function indexedSections(document: Document, context: DocumentContext): IndexedSection[] {
  const { path, title, lead } = document
  const href = context.href(path)
  return sectionsOf(fill(document, context, 'search')).map(({ anchor, ...section }) => {
    if (anchor === '') {
      return { ...section, href, page: '', title, heading: title, text: `${lead} ${section.text}` }
    }
    return { ...section, href: `${href}#${anchor}`, page: title, heading: section.title }
  })
}

/** Sends the index to browsers. @throws PageError 404 for the hash of another version of this service */
export const docsIndexRoute: Route = {
  path: '/assets/docs-index/:hash',
  get: async (context: PageContext) => {
    const { path, send } = await docsIndexOf(context)
    if (context.path !== path) throw notFound('index')
    return send(context.request)
  },
}
