/** Carriers of answers, which faults can break: a connection, or the kit's own `fetch`. */

export interface Carrier {
  /** Resets the connection instead of answering. @returns a response that is dropped @throws if there is no connection */
  reset(): Response
  /** Sends an answer. @param body null where it has none, as the answer to a HEAD */
  send(head: ResponseInit, body: Uint8Array<ArrayBuffer> | null): Response
  /** Sends the head of an answer and half of its body, then ends the connection. */
  cut(head: ResponseInit, body: Uint8Array<ArrayBuffer>): Response
}

/** Pieces of a slow body. */
const PIECES = 10

/** Calls without a socket: faults throw what a client's `fetch` would reject with. */
export const WITHOUT_SOCKET: Carrier = {
  reset() {
    throw connectionReset()
  },
  send: (head, body) => new Response(body, head),
  cut(head, body) {
    let isSent = false
    const halved = new ReadableStream({
      pull(controller) {
        if (isSent) return controller.error(connectionReset())
        isSent = true
        controller.enqueue(body.subarray(0, body.length >> 1))
      },
    })
    return new Response(halved, head)
  },
}

function connectionReset(): TypeError {
  const error = new TypeError('the connection was reset, as a fault of the test directory asks')
  return Object.assign(error, { code: 'ECONNRESET' })
}

/** An answer whose body arrives in pieces, the last after `ms`. @param wait may end early */
export function inPieces(
  head: ResponseInit,
  body: Uint8Array<ArrayBuffer>,
  ms: number,
  wait: (ms: number) => Promise<unknown>,
): Response {
  const length = Math.ceil(body.length / PIECES)
  let sent = 0
  const pieces = new ReadableStream({
    async pull(controller) {
      await wait((ms * length) / body.length)
      controller.enqueue(body.subarray(sent, sent + length))
      sent += length
      if (sent >= body.length) controller.close()
    },
  })
  return new Response(pieces, head)
}
