/** CSV files that are made while they are sent. */
import { setImmediate } from 'node:timers/promises'
import { BYTE_ORDER_MARK } from '../../csv.ts'
import { DatabaseUnavailable, describeError } from '../../database/client.ts'
import type { Log } from '../../log.ts'

/**
 * A body of pieces, each made when the one before has been read. Where one can't be made the body breaks off, and the log says why:
 * the head is sent, so nothing else can.
 * @param left aborted when the client stops reading
 */
function streamBody(
  pieces: AsyncIterable<string>,
  log: Log,
  left?: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  const brokenOff = (error: unknown) => {
    if (error instanceof DatabaseUnavailable) log.repeated('an answer broke off', error.message)
    else log.error('an answer broke off', { error: describeError(error) })
    throw error
  }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      // Lets other requests be answered between two pieces.
      await setImmediate()
      const { value, done } = await iterator.next().catch(brokenOff)
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
  log: Log,
  name: string,
  lines: AsyncIterable<string>,
  left?: AbortController,
): Response {
  return new Response(streamBody(marked(lines), log, left), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  })
}

/** The file for spreadsheets. The mark goes out with the first line: a piece of its own would be read before anything is paid. */
async function* marked(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let mark = BYTE_ORDER_MARK
  for await (const line of lines) {
    yield mark + line
    mark = ''
  }
}
