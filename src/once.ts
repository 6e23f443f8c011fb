/**
 * Makes a function that starts its work at the first call and returns the same result to every later one. A failure goes to
 * the waiting calls and isn't kept: the next call tries again.
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
