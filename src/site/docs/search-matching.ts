/**
 * What a query of the documentation finds, in which order, and how it is quoted. The server and the browser run this
 * file on the same index, so that they answer alike.
 */
import type { default as MiniSearch, Options, SearchResult } from 'minisearch'
import { type Excerpt, excerptOf } from './search-excerpt.ts'
import { namesIn, partsOf, termOf, wordsIn } from './search-words.ts'

export type DocsIndex = MiniSearch<IndexedSection>

/** A section of a page as the index holds it. */
export interface IndexedSection {
  /** The link to it. */
  href: string
  title: string
  /** The title again, of which whole names count: what is called `Person` comes before `PersonData`. */
  heading: string
  /** The title of the page that it stands in; '' for a page's beginning, whose own title that is. */
  page: string
  /** The names that it explains. */
  names: string
  text: string
  /** Examples, which are found and not quoted. */
  code: string
}

export interface Result extends Pick<IndexedSection, 'href' | 'title' | 'page'> {
  excerpt: Excerpt
}

/** What a query found: those that are listed, and how many there are. */
export interface Found {
  results: Result[]
  total: number
}

export const MAX_QUERY_CHARACTERS = 200
export const MAX_RESULTS = 12

/** A page comes before other pages' sections of its title. */
const PAGE_WEIGHT = 1.1

/** How sections are indexed, and how each word of a query is looked up. */
export const INDEX_OPTIONS: Options<IndexedSection> = {
  idField: 'href',
  fields: ['heading', 'title', 'names', 'page', 'text', 'code'],
  storeFields: ['title', 'page', 'text'],
  tokenize: (text, field) => (field === 'heading' ? namesIn(text) : namesIn(text).flatMap(partsOf)),
  processTerm: termOf,
  searchOptions: {
    boost: { heading: 5, title: 5, names: 2, page: 1.5, code: 0.5 },
    weights: { fuzzy: 0.2, prefix: 0.4 },
    maxFuzzy: 2,
  },
}

/**
 * Finds sections that have every word, or where none has, those with most of them, and lists the first `MAX_RESULTS`. Every endpoint's page
 * has sections of the same titles: of such the best match alone is listed.
 */
export function searchDocs(index: DocsIndex, q: string): Found {
  const query = q.slice(0, MAX_QUERY_CHARACTERS)
  const complete = search(index, query, 'AND')
  const found = bestOfEach(complete.length > 0 ? complete : search(index, query, 'OR'))
  const results = found.slice(0, MAX_RESULTS).map(({ id, title, page, text, terms }) => ({
    href: id,
    title,
    page,
    excerpt: excerptOf(text, new Set(terms)),
  }))
  return { results, total: found.length }
}

/** @param found best first @returns them without later ones of the same title and place on another page */
function bestOfEach(found: readonly SearchResult[]): SearchResult[] {
  const listed = new Set<string>()
  return found.filter(({ id, title }) => {
    const [path = '', anchor = path] = String(id).split('#')
    const name = `${title}#${anchor}`
    return !listed.has(name) && listed.add(name)
  })
}

/** Says how many sections were found, and that not all of them are listed. */
export function countOf({ results, total }: Found): string {
  if (total === 0) return 'Nothing matches.'
  return total > results.length ? `First ${results.length} of ${total}` : `${total} found`
}

/** The last word may be a beginning, and longer ones may have a typo. */
function search(index: DocsIndex, q: string, combineWith: 'AND' | 'OR'): SearchResult[] {
  const weights = weightsOf(index, q)
  return index.search(q, {
    tokenize: wordsIn,
    combineWith,
    prefix: (_term, position, terms) => position === terms.length - 1,
    fuzzy: (term) => (term.length >= 4 ? 0.2 : false),
    boostDocument: (href) =>
      (weights.get(href) ?? 1) * (String(href).includes('#') ? 1 : PAGE_WEIGHT),
  })
}

/** Sections with all names as they were typed count double, and twice that where one is in the heading. */
function weightsOf(index: DocsIndex, q: string): ReadonlyMap<unknown, number> {
  const asTyped = index.search(q, { tokenize: namesIn, combineWith: 'AND' })
  return new Map(
    asTyped.map(({ id, match }) => [id, Object.values(match).flat().includes('heading') ? 4 : 2]),
  )
}
