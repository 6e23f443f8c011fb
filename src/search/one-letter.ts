/**
 * Keeps the matches of queries of one letter: among a million people up to four hundred thousand, too
 * many to find again at each key press. The first query for a letter stores the score of every record,
 * and each change of a record updates its own score.
 */
import { LRUCache } from 'lru-cache'
import { letterCount, type SearchDocument } from '../../index-build/documents.ts'
import { countedLength } from '../../index-build/term-index.ts'
import { isUnspaced } from '../../index-build/tokenize.ts'
import type { Matches } from './matches.ts'
import type { SearchQuery } from './query.ts'
import { matchTable, mayBeNamed, PREFIX, scoreOf, WHOLE } from './score.ts'

/** Letters kept, those asked for last: 2 bytes a record each. */
const LETTERS_MAX = 40

export class OneLetter {
  /** By letter, per slot: one more than the score; 0 where there is no match. */
  readonly #scores = new LRUCache<string, Uint16Array>({ max: LETTERS_MAX })

  /** The query's letter, if that is all it is. */
  letterOf({ readings, whole }: SearchQuery): string | null {
    const isLetter = whole.length === 1 && readings.length === 1 && readings[0]?.[0] === whole
    return isLetter && !isUnspaced(whole) ? whole : null
  }

  /** The letter's matches in the order of their slots; null where it isn't kept. */
  matches(letter: string): Matches | null {
    const kept = this.#scores.get(letter)
    if (!kept) return null
    const slots = new Uint32Array(kept.length)
    const scores = new Uint16Array(kept.length)
    let count = 0
    for (let slot = 0; slot < kept.length; slot++) {
      const score = kept[slot] ?? 0
      if (score === 0) continue
      slots[count] = slot
      scores[count++] = score - 1
    }
    return { slots: slots.subarray(0, count), scores: scores.subarray(0, count) }
  }

  /** Keeps the letter's matches. An empty result isn't kept, because it came from other spellings. */
  keep(letter: string, { slots, scores }: Matches, slotCount: number) {
    if (slots.length === 0) return
    const kept = new Uint16Array(slotCount)
    for (let i = 0; i < slots.length; i++) kept[slots[i] ?? 0] = (scores[i] ?? 0) + 1
    this.#scores.set(letter, kept)
  }

  /** Updates the scores of one record. @param before null where it is new. @param after null where it goes. */
  change(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (this.#scores.size === 0) return
    const letters = new Set<string>()
    for (const document of [before, after]) {
      for (const word of document?.words.keys() ?? []) letters.add(word.charAt(0))
    }
    for (const letter of letters) {
      let kept = this.#scores.peek(letter)
      if (!kept) continue
      if (slot >= kept.length) {
        const larger = new Uint16Array(slot * 2)
        larger.set(kept)
        kept = larger
        this.#scores.set(letter, kept)
      }
      kept[slot] = after ? scoreFor(letter, after) : 0
      // Without a match left, the next query has to try other spellings again.
      if (kept[slot] === 0 && !kept.some((score) => score > 0)) this.#scores.delete(letter)
    }
  }
}

/** One more than the score of the record for this letter, as `Matcher` gives it; 0: no match. */
function scoreFor(letter: string, { words, name }: SearchDocument): number {
  const word = { text: letter, isFirst: true, isAlone: true }
  let best = Number.POSITIVE_INFINITY
  for (const [term, fields] of words) {
    if (!term.startsWith(letter)) continue
    const { matches, countsLeft } = matchTable(word, term === letter ? WHOLE : PREFIX)
    const left = countsLeft[fields] === 1 ? countedLength(term) - letter.length : 0
    best = Math.min(best, (matches[fields] ?? 0) + left)
  }
  if (best === Number.POSITIVE_INFINITY) return 0
  const isNamed = mayBeNamed(best, 1) && name === letter
  return 1 + scoreOf(best, 1, letter.length, letterCount(name), isNamed)
}
