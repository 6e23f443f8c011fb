/**
 * Promises that must be rejected. Tests await them here and not with `expect(promise).rejects`: that runs
 * the event loop inside the call until the promise settles, so a promise that never settles keeps the
 * whole run from ending and no test's timeout applies.
 */
import { expect } from 'bun:test'

/** What the promise is rejected with. @throws where it is fulfilled. */
export function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => Promise.reject(new Error('expected a rejection, the promise was fulfilled')),
    (error: unknown) => error,
  )
}

/** Expects a rejection; `expected` is what `toThrow` takes: a part of the message, an error or its class. */
export async function expectRejection(
  promise: PromiseLike<unknown>,
  expected?: Parameters<ReturnType<typeof expect>['toThrow']>[0],
): Promise<void> {
  const error = await rejection(promise)
  const rethrow = () => {
    throw error
  }
  if (expected === undefined) expect(rethrow).toThrow()
  else expect(rethrow).toThrow(expected)
}
