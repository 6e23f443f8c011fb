/** One request with its time limit. */
import type { FetchInit, Settings } from './options.ts'

export interface Received {
  status: number
  header(name: string): string | null
  text: string
}

/** The answer was lost or incomplete: the service may have charged the call. */
export class Lost extends Error {
  readonly code: 'no_answer' | 'timed_out'

  constructor(code: Lost['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Sends a request. @throws Lost; or the signal's reason if the caller aborted */
export async function attempt(
  { fetch, timeoutMs }: Pick<Settings, 'fetch' | 'timeoutMs'>,
  url: string,
  init: Omit<FetchInit, 'signal'>,
  signal: AbortSignal,
): Promise<Received> {
  const ending = new AbortController()
  const { promise: ended, reject } = withReject()
  const end = (reason: unknown) => {
    ending.abort(reason)
    reject(reason)
  }
  const timer = setTimeout(() => {
    end(new Lost('timed_out', `No whole answer came within ${timeoutMs} ms.`))
  }, timeoutMs)
  const giveUp = () => end(signal.reason)
  signal.addEventListener('abort', giveUp)
  try {
    signal.throwIfAborted()
    // Raced, because a fetch of the caller's own may not heed the signal.
    return await Promise.race([receive(fetch(url, { ...init, signal: ending.signal })), ended])
  } catch (error) {
    if (error instanceof Lost || signal.aborted) throw error
    throw new Lost('no_answer', 'The connection failed before a whole answer came.', error)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

async function receive(sent: ReturnType<Settings['fetch']>): Promise<Received> {
  const response = await sent
  const text = await response.text()
  return { status: response.status, header: (name) => response.headers.get(name), text }
}

/** A promise that may be rejected; Node 20 has no `Promise.withResolvers`. */
function withReject() {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  return { promise, reject }
}
