/** Bodies that are sent as they are made. */
import { setImmediate } from 'node:timers/promises'

/**
 * The pieces as a body, each made when the one before has been taken.
 * @param left aborted once nobody reads on.
 */
export function bodyOf(
  pieces: AsyncIterable<string>,
  left?: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      // Making pieces is work: others get their turn between two of them.
      await setImmediate()
      const { value, done } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      left?.abort()
      await iterator.return?.()
    },
  }
  // Nothing is made, and nothing charged, before somebody reads.
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** A CSV to save under this name. */
export function csvFile(
  name: string,
  lines: AsyncIterable<string>,
  left?: AbortController,
): Response {
  return new Response(bodyOf(lines, left), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  })
}
