/** Runs asynchronous work one piece at a time, in order. */
export function createMutex() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Runs the work after all earlier work has ended. @returns its result */
    runExclusive<T>(work: () => Promise<T>): Promise<T> {
      const current = last.then(work)
      // A failure goes to the caller; the next work runs all the same.
      last = current.catch(() => {})
      return current
    },
  }
}
