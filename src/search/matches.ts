/** The records that a query or one of its readings matches, with how well each does. */
import { withPlace } from '../../index-build/growing.ts'
import type { SearchQuery } from './query.ts'
import { inNameOf, inTexts, POOR, WORST } from './score.ts'

/** Matching records, in no order: slots, and at the same position the score of each. */
export interface Matches {
  slots: Uint32Array
  scores: Uint16Array
}

export const noMatches = (): Matches => ({ slots: new Uint32Array(0), scores: new Uint16Array(0) })

let zeros = new Uint32Array(0)

/** A number for each slot, all of them zero; who changes them has them so again before anybody else asks. */
export function zerosFor(slotCount: number): Uint32Array {
  zeros = withPlace(zeros, slotCount)
  return zeros
}

/** The records that either list holds, each with its best score. */
export function union(a: Matches, b: Matches, slotCount: number): Matches {
  if (a.slots.length === 0) return b
  if (b.slots.length === 0) return a
  const [slots, scores] = [[...a.slots], [...a.scores]]
  // By slot: how many slots there are up to it.
  const places = zerosFor(slotCount)
  for (const [place, slot] of slots.entries()) places[slot] = place + 1
  for (const [i, slot] of b.slots.entries()) {
    const place = (places[slot] || slots.push(slot)) - 1
    scores[place] = Math.min(scores[place] ?? WORST, b.scores[i] ?? WORST)
  }
  for (const slot of a.slots) places[slot] = 0
  return { slots: Uint32Array.from(slots), scores: Uint16Array.from(scores) }
}

/** Whether these may be what was meant: a name, one word that stands in a text, or many records. */
export function isEnough({ readings }: SearchQuery, matches: Matches): boolean {
  const best = bestOf(matches)
  const words = Math.max(...readings.map((reading) => reading.length))
  const isInTexts = best <= inTexts(words)
  return best < POOR || (isInTexts && (words === 1 || matches.slots.length > DOUBTED_MAX))
}

/** So many records are an answer, however poorly they match. */
const DOUBTED_MAX = 50

/** The best score, wherever the words stand; `WORST` where there are none. */
export function bestOf({ scores }: Matches): number {
  let best = WORST
  for (let i = 0; i < scores.length; i++) best = Math.min(best, scores[i] ?? WORST)
  return inNameOf(best)
}

/** Those that are better than the bound. */
export const better = (matches: Matches, bound: number) =>
  only(matches, (_, score) => score < bound)

/** Those that are wanted. */
export function only(
  { slots, scores }: Matches,
  isWanted: (slot: number, score: number) => boolean,
): Matches {
  const isKept = Uint8Array.from(slots, (slot, i) => Number(isWanted(slot, scores[i] ?? WORST)))
  const kept = (_: number, i: number) => isKept[i] === 1
  return { slots: slots.filter(kept), scores: scores.filter(kept) }
}
