/** The records that a query or one of its readings matches, with how well each does. */
import { withPlace } from '../../../index-build/growing.ts'
import { inNameOf, WORST } from './score.ts'

/** Matching records, in no order: slots, and at the same position the score of each. */
export interface Matches {
  slots: Uint32Array
  scores: Uint16Array
}

export const noMatches = (): Matches => matchesFrom([])

/** Matches one by one; a slot that stands there twice has the better score. */
export function matchesFrom(found: readonly (readonly [slot: number, score: number])[]): Matches {
  const best = new Map<number, number>()
  for (const [slot, score] of found) best.set(slot, Math.min(best.get(slot) ?? WORST, score))
  return { slots: Uint32Array.from(best.keys()), scores: Uint16Array.from(best.values()) }
}

let zeros = new Uint32Array(0)

/** A number for each slot, all of them zero; who changes them has them so again before anybody else asks. */
export function zerosFor(slotCount: number): Uint32Array {
  zeros = withPlace(zeros, slotCount)
  return zeros
}

/** The records that any of the lists holds, each with its best score. */
export function union(lists: readonly Matches[]): Matches {
  const [most = noMatches(), ...others] = lists.toSorted((a, b) => b.slots.length - a.slots.length)
  const added = new Map<number, number>()
  for (const { slots, scores } of others) {
    for (const [i, slot] of slots.entries()) {
      added.set(slot, Math.min(added.get(slot) ?? WORST, scores[i] ?? WORST))
    }
  }
  if (added.size === 0) return most
  // Loops: to spread a common word's matches took longer than to find them.
  let length = most.slots.length
  const slots = new Uint32Array(length + added.size)
  const scores = new Uint16Array(length + added.size)
  slots.set(most.slots)
  scores.set(most.scores)
  for (let i = 0; i < length; i++) {
    const slot = slots[i] ?? 0
    const score = added.get(slot)
    if (score === undefined) continue
    scores[i] = Math.min(scores[i] ?? WORST, score)
    added.delete(slot)
  }
  for (const [slot, score] of added) {
    slots[length] = slot
    scores[length++] = score
  }
  return { slots: slots.slice(0, length), scores: scores.slice(0, length) }
}

/** The best score, wherever the words stand; `WORST` where there are none. */
export function bestOf({ scores }: Matches): number {
  let best = WORST
  for (let i = 0; i < scores.length; i++) best = Math.min(best, scores[i] ?? WORST)
  return inNameOf(best)
}

/** Keeps the wanted matches. */
export function only(
  { slots, scores }: Matches,
  isWanted: (slot: number, score: number) => boolean,
): Matches {
  const isKept = new Uint8Array(slots.length)
  // A loop: `from` takes twice as long, and a filter looks at all matches of a common word.
  for (let i = 0; i < slots.length; i++) {
    isKept[i] = Number(isWanted(slots[i] ?? 0, scores[i] ?? WORST))
  }
  const kept = (_: number, i: number) => isKept[i] === 1
  return { slots: slots.filter(kept), scores: scores.filter(kept) }
}
