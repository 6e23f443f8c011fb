/** Runs pieces of work one after the other, in the order in which they were asked for. */
export function takeTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    // The next in turn doesn't care how this one ended; its caller does.
    last = turn.catch(() => {})
    return turn
  }
}
