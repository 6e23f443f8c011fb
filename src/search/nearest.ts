/**
 * Finds names and handles that are near to the query as a whole, whatever its words are (D51): those that have its
 * letters with spaces elsewhere, and those that share pieces of three letters with it. How near one of these is, is
 * the mean of two measures: the share of pieces in common, rare ones counting more, and the share of letters that
 * stay when one text is changed into the other.
 */
import { distance } from 'fastest-levenshtein'
import { lettersOf } from '../../index-build/fold.ts'
import { piecesOf, wholePiece } from '../../index-build/name-pieces.ts'
import type { TermIndex } from '../../index-build/term-index.ts'
import { type Matches, noMatches, zerosFor } from './matches.ts'
import type { FollowersRank } from './rank.ts'
import { likenessFor, nearScore, rarityOf, respacedScore, WORST } from './score.ts'

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
/** Records with the same letters that are looked at: a name of more says nothing. */
const SAME_MAX = 5_000
/** Weights are counted in units of this share, because their sums are whole numbers. */
const UNIT = 1 / 1_000

/** The query's pieces, each with its weight (inverse document frequency), the rarest first. */
interface Pieces {
  weights: ReadonlyMap<number, number>
  total: number
  mean: number
}

export class NearestMatcher {
  readonly #index: TermIndex
  /** The slots that share a piece with the query: room for as many as are looked at. */
  readonly #touched = new Uint32Array(WORK_MAX)
  /** Entries of lists looked at since the start: what tests hold bounded. */
  work = 0

  constructor(index: TermIndex) {
    this.#index = index
  }

  /**
   * The records whose name or handle has just the query's letters, though it is not the query.
   * @param whole the query as a name is compared.
   */
  respaced(whole: string, followers: FollowersRank): Matches {
    const letters = lettersOf(whole)
    const slots = this.#index.namePieces.numbers(wholePiece(letters))
    if (letters.length < LETTERS_MIN || slots.length > SAME_MAX) return noMatches()
    this.work += slots.length
    return this.#best(slots, WORST, followers, (text) =>
      lettersOf(text) === letters ? respacedScore(distance(whole, text)) : WORST,
    )
  }

  /**
   * The records whose name or handle is nearest.
   * @param whole the query as a name is compared.
   * @param bound only records with a better score are wanted.
   * @param followers settle ties, also over who is still among those compared and found (D36).
   */
  nearest(whole: string, bound: number, followers: FollowersRank): Matches {
    const letters = lettersOf(whole)
    if (letters.length < LETTERS_MIN || bound <= nearScore(1)) return noMatches()
    const pieces = this.#weighed(letters, followers.order.length)
    const candidates = this.#candidates(pieces, likenessFor(bound), followers)
    return this.#best(candidates, bound, followers, (text) => {
      const like = likeness(lettersOf(text), letters, pieces)
      return like < LIKENESS_MIN ? WORST : nearScore(like)
    })
  }

  /** Of these slots the best, by name or handle. @param bound only a better score will do. */
  #best(
    slots: Iterable<number>,
    bound: number,
    { keys }: FollowersRank,
    scoreOf: (text: string) => number,
  ): Matches {
    const near = Array.from(slots, (slot) => {
      const [name, handle] = [this.#index.name(slot), this.#index.handle(slot)]
      return { slot, score: Math.min(scoreOf(name), scoreOf(handle)) }
    })
      .filter(({ score }) => score < bound)
      .sort((a, b) => a.score - b.score || (keys[a.slot] ?? 0) - (keys[b.slot] ?? 0))
      .slice(0, FOUND_MAX)
    return {
      slots: Uint32Array.from(near, ({ slot }) => slot),
      scores: Uint16Array.from(near, ({ score }) => score),
    }
  }

  #weighed(letters: string, records: number): Pieces {
    const weights = Array.from(piecesOf(letters), (piece): [piece: number, weight: number] => {
      const count = this.#index.namePieces.length(piece)
      return [piece, Math.ceil(rarityOf(count, records) / UNIT)]
    })
    const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
    weights.sort(([, a], [, b]) => b - a)
    return { weights: new Map(weights), total, mean: total / weights.length }
  }

  /**
   * The slots whose names have the largest share of pieces in common with the query.
   * @param like none less like is wanted.
   */
  #candidates(pieces: Pieces, like: number, { keys }: FollowersRank): number[] {
    const { namePieces, slotCount } = this.#index
    // By slot: the weight of the pieces in common.
    const [sums, touched] = [zerosFor(slotCount), this.#touched]
    // Less weight in common is too little, even of a name that has no other pieces.
    const least = weightFor(SHARED_MIN, pieces.total)
    // Likeness is the mean of this share and another, which is 1 at most.
    const wanted = Math.max(least, weightFor(2 * like - 1, pieces.total))
    let ahead = pieces.total
    let touchedCount = 0
    let work = 0
    for (const [piece, weight] of pieces.weights) {
      const slots = namePieces.numbers(piece)
      const isEnough = ahead >= wanted
      if (work + slots.length > WORK_MAX || (touchedCount === 0 && !isEnough)) break
      work += slots.length
      ahead -= weight
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] ?? 0
        const sum = sums[slot] ?? 0
        if (sum === 0) {
          if (!isEnough) continue
          touched[touchedCount++] = slot
        }
        sums[slot] = sum + weight
      }
    }
    this.work += work
    const candidates: { slot: number; share: number }[] = []
    for (let i = 0; i < touchedCount; i++) {
      const slot = touched[i] ?? 0
      const sum = sums[slot] ?? 0
      sums[slot] = 0
      if (sum < least || sum + ahead < wanted) continue
      const share = shared(pieces, sum, this.#index.nameLetters(slot) - sum / pieces.mean)
      if (share >= SHARED_MIN) candidates.push({ slot, share })
    }
    candidates.sort((a, b) => b.share - a.share || (keys[a.slot] ?? 0) - (keys[b.slot] ?? 0))
    return candidates.slice(0, CANDIDATES).map(({ slot }) => slot)
  }
}

/**
 * The share in common of the query's pieces and a name's (Dice's coefficient). A piece that the name
 * has beyond the query counts half: names are often typed in part.
 * @param common the weight in common. @param others how many pieces the name has beyond the query.
 */
function shared({ total, mean }: Pieces, common: number, others: number): number {
  return (2 * common) / (total + common + (Math.max(0, others) * mean) / 2)
}

/** The least weight in common that makes so large a share. */
const weightFor = (share: number, total: number) => (share * total) / (2 - share)

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
