/** The index of the documentation: built of the texts of its pages, for this host's own page and for browsers. */
import MiniSearch from 'minisearch'
import { notFound } from '../../http/form-errors.ts'
import type { PageContext, Route, Site } from '../../http/page.ts'
import { type Answer, answerOf, contentHash } from '../../http/responses.ts'
import type { Document, DocumentContext } from '../document.tsx'
import { DOCUMENTS } from '../documents.ts'
import { type DocsIndex, INDEX_OPTIONS, type IndexedSection } from './matching.ts'
import { sectionsOf } from './sections.ts'

interface PublishedIndex {
  index: DocsIndex
  /** Names its content. */
  hash: string
  /** Sends it as the JSON of MiniSearch. */
  send: Answer
}

/** One for each site; its texts stay the same while the process runs. */
const published = new WeakMap<Site, PublishedIndex>()

/** Returns the index of a site, built when it is first asked for. */
export function docsIndexOf(context: DocumentContext): PublishedIndex {
  const known = published.get(context.site)
  if (known) return known
  const index = new MiniSearch(INDEX_OPTIONS)
  for (const document of DOCUMENTS) index.addAll(indexedSections(document, context))
  const text = JSON.stringify(index)
  const type = 'application/json; charset=utf-8'
  const made = { index, hash: contentHash(text), send: answerOf({ text, type, kept: 'forever' }) }
  published.set(context.site, made)
  return made
}

/** The sections of a page; its beginning has the page's own title, and its lead before the text. */
function indexedSections(document: Document, context: DocumentContext): IndexedSection[] {
  const { path, title, lead, body } = document
  const href = context.href(path)
  return sectionsOf(body(context)).map(({ anchor, ...section }) => {
    if (anchor === '') {
      return { ...section, href, page: '', title, heading: title, text: `${lead} ${section.text}` }
    }
    return { ...section, href: `${href}#${anchor}`, page: title, heading: section.title }
  })
}

/** Where browsers find the index. */
export function docsIndexPath(context: DocumentContext): string {
  return `/assets/docs-index/${docsIndexOf(context).hash}`
}

/** The index by the hash that a page names. @throws PageError 404 for a hash of another version of this service */
export const docsIndexRoute: Route = {
  path: '/assets/docs-index/:hash',
  get: (context: PageContext) => {
    const { hash, send } = docsIndexOf(context)
    if (context.id !== hash) throw notFound('index')
    return send(context.request)
  },
}
