/** Deadlines of database work. */

/** A wait did not end by its deadline. */
export class DeadlinePassed extends Error {}

/** A moment by which several waits must end; one timer serves them all. Call `clear` once they have. */
export class Deadline {
  readonly #passed: Promise<never>
  readonly #timer: ReturnType<typeof setTimeout>

  constructor(limitMs: number) {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#passed = promise
    this.#passed.catch(() => {})
    this.#timer = setTimeout(
      () => reject(new DeadlinePassed(`no answer in ${limitMs} ms`)),
      limitMs,
    )
  }

  /** Resolves as the work does. @throws DeadlinePassed, or what the work throws. */
  race<T>(work: Promise<T>): Promise<T> {
    // A Drizzle query runs again for each `then`; awaited once here, it runs once.
    const once = (async () => await work)()
    // Work that loses the race may still fail later: that failure is handled here.
    once.catch(() => {})
    return Promise.race([once, this.#passed])
  }

  clear() {
    clearTimeout(this.#timer)
  }
}
