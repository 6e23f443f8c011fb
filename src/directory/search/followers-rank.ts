/** The order that settles ties of relevance: more followers first, then by id. */
import { withPlace } from '../../../index-build/growing.ts'
import { NEARNESS } from './score.ts'

/** All slots, the most followed first. */
interface FollowersOrder {
  /** A view: valid until the order changes. */
  slots(): Uint32Array
  /** Negative where the first slot comes before the second. */
  compare(a: number, b: number): number
}

/** Levels of followers told apart in a key. Those with fewer share the last; there the place alone decides. */
const LEVELS_MAX = 2 ** 17

/** One number for all that a match is sorted by, where many are sorted. */
interface Keys {
  /**
   * Per slot, what its followers and its place in the order add to the key of a match. It fits into the 53 bits of a float: 7 of
   * rank, 17 of level, 4 of nearness and 25 of place (`SLOTS_MAX`).
   */
  bySlot: Float64Array
  /** Range of the score that a rank adds. */
  rankSpan: number
}

/** The followers of all records by slot, and the order that they make. */
export class FollowersRank {
  readonly order: FollowersOrder
  #followers: Float64Array<ArrayBuffer>
  #keys: Keys = { bySlot: new Float64Array(0), rankSpan: 0 }
  #areKeysOld = true

  constructor(order: FollowersOrder, followers = new Float64Array(1024)) {
    this.order = order
    this.#followers = followers
  }

  /** How many records there are. */
  get length(): number {
    return this.order.slots().length
  }

  set(slot: number, followers: number) {
    this.#followers = withPlace(this.#followers, slot)
    this.#followers[slot] = followers
  }

  /** Has keys made anew when they are next asked for. */
  orderChanged() {
    this.#areKeysOld = true
  }

  /** True if two slots have as many followers. */
  isEqual(a: number, b: number): boolean {
    return this.#followers[a] === this.#followers[b]
  }

  /** Made for all records at the first call after a change of the order: 1 to 3 ms for a hundred thousand. */
  get keys(): Keys {
    if (this.#areKeysOld) this.#keys = this.#makeKeys()
    this.#areKeysOld = false
    return this.#keys
  }

  #makeKeys(): Keys {
    const slots = this.order.slots()
    const followers = this.#followers
    // Old ones are written over: megabytes for each change are much garbage.
    const old = this.#keys.bySlot
    const bySlot = old.length === followers.length ? old : new Float64Array(followers.length)
    const levelSpan = NEARNESS * slots.length
    let level = 0
    let before = followers[slots[0] ?? 0] ?? 0
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place] ?? 0
      const count = followers[slot] ?? 0
      if (count !== before && level < LEVELS_MAX - 1) level++
      before = count
      bySlot[slot] = level * levelSpan + place
    }
    return { bySlot, rankSpan: (level + 1) * levelSpan }
  }
}
