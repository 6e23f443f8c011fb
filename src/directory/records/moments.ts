/** The moments of a directory: what is read while the object is the same is of one moment. */

const DAY_MS = 86_400_000

/** Days in UTC since the epoch. */
const today = () => Math.floor(Date.now() / DAY_MS)

export class Moments {
  #now = {}
  #day = today()

  /**
   * Identity of the present state: a new object after each change and on each day (UTC), because active investors change with
   * the days.
   */
  get now(): object {
    if (this.#day !== today()) this.change()
    return this.#now
  }

  change(): void {
    this.#now = {}
    this.#day = today()
  }
}
