/** Lists that were asked for, kept for their next page and the next caller until their collection changes. */
import { LRUCache } from 'lru-cache'
import type { Ranking } from '../search/rank.ts'
import type { Slots } from './facet-cells.ts'

/** Values by facet. */
export type Counted = Readonly<Record<string, readonly unknown[]>>

/**
 * Limit of kept slots, in numbers of 4 bytes: this many, and this many per record, because a list that isn't kept is made anew
 * for each of its pages. A match has a score, which counts as half of one, as does a key's character; an entry counts as 50.
 */
const SLOTS_KEPT = 2_000_000
const SLOTS_PER_RECORD = 2
/** Limit of kept facets, in values; 30 characters of a key count as one, and an entry as 10. */
const VALUES_MAX = 50_000

export class KeptLists {
  #room = SLOTS_KEPT
  #slots = listsIn(SLOTS_KEPT)
  #rankings = rankingsIn(SLOTS_KEPT)
  /** The facets of a list, which all its pages share. */
  readonly #facets = new LRUCache<string, Counted, () => Counted>({
    maxSize: VALUES_MAX,
    sizeCalculation: (facets, key) =>
      Object.values(facets).flat().length + Math.ceil(key.length / 30) + 10,
    memoMethod: (_key, _stale, { context: count }) => count(),
  })

  /** @param records how many there are now. */
  clear(records: number) {
    const room = Math.max(SLOTS_KEPT, SLOTS_PER_RECORD * records)
    if (room > this.#room) {
      this.#room = room
      this.#slots = listsIn(room)
      this.#rankings = rankingsIn(room)
    }
    this.#slots.clear()
    this.#rankings.clear()
    this.#facets.clear()
  }

  hasSlots(key: string): boolean {
    return this.#slots.has(key)
  }

  /** @param list makes the list of this key where it is not kept. */
  slots(key: string, list: () => Slots): Slots {
    return this.#slots.memo(key, { context: list })
  }

  /** @param rank makes the ranking of this key where it is not kept. */
  ranking(key: string, rank: () => Ranking): Ranking {
    return this.#rankings.memo(key, { context: rank })
  }

  /** @param count makes the facets of this key where they are not kept. */
  facets(key: string, count: () => Counted): Counted {
    return this.#facets.memo(key, { context: count })
  }
}

const listsIn = (maxSize: number) =>
  new LRUCache<string, Slots, () => Slots>({
    maxSize,
    sizeCalculation: (slots, key) => slots.length + Math.ceil(key.length / 2) + 50,
    memoMethod: (_key, _stale, { context: list }) => list(),
  })

const rankingsIn = (maxSize: number) =>
  new LRUCache<string, Ranking, () => Ranking>({
    maxSize,
    sizeCalculation: ({ length }, key) => Math.ceil((3 * length + key.length) / 2) + 50,
    memoMethod: (_key, _stale, { context: rank }) => rank(),
  })
