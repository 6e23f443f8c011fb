/** Options of a client, and their checks. */

/** Treatment of samples: an error, or an answer with `sample: true`. */
export type Samples = 'refuse' | 'allow'

/** The part of the platform's `Response` that the client uses. */
export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

export interface FetchInit {
  method: 'GET' | 'HEAD'
  headers: Record<string, string>
  /** The API redirects nowhere, and the key is not to be sent elsewhere. */
  redirect: 'manual'
  signal: AbortSignal
}

/** Sends a request: the platform's `fetch` is one. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

export interface ChainkinOptions<S extends Samples = 'refuse'> {
  /** The API's address without `/v1`, as `baseUrl` on `/v1/me` names it. */
  url: string | URL
  /** An API key, `ck_live_…`. It is sent in the header alone and named in no error. */
  key: string
  /** Defaults to the platform's. */
  fetch?: Fetch
  /**
   * How often a call is repeated after a lost answer, a 500, 502, 503 or 504: from 0 to 5; 3 unless given. The API answers
   * five repeats of a charged call. Waiting for the rate's next window is no repeat.
   */
  retries?: number
  /** The longest that one attempt may take, in milliseconds: 30,000 unless given. */
  timeoutMs?: number
  /**
   * The longest that a call waits in all, in milliseconds: for its turn under the account's rate, and before repeats.
   * 300,000 unless given; what would take longer ends at once, with the error's `retryAfter`.
   */
  maxWaitMs?: number
  /** Credits that this client may spend in its life. A call that could cost more than is left of them is not sent. */
  maxCredits?: number
  /** `refuse` unless given: a sample is an error, so that invented records never pass for real ones. */
  samples?: S
  /** Waits, and ends early when the signal is aborted. For tests whose clock is not the real one. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Checked options with defaults. */
export interface Settings {
  /** Without a slash at its end. */
  url: string
  key: string
  fetch: Fetch
  retries: number
  timeoutMs: number
  maxWaitMs: number
  maxCredits: number
  samples: Samples
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Repeats of a charged call that the API answers. */
const MOST_RETRIES = 5
/** Timers of more than 2^31 ms end at once. */
const LONGEST_MS = 2 ** 31 - 1

const NAMES = [
  ...['url', 'key', 'fetch', 'retries', 'timeoutMs', 'maxWaitMs', 'maxCredits'],
  ...['samples', 'sleep'],
]

/** @throws TypeError naming the option and what is allowed; never with the key in it */
export function checkOptions(options: ChainkinOptions<Samples>): Settings {
  if (typeof options !== 'object' || options === null) throw wrong('options', 'an object')
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name)) throw wrong(name, `no option of this name, but ${NAMES.join(', ')}`)
  }
  const { samples = 'refuse', fetch = platformFetch, sleep = timerSleep } = options
  if (samples !== 'refuse' && samples !== 'allow') throw wrong('samples', 'refuse or allow')
  if (typeof fetch !== 'function') throw wrong('fetch', 'a function')
  if (typeof sleep !== 'function') throw wrong('sleep', 'a function')
  return {
    url: checkUrl(options.url),
    key: checkKey(options.key),
    fetch,
    retries: checkCount('retries', options.retries ?? 3, 0, MOST_RETRIES),
    timeoutMs: checkCount('timeoutMs', options.timeoutMs ?? 30_000, 1, LONGEST_MS),
    maxWaitMs: checkCount('maxWaitMs', options.maxWaitMs ?? 300_000, 0, LONGEST_MS),
    maxCredits:
      options.maxCredits === undefined
        ? Number.POSITIVE_INFINITY
        : checkCount('maxCredits', options.maxCredits, 0, Number.MAX_SAFE_INTEGER),
    samples,
    sleep,
  }
}

function checkUrl(given: string | URL): string {
  const expected = 'the http or https address of the API without /v1, query and credentials'
  let url: URL
  try {
    url = new URL(given)
  } catch {
    throw wrong('url', expected)
  }
  const isPlain = /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  const path = url.pathname.replace(/\/+$/, '')
  if (!isPlain || url.search !== '' || url.hash !== '' || path.endsWith('/v1')) {
    throw wrong('url', expected)
  }
  return url.origin + path
}

function checkKey(given: string): string {
  if (typeof given === 'string' && /^[\x21-\x2b\x2d-\x7e]+$/.test(given)) return given
  throw wrong('key', 'an API key, without spaces')
}

function checkCount(option: string, given: number, least: number, most: number): number {
  if (Number.isSafeInteger(given) && given >= least && given <= most) return given
  throw wrong(option, `a whole number from ${least} to ${most}`)
}

/** The value isn't quoted, because it may be a key in the wrong place. */
function wrong(option: string, expected: string): TypeError {
  return new TypeError(`${option}: expected ${expected}`)
}

/** Looked up at each call: a test may have replaced it. */
const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init)

function timerSleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
