/** Runs asynchronous work one piece at a time, in the order in which it was given. */
export function createMutex() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Runs the work after all work that was given before has ended. @returns its result */
    runExclusive<T>(work: () => Promise<T>): Promise<T> {
      const current = last.then(work)
      // A failure is for the caller: the next piece of work runs all the same.
      last = current.catch(() => {})
      return current
    },
  }
}
