/**
 * Makes a function that starts its work when it is first called and hands the same result to every later call. A failure isn't
 * kept: those who wait for it get it, and the next call tries again.
 */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    if (result) return result
    const attempt = work()
    result = attempt
    attempt.catch(() => {
      result = undefined
    })
    return attempt
  }
}
