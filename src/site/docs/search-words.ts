/** The words of texts and queries: names of code are kept whole as well as in parts. */

/** Words of a question that no section is about. */
const FILL_WORDS = new Set(
  'a an and are can do does for how i in is it many much my of on or that the to what where which with'.split(
    ' ',
  ),
)

export const WORD = /[\p{L}\p{M}\p{N}]+/gu
const NAME = /[\p{L}\p{N}](?:\S*[\p{L}\p{M}\p{N}])?/gu
/** Between two words of `camelCase`. */
export const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u

/** Splits at blanks, without signs at the ends: `X-RateLimit-Remaining`, `include=private` and `v1/people` are one name each. */
export function namesIn(text: string): string[] {
  return text.match(NAME) ?? []
}

/** Splits at all that is no letter and no digit. */
export function wordsIn(text: string): string[] {
  return text.match(WORD) ?? []
}

/** A name with its words and what those are put together of: `X-RateLimit`, `X`, `RateLimit`, `Rate`, `Limit`. */
export function partsOf(name: string): string[] {
  const words = wordsIn(name)
  return [...new Set([name, ...words, ...words.flatMap((word) => word.split(HUMP))])]
}

/** Returns a word as the index knows it; null for one that is left out. */
export function termOf(word: string): string | null {
  const term = word.normalize('NFKC').toLowerCase()
  return term === '' || FILL_WORDS.has(term) ? null : term
}
