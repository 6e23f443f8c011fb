/** One order of a collection, kept ready: slots, first to last. */

export type Slots = Uint32Array

/**
 * The order with some slots taken out and others put in, as a new array: whoever reads the old one
 * meanwhile reads it whole. Costs one pass, however many change.
 *
 * @param isGone per slot, 1 for what leaves. A slot that changed its place both leaves and is added.
 * @param added what to put in, in order already.
 * @param compare how two slots compare, as the records are now; never 0 for two different ones.
 */
export function merged(
  order: Slots,
  isGone: Uint8Array,
  added: readonly number[],
  compare: (a: number, b: number) => number,
): Slots {
  const kept = without(order, isGone, added.length)
  // From the back, so that what is kept moves up in the array that it is in.
  let end = kept.length - added.length
  let to = kept.length
  for (let i = added.length - 1; i >= 0; i--) {
    const slot = added[i] ?? 0
    const start = firstAfter(kept, slot, end, compare)
    to -= end - start
    kept.copyWithin(to, start, end)
    kept[--to] = slot
    end = start
  }
  return kept
}

// Plain loops below: `filter` takes ten times as long, and these run over whole orders.

/** Without what is gone, and with room for more at the end. */
function without(order: Slots, isGone: Uint8Array, room: number): Slots {
  const kept = new Uint32Array(order.length + room)
  let length = 0
  for (let i = 0; i < order.length; i++) {
    const slot = order[i] ?? 0
    kept[length] = slot
    if (isGone[slot] !== 1) length++
  }
  return kept.length === length + room ? kept : kept.slice(0, length + room)
}

/**
 * The order's slots that are wanted and in an accepted cell, in a copy of their own.
 * @param wanted per slot, 1 where it is; null: all are.
 * @param accepts per cell, 1 where it does; null: all do.
 * @param cellOf per slot its cell.
 */
export function selected(
  order: Slots,
  wanted: Uint8Array | null,
  accepts: Uint8Array | null,
  cellOf: Uint32Array,
): Slots {
  const kept = new Uint32Array(order.length)
  let length = 0
  for (let i = 0; i < order.length; i++) {
    const slot = order[i] ?? 0
    if (wanted && wanted[slot] !== 1) continue
    if (accepts && accepts[cellOf[slot] ?? 0] !== 1) continue
    kept[length++] = slot
  }
  return kept.slice(0, length)
}

/** Of the first `end` slots the place of the first that comes after `slot`. */
function firstAfter(
  order: Slots,
  slot: number,
  end: number,
  compare: (a: number, b: number) => number,
): number {
  let low = 0
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(order[middle] ?? 0, slot) < 0) low = middle + 1
    else high = middle
  }
  return low
}
