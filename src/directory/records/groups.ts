/**
 * Lists of records by the id of the record that they belong to, each kept in one order. A change
 * replaces a list whole, so a reader keeps the list that it was given.
 */
export class SortedGroups<T> {
  readonly #groups = new Map<string, readonly T[]>()
  /** Records that came since their group was last asked for: a load adds thousands before anyone asks. */
  readonly #added = new Map<string, T[]>()
  readonly #compare: (a: T, b: T) => number

  /** @param compare never 0 for two different records. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  of(owner: string): readonly T[] {
    const group = this.#groups.get(owner) ?? []
    const added = this.#added.get(owner)
    if (!added) return group
    const all = this.#merged(group, added.sort(this.#compare))
    this.replace(owner, all)
    return all
  }

  add(owner: string, record: T) {
    const added = this.#added.get(owner)
    if (added) added.push(record)
    else this.#added.set(owner, [record])
  }

  /** Both lists, each in order, in one. */
  #merged(left: readonly T[], right: readonly T[]): T[] {
    const all: T[] = []
    let next = 0
    for (const record of right) {
      for (let other = left[next]; other && this.#compare(other, record) < 0; other = left[next]) {
        all.push(other)
        next++
      }
      all.push(record)
    }
    return all.concat(left.slice(next))
  }

  /** @param records in the order of the group, at least one. */
  replace(owner: string, records: readonly T[]) {
    this.#added.delete(owner)
    this.#groups.set(owner, records)
  }

  remove(owner: string, isGone: (record: T) => boolean) {
    const left = this.of(owner).filter((record) => !isGone(record))
    if (left.length > 0) this.#groups.set(owner, left)
    else this.delete(owner)
  }

  delete(owner: string) {
    this.#added.delete(owner)
    this.#groups.delete(owner)
  }
}
