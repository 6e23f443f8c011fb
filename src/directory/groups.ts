/**
 * Lists of records by the id of the record that they belong to, each kept in one order. A change
 * replaces a list whole, so a reader keeps the list that it was given (D41).
 */
export class SortedGroups<T> {
  readonly #groups = new Map<string, readonly T[]>()
  readonly #compare: (a: T, b: T) => number

  /** @param compare never 0 for two different records. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  of(owner: string): readonly T[] {
    return this.#groups.get(owner) ?? []
  }

  add(owner: string, record: T) {
    const group = this.of(owner)
    let low = 0
    let high = group.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = group[middle]
      if (other && this.#compare(other, record) < 0) low = middle + 1
      else high = middle
    }
    this.#groups.set(owner, group.toSpliced(low, 0, record))
  }

  /** @param records in the order of the group, at least one. */
  replace(owner: string, records: readonly T[]) {
    this.#groups.set(owner, records)
  }

  remove(owner: string, isGone: (record: T) => boolean) {
    const left = this.of(owner).filter((record) => !isGone(record))
    if (left.length > 0) this.#groups.set(owner, left)
    else this.#groups.delete(owner)
  }

  delete(owner: string) {
    this.#groups.delete(owner)
  }
}
