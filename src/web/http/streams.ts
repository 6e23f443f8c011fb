/** Response bodies that are sent while they are made. */
import { setImmediate } from 'node:timers/promises'

/**
 * A body of pieces, each made when the one before has been read.
 * @param left aborted when the client stops reading.
 */
export function streamBody(
  pieces: AsyncIterable<string>,
  left?: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      // Lets other requests be answered between two pieces.
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
  // Nothing is made, and nothing charged, before the client reads.
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** A CSV file that the browser saves under this name. */
export function csvFile(
  name: string,
  lines: AsyncIterable<string>,
  left?: AbortController,
): Response {
  return new Response(streamBody(lines, left), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  })
}
