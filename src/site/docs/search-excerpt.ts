/** Quotes from a section what a query asked for. */
import { HUMP, termOf, WORD } from './search-words.ts'

/** A quotation in pieces; those that the query asked for are marked. */
export type Excerpt = readonly { text: string; isMarked: boolean }[]

/** Letters before the first marked word, and altogether. */
const LEAD = 40
const LENGTH = 160

/** Quotes the passage with most of the terms, or the beginning where the text has none. @param terms as `termOf` returns them */
export function excerptOf(text: string, terms: ReadonlySet<string>): Excerpt {
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
