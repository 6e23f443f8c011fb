/**
 * Finds names and handles that are near to the query as a whole, whatever its words are: those that have its
 * letters with spaces elsewhere, and those that share pieces of three letters with it. How near one of these is, is
 * the mean of two measures: the share of pieces in common, rare ones counting more, and the share of letters that
 * stay when one text is changed into the other.
 */
import { distance } from 'fastest-levenshtein'
import { lettersOf } from '../../../index-build/fold.ts'
import { piecesOf } from '../../../index-build/name-pieces.ts'
import type { TermIndex } from '../../../index-build/term-index.ts'
import type { FollowersRank } from './followers-rank.ts'
import { type Matches, noMatches, zerosFor } from './matches.ts'
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
/** The same where only names of all pieces are wanted. */
const SAME_WORK_MAX = 30_000
/** Weights are counted in units of this share, because their sums are whole numbers. */
const UNIT = 1 / 1_000

/** The query's pieces, each with its weight (inverse document frequency), the rarest first. */
interface Pieces {
  weights: ReadonlyMap<number, number>
  total: number
  mean: number
}

/**
 * The records whose name or handle is nearest. Those that have just the query's letters are better than `SLIPPED`.
 * @param whole the query as a name is compared.
 * @param bound only records with a better score are wanted.
 * @param followers settle ties, also over who is still among those compared and found.
 */
export function nearest(
  index: TermIndex,
  whole: string,
  bound: number,
  followers: FollowersRank,
): Matches {
  const letters = lettersOf(whole)
  if (letters.length < LETTERS_MIN) return noMatches()
  const pieces = weighed(index, letters, followers.length)
  const scoreOf = (text: string) => {
    const name = lettersOf(text)
    if (name === letters) return respacedScore(distance(whole, text))
    const like = likeness(name, letters, pieces)
    return like < LIKENESS_MIN ? WORST : nearScore(like)
  }
  const near = candidates(index, pieces, Math.min(1, likenessFor(bound)), followers)
    .map((slot) => {
      const [name, handle] = [index.names[slot] ?? '', index.handles[slot] ?? '']
      return { slot, score: Math.min(scoreOf(name), scoreOf(handle)) }
    })
    .filter(({ score }) => score < bound)
    .sort((a, b) => a.score - b.score || followers.order.compare(a.slot, b.slot))
    .slice(0, FOUND_MAX)
  return {
    slots: Uint32Array.from(near, ({ slot }) => slot),
    scores: Uint16Array.from(near, ({ score }) => score),
  }
}

function weighed(index: TermIndex, letters: string, records: number): Pieces {
  const weights = Array.from(piecesOf(letters), (piece): [piece: number, weight: number] => {
    const count = index.namePieces.length(piece)
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
function candidates(
  index: TermIndex,
  pieces: Pieces,
  like: number,
  followers: FollowersRank,
): number[] {
  // By slot: the weight of the pieces in common.
  const sums = zerosFor(index.slotCount)
  const touched: number[] = []
  // Likeness is the mean of the share in common and another one, which is 1 at most.
  const wanted = weightFor(Math.max(SHARED_MIN, 2 * like - 1), pieces.total)
  let ahead = pieces.total
  const workMax = wanted < pieces.total ? WORK_MAX : SAME_WORK_MAX
  let work = 0
  for (const [piece, weight] of pieces.weights) {
    if (ahead < wanted && touched.length <= CANDIDATES) break
    const slots = index.namePieces.numbers(piece)
    work += slots.length
    if (work > workMax) break
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      const sum = sums[slot] ?? 0
      if (sum === 0 && ahead < wanted) continue
      if (sum === 0) touched.push(slot)
      sums[slot] = sum + weight
    }
    ahead -= weight
  }
  index.work += Math.min(work, workMax)
  // So few are all compared: not all their pieces were looked at.
  const isFew = touched.length <= CANDIDATES
  const found: { slot: number; share: number }[] = []
  for (const slot of touched) {
    const sum = sums[slot] ?? 0
    sums[slot] = 0
    if (sum + ahead < wanted) continue
    const share = shared(pieces, sum, index.nameLetters(slot) - sum / pieces.mean)
    if (isFew || share >= SHARED_MIN) found.push({ slot, share })
  }
  found.sort((a, b) => b.share - a.share || followers.order.compare(a.slot, b.slot))
  return found.slice(0, CANDIDATES).map(({ slot }) => slot)
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

/** How like the name's letters are to the query's, from 0 to 1. */
function likeness(name: string, letters: string, pieces: Pieces): number {
  let common = 0
  let others = 0
  for (const piece of piecesOf(name)) {
    const weight = pieces.weights.get(piece)
    if (weight === undefined) others++
    else common += weight
  }
  const kept = 1 - distance(letters, name) / Math.max(letters.length, name.length)
  return (shared(pieces, common, others) + kept) / 2
}
