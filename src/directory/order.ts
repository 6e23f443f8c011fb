/** One order of a collection, kept ready: slots, first to last. */

export type Slots = Uint32Array

/**
 * The order with some slots taken out and others put in, as a new array: whoever reads the old one
 * meanwhile reads it whole. Costs one pass, however many change.
 *
 * @param gone what leaves. A slot that changed its place both leaves and is added.
 * @param added what to put in, in order already.
 * @param compare how two slots compare, as the records are now; never 0 for two different ones.
 */
export function merged(
  order: Slots,
  gone: ReadonlySet<number>,
  added: readonly number[],
  compare: (a: number, b: number) => number,
): Slots {
  const kept = gone.size === 0 ? order : order.filter((slot) => !gone.has(slot))
  const result = new Uint32Array(kept.length + added.length)
  let from = 0
  let to = 0
  for (const slot of added) {
    const end = firstAfter(kept, slot, from, compare)
    result.set(kept.subarray(from, end), to)
    to += end - from
    result[to++] = slot
    from = end
  }
  result.set(kept.subarray(from), to)
  return result
}

function firstAfter(
  order: Slots,
  slot: number,
  low: number,
  compare: (a: number, b: number) => number,
): number {
  let high = order.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(order[middle] ?? 0, slot) < 0) low = middle + 1
    else high = middle
  }
  return low
}
