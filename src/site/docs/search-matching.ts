/**
 * Matching, order and quotations of the documentation's search. The server and the browser run this file on the same
 * index, so that they answer alike.
 */
import type { default as MiniSearch, Options, SearchResult } from 'minisearch'

export type DocsIndex = MiniSearch<IndexedSection>

/** A section of a page as the index holds it. */
export interface IndexedSection {
  /** The link to it. */
  href: string
  title: string
  /** The title again, matched by whole names: `Person` ranks before `PersonData`. */
  heading: string
  /** The title of the page that it stands in; '' for a page's beginning, whose own title that is. */
  page: string
  /** The names that it explains. */
  names: string
  text: string
  /** Examples of code, which are searched but not quoted. */
  code: string
}

export interface Result extends Pick<IndexedSection, 'href' | 'title' | 'page'> {
  excerpt: Excerpt
}

/** The listed matches of a query, and the number of all. */
export interface Found {
  results: Result[]
  total: number
}

export const MAX_QUERY_CHARACTERS = 200
export const MAX_RESULTS = 12

/** A page comes before other pages' sections of its title. */
const PAGE_WEIGHT = 1.1

/** Options of the index, and of the lookup of each word. */
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

/** A quotation in pieces; those that the query asked for are marked. */
export type Excerpt = readonly { text: string; isMarked: boolean }[]

/** Letters before the first marked word, and altogether. */
const LEAD = 40
const LENGTH = 160

/** Quotes the passage with most of the terms, or the beginning where the text has none. @param terms as `termOf` returns them */
function excerptOf(text: string, terms: ReadonlySet<string>): Excerpt {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    isMarked: [word, ...word.split(HUMP)].some((part) => terms.has(termOf(part) ?? '')),
  }))
  const marked = words.filter(({ isMarked }) => isMarked)
  const counts = marked.map(
    ({ start }) =>
      marked.filter((other) => other.start >= start && other.end <= start + LENGTH - LEAD).length,
  )
  const center = marked[counts.indexOf(Math.max(...counts))]?.start ?? 0
  const from = words.findIndex(({ start }) => start >= center - LEAD)
  const quoted = words
    .slice(from)
    .filter(
      ({ end }, position, { 0: first }) => position === 0 || end <= (first?.start ?? 0) + LENGTH,
    )
  const isStart = from <= 0
  const isEnd = quoted.at(-1) === words.at(-1)

  const pieces = [{ text: isStart ? '' : '… ', isMarked: false }]
  let at = isStart ? 0 : (quoted[0]?.start ?? 0)
  for (const { start, end, isMarked } of quoted) {
    if (!isMarked) continue
    pieces.push({ text: text.slice(at, start), isMarked: false })
    pieces.push({ text: text.slice(start, end), isMarked })
    at = end
  }
  const rest = isEnd ? text.slice(at) : `${text.slice(at, quoted.at(-1)?.end)} …`
  return [...pieces, { text: rest, isMarked: false }].filter(({ text }) => text !== '')
}

/** Words of a question that no section is about. */
const FILL_WORDS = new Set(
  'a an and are can do does for how i in is it many much my of on or that the to what where which with'.split(
    ' ',
  ),
)

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const NAME = /[\p{L}\p{N}](?:\S*[\p{L}\p{M}\p{N}])?/gu
/** Between two words of `camelCase`. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u

/** Splits at blanks, without signs at the ends: `X-RateLimit-Remaining`, `include=private` and `v1/people` are one name each. */
function namesIn(text: string): string[] {
  return text.match(NAME) ?? []
}

/** Splits at all that is no letter and no digit. */
function wordsIn(text: string): string[] {
  return text.match(WORD) ?? []
}

/** A name with its words and what those are put together of: `X-RateLimit`, `X`, `RateLimit`, `Rate`, `Limit`. */
function partsOf(name: string): string[] {
  const words = wordsIn(name)
  return [...new Set([name, ...words, ...words.flatMap((word) => word.split(HUMP))])]
}

/** Returns a word as the index knows it; null for one that is left out. */
function termOf(word: string): string | null {
  const term = word.normalize('NFKC').toLowerCase()
  return term === '' || FILL_WORDS.has(term) ? null : term
}
