/** Parses a query into the words to look up. */
import { wholeOf } from '../../../index-build/documents.ts'
import { latinOf, lettersOf } from '../../../index-build/fold.ts'
import { tokenize } from '../../../index-build/tokenize.ts'
import { addresseeOf } from '../addressee.ts'

/** All of these words must match, the last one also as a prefix. */
export type Reading = readonly string[]

export interface SearchQuery {
  /** A record matches if it matches one reading. */
  readings: Reading[]
  /** Hosts above that of an address, the nearest first: `app.uniswap.org` is part of uniswap.org. */
  parents: Reading[]
  /** The query as a name, ticker or handle is compared whole. */
  whole: string
  /** Its letters in a row. */
  letters: string
}

/** @param q at most 200 characters (the route sees to that). */
export function parseQuery(q: string): SearchQuery {
  const { texts, parents } = textsOf(q)
  const whole = wholeOf(texts[0] ?? q)
  const readings = new Map(
    texts.flatMap(readingsOf).map((reading) => [reading.join(' '), reading] as const),
  )
  return {
    readings: [...readings.values()],
    parents: parents.map((host) => tokenize(host).joined),
    whole,
    letters: lettersOf(whole),
  }
}

/** Signs of an address that is no name: `Gate.io` and `J.P.M.` are. */
const ADDRESS_SIGN = /^www\.|[/?#:<>]/i

/** Texts to look up, the first of which names are compared with: a profile's handle, a host, or the query. */
function textsOf(q: string): { texts: string[]; parents: string[] } {
  const addressee = addresseeOf(q)
  if (addressee === null) return { texts: [q.trim()], parents: [] }
  if (addressee.kind === 'profile') return { texts: [addressee.handle], parents: [] }
  const { host, domain } = addressee
  const labels = host.split('.')
  const parents = labels.map((_, above) => labels.slice(above).join('.')).slice(1)
  return {
    texts: ADDRESS_SIGN.test(q) ? [host] : [q.trim(), host],
    parents: parents.filter((parent) => parent.length >= domain.length),
  }
}

function readingsOf(text: string): Reading[] {
  const { pieces, joined } = tokenize(text)
  const whole = wholeOf(text)
  const readings = [distinct(pieces), distinct(joined)]
  // A ticker or handle with its marks (`USD_S`) is another than the one without.
  if (pieces.length > 0 && !whole.includes(' ') && whole !== joined[0]) readings.push([whole])
  readings.push(distinct(tokenize(latinOf(whole)).pieces))
  return readings.filter((reading) => reading.length > 0)
}

/** Says of a record's name, ticker, handle and domain whether one of these is all that was asked for. */
export function exactly(q: string): (names: readonly (string | null)[]) => boolean {
  const { whole } = parseQuery(q)
  return (names) => names.some((name) => name !== null && wholeOf(name) === whole)
}

/** Each word once; a word that is also the last stays last, where it counts as a prefix. */
function distinct(words: readonly string[]): Reading {
  return [...new Set(words.toReversed())].reverse()
}

/** A reading without some of its words. */
export interface PartialReading {
  reading: Reading
  /** How many others there are, their rarity, and its part of the reading's. */
  dropped: number
  missing: number
  share: number
}

/** Readings with more words than this have no partial ones: so many have never been meant. */
const PARTIAL_WORDS_MAX = 8
/** Two of four words that no record has: those that one has count a little less. */
const SHARE_MAX = 0.53

/**
 * Most of the words: readings that lack about half of the reading's rarity at most, those that lack least first.
 * @param rarities of the words: the more, the fewer records have one.
 */
export function partialReadings(reading: Reading, rarities: readonly number[]): PartialReading[] {
  if (reading.length > PARTIAL_WORDS_MAX) return []
  const total = rarities.reduce((sum, word) => sum + word, 0)
  const partial: PartialReading[] = []
  for (let lacking = 1; lacking < 2 ** reading.length - 1; lacking++) {
    const lacks = (place: number) => ((lacking >>> place) & 1) === 1
    const missing = rarities.reduce((sum, word, i) => sum + (lacks(i) ? word : 0), 0)
    const share = missing / total
    if (share > SHARE_MAX) continue
    const left = reading.filter((_, i) => !lacks(i))
    partial.push({ reading: left, dropped: reading.length - left.length, missing, share })
  }
  return partial.sort((a, b) => a.share - b.share)
}
