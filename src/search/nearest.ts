/**
 * Finds names and handles that are near to the query as a whole, whatever its words are (D51). Those that
 * share pieces of three letters with it are candidates. How near one is, is the mean of two measures: the
 * share of pieces in common, rare ones counting more, and the share of letters that stay when one text is
 * changed into the other.
 */
import { distance } from 'fastest-levenshtein'
import { lettersOf } from '../../index-build/fold.ts'
import { piecesOf } from '../../index-build/name-pieces.ts'
import type { TermIndex } from '../../index-build/term-index.ts'
import type { FollowersRank } from './followers-rank.ts'
import { type Matches, noMatches } from './matches.ts'
import { nearScore, rarityOf, respacedScore, WORST } from './score.ts'

/** Names less like the query, from 0 to 1, were not meant. Tests hold it by what people type and don't. */
const LIKENESS_MIN = 0.52
/** Shorter queries have too few pieces to tell what is near. */
const LETTERS_MIN = 4
/** Records found, at most. */
const FOUND_MAX = 12
/** Names whose letters are compared, and how large a share of pieces these have in common at least. */
const CANDIDATES = 40
const SHARED_MIN = 0.3
/** Entries of lists of pieces that are looked at, of the rarest pieces first: they say most. */
const WORK_MAX = 60_000
/** Weights are counted in units of this share, because their sums are whole numbers. */
const UNIT = 1 / 1_000

/** The query's pieces, each with its weight (inverse document frequency), the rarest first. */
interface Pieces {
  weights: ReadonlyMap<number, number>
  total: number
  mean: number
}

/** Space for one number per slot each, kept because a query may look at many. */
export interface NearestSpace {
  /** All zero before and after. */
  sums: Uint32Array
  slots: Uint32Array
  touched: Uint32Array
}

/** Which of two records comes first. */
type BySlot = (a: { slot: number }, b: { slot: number }) => number

/**
 * @param whole the query as a name is compared.
 * @param bound only records with a better score are wanted.
 * @param followers settle ties, also over who is still among those compared and found (D36).
 * @returns the nearest names' records, and how many entries were looked at.
 */
export function nearest(
  whole: string,
  bound: number,
  index: TermIndex,
  { order, places }: FollowersRank,
  space: NearestSpace,
): Matches & { work: number } {
  const letters = lettersOf(whole)
  if (letters.length < LETTERS_MIN) return { ...noMatches(), work: 0 }
  const pieces = weighed(letters, index, order.length)
  const byFollowers: BySlot = (a, b) => (places[a.slot] ?? 0) - (places[b.slot] ?? 0)
  const { candidates, work } =
    bound <= nearScore(1)
      ? withLetters(letters, pieces, index, space)
      : candidatesOf(pieces, index, byFollowers, space)
  const scoreOf = (name: string) => {
    const like = likeness(lettersOf(name), letters, pieces)
    if (like === 1) return respacedScore(distance(whole, name))
    return like < LIKENESS_MIN ? WORST : nearScore(like)
  }
  const near = candidates
    .map((slot) => ({
      slot,
      score: Math.min(scoreOf(index.name(slot)), scoreOf(index.handle(slot))),
    }))
    .filter(({ score }) => score < bound)
    .sort((a, b) => a.score - b.score || byFollowers(a, b))
    .slice(0, FOUND_MAX)
  return {
    slots: Uint32Array.from(near, ({ slot }) => slot),
    scores: Uint16Array.from(near, ({ score }) => score),
    work,
  }
}

function weighed(letters: string, index: TermIndex, records: number): Pieces {
  const weights = Array.from(piecesOf(letters), (piece): [piece: number, weight: number] => {
    const count = index.namePieces.count(piece)
    return [piece, Math.ceil(rarityOf(count, records) / UNIT)]
  })
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  weights.sort(([, a], [, b]) => b - a)
  return { weights: new Map(weights), total, mean: total / weights.length }
}

/** The slots whose name or handle has just the query's letters: all that is better than a typo. */
function withLetters(letters: string, { weights }: Pieces, index: TermIndex, space: NearestSpace) {
  const [rarest = 0] = weights.keys()
  const work = index.namePieces.count(rarest)
  if (work > WORK_MAX) return { candidates: [], work: 0 }
  const slots = space.slots.subarray(0, index.namePieces.read(rarest, space.slots))
  const isSame = (slot: number) =>
    hasLetters(index.name(slot), letters) || hasLetters(index.handle(slot), letters)
  return { candidates: Array.from(slots.filter(isSame)), work }
}

/** Whether `lettersOf(text)` is this: of nearly all texts the first letter says no. */
function hasLetters(text: string, letters: string): boolean {
  let at = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === letters.charCodeAt(at)) at++
    else if (code > 0x7f) return lettersOf(text) === letters
    else if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return false
  }
  return at === letters.length
}

/** The slots whose names have the largest share of pieces in common with the query. */
function candidatesOf(
  pieces: Pieces,
  index: TermIndex,
  byFollowers: BySlot,
  { sums, slots, touched }: NearestSpace,
) {
  // Less weight in common is too little, even of a name that has no other pieces.
  const least = (SHARED_MIN * pieces.total) / (2 - SHARED_MIN)
  let ahead = pieces.total
  let touchedCount = 0
  let work = 0
  for (const [piece, weight] of pieces.weights) {
    const count = index.namePieces.count(piece)
    if (work + count > WORK_MAX) break
    work += count
    index.namePieces.read(piece, slots)
    const isEnough = ahead >= least
    ahead -= weight
    for (let i = 0; i < count; i++) {
      const slot = slots[i] ?? 0
      const sum = sums[slot] ?? 0
      if (sum === 0) {
        if (!isEnough) continue
        touched[touchedCount++] = slot
      }
      sums[slot] = sum + weight
    }
  }
  const candidates: { slot: number; share: number }[] = []
  for (let i = 0; i < touchedCount; i++) {
    const slot = touched[i] ?? 0
    const sum = sums[slot] ?? 0
    sums[slot] = 0
    if (sum < least) continue
    const share = shared(pieces, sum, index.nameLetters(slot) - sum / pieces.mean)
    if (share >= SHARED_MIN) candidates.push({ slot, share })
  }
  candidates.sort((a, b) => b.share - a.share || byFollowers(a, b))
  return { candidates: candidates.slice(0, CANDIDATES).map(({ slot }) => slot), work }
}

/**
 * The share in common of the query's pieces and a name's (Dice's coefficient). A piece that the name
 * has beyond the query counts half: names are often typed in part.
 * @param common the weight in common. @param others how many pieces the name has beyond the query.
 */
function shared({ total, mean }: Pieces, common: number, others: number): number {
  return (2 * common) / (total + common + (Math.max(0, others) * mean) / 2)
}

/** How like the name's letters are to the query's, from 0 to 1; 0 where it is less than `LIKENESS_MIN`. */
function likeness(name: string, letters: string, pieces: Pieces): number {
  let common = 0
  let others = 0
  for (const piece of piecesOf(name)) {
    const weight = pieces.weights.get(piece)
    if (weight === undefined) others++
    else common += weight
  }
  const share = shared(pieces, common, others)
  const longest = Math.max(letters.length, name.length)
  const keptMost = Math.min(letters.length, name.length) / longest
  if (share + keptMost < 2 * LIKENESS_MIN) return 0
  return (share + 1 - distance(letters, name) / longest) / 2
}
