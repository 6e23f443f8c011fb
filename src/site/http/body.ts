/**
 * Reads bodies of requests. Until somebody is known, a body has a deadline, and all such bodies share one total, because each
 * open connection could hold as many bytes as a form may have.
 */
import { ClientLeft, PageError } from './page-error.ts'

/** Bodies of strangers have kilobytes: a slow line needs seconds. */
const MAX_MS = 20_000
/** Bytes that unfinished bodies of strangers hold together. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024

/** On refusals that leave the rest of a body unread: the runtime would go on taking it in. */
const CLOSING = { connection: 'close' }

export function tooLarge(allowed: string): PageError {
  return new PageError(413, 'The form is too large', allowed, CLOSING)
}

function tooSlow(): PageError {
  const again = 'Nothing was changed. Send it again from its page.'
  return new PageError(408, 'The form arrived too slowly', again, CLOSING)
}

/** An unfinished body of a stranger. */
interface Arrival {
  bytes: number
  /** The sum over its bytes of the time at which each came. */
  cameMs: number
  /** Ends the reading with an error. */
  giveWay(error: PageError): void
}

/** Limits of bodies that strangers send. Tests make their own. */
export function createBodyLimits({ maxMs = MAX_MS, maxTotalBytes = MAX_TOTAL_BYTES } = {}) {
  const arrivals = new Set<Arrival>()
  let total = 0

  function hold(arrival: Arrival, bytes: number) {
    arrival.bytes += bytes
    arrival.cameMs += bytes * performance.now()
    total += bytes
    while (total > maxTotalBytes) {
      const costliest = costliestOf(arrivals)
      if (!costliest) return
      release(costliest)
      costliest.giveWay(tooSlow())
    }
  }

  function release(arrival: Arrival) {
    if (arrivals.delete(arrival)) total -= arrival.bytes
  }

  /** The parts of a stranger's body. @throws ClientLeft, PageError 408 past the deadline or the total */
  async function* arriving({ body }: Request): AsyncGenerator<Uint8Array, void> {
    if (!body) return
    const reader = body.getReader()
    let refusal: PageError | undefined
    const arrival: Arrival = {
      bytes: 0,
      cameMs: 0,
      giveWay(error) {
        refusal ??= error
        // A read that waits ends by this. To race it with a promise would keep a reaction of each part until the end.
        reader.cancel().catch(() => {})
      },
    }
    arrivals.add(arrival)
    const deadline = setTimeout(() => arrival.giveWay(tooSlow()), maxMs)
    try {
      for (;;) {
        const part = await reader.read().catch(() => {
          throw refusal ?? new ClientLeft()
        })
        if (!part.done && !refusal) hold(arrival, part.value.byteLength)
        if (refusal) throw refusal
        if (part.done) return
        yield part.value
      }
    } finally {
      clearTimeout(deadline)
      release(arrival)
      reader.cancel().catch(() => {})
    }
  }

  return { arriving }
}

/**
 * The arrival that has held the most bytes for the longest: an honest body has few, or comes at once, so one that strangers hold
 * back on purpose is found before it.
 */
function costliestOf(arrivals: ReadonlySet<Arrival>): Arrival | undefined {
  const nowMs = performance.now()
  let costliest: Arrival | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const arrival of arrivals) {
    const cost = arrival.bytes * nowMs - arrival.cameMs
    if (cost <= most) continue
    costliest = arrival
    most = cost
  }
  return costliest
}

/** Limits of this process, which all of its hosts share. */
const strangers = createBodyLimits()

/** The parts of a body. @throws ClientLeft, and for a stranger PageError 408 */
export function arriving(request: Request, isStranger: boolean): AsyncGenerator<Uint8Array, void> {
  return isStranger ? strangers.arriving(request) : unlimited(request)
}

async function* unlimited({ body }: Request): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body ?? []
  } catch {
    throw new ClientLeft()
  }
}

/** Reads a body up to the limit, which the stated length already may exceed. @throws PageError 408, 413; ClientLeft */
export async function bytesOf(
  request: Request,
  maxBytes: number,
  isStranger: boolean,
): Promise<Buffer<ArrayBuffer>> {
  const refused = () => tooLarge(`It may have ${maxBytes} bytes.`)
  if (Number(request.headers.get('content-length')) > maxBytes) throw refused()
  // Copied at once: a body may come in parts of one byte, and each part kept would hold a hundred times that.
  let bytes = Buffer.alloc(0)
  let length = 0
  for await (const part of arriving(request, isStranger)) {
    const start = length
    length += part.byteLength
    if (length > maxBytes) throw refused()
    if (length > bytes.byteLength) {
      const larger = Buffer.alloc(Math.min(maxBytes, 2 * length))
      larger.set(bytes)
      bytes = larger
    }
    bytes.set(part, start)
  }
  return bytes.subarray(0, length)
}
