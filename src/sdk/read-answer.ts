/** Reads an answer of the API: a body, or a refusal that tells whether a retry can help. */
import type { Received } from './attempt.ts'
import type { ChainkinErrorCode, ErrorDetails } from './errors.ts'
import type { Rate } from './limiter.ts'

/** A 200 in the contract's form. */
export interface Body {
  meta: { creditsCharged: number; creditsBalance: number; creditsRequired?: number; sample?: true }
  notice?: string
  sample?: true
}

export interface Answered {
  body: Body
  isSample: boolean
  isReplayed: boolean
}

export interface Refusal {
  code: ChainkinErrorCode
  message: string
  status: number | null
  /** Charge of this attempt alone. */
  charged: 0 | null
  /** `rate`: when the account's window has ended; `fault`: the service or the way to it failed, and may do better. */
  repeat: 'never' | 'rate' | 'fault'
  details: Partial<ErrorDetails>
  cause?: unknown
}

/** Codes of a window that ends; with `too_many_rejected_keys` it is the key that is wrong. */
const RATE_CODES: readonly string[] = ['rate_limited', 'reveal_cap_exceeded']
const FAULTS: readonly number[] = [500, 502, 503, 504]
/** Codes that speak of the client's address and not of its account. */
const OF_ADDRESS: readonly string[] = [
  'unauthorized',
  'address_not_allowed',
  'too_many_rejected_keys',
]
/** Fields of an error that are passed on, with their types. */
const FIELDS = {
  retryAfter: 'number',
  parameter: 'string',
  creditsRequired: 'number',
  creditsBalance: 'number',
  renewsAt: 'string',
  docs: 'string',
} as const

type Fields = Readonly<Record<string, unknown>>

export function readAnswer(received: Received): Answered | Refusal {
  const body = parse(received)
  if (received.status === 200 && isBody(body)) {
    const { sample, meta } = body
    const isSample = received.header('service-sample') !== null || !!sample || !!meta.sample
    return { body, isSample, isReplayed: received.header('idempotent-replayed') === 'true' }
  }
  const error = isFields(body) ? body.error : undefined
  if (received.status !== 200 && isFields(error) && typeof error.code === 'string') {
    return refusalOf(received, error.code as ChainkinErrorCode, error)
  }
  return unexpected(received, error)
}

/** The account's rate window; null if the headers are missing or count an address. */
export function rateOf(received: Received, answer: Answered | Refusal): Rate | null {
  if ('code' in answer && OF_ADDRESS.includes(answer.code)) return null
  const [limit, remaining, resets] = ['Limit', 'Remaining', 'Reset'].map((name) => {
    const text = received.header(`X-RateLimit-${name}`)
    return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined
  })
  if (limit === undefined || remaining === undefined || resets === undefined) return null
  return { limit, remaining, resetsAt: new Date(resets * 1_000) }
}

function parse({ text }: Received): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isBody(body: unknown): body is Body {
  if (!isFields(body) || !isFields(body.meta)) return false
  const { creditsCharged, creditsBalance } = body.meta
  return Number.isSafeInteger(creditsBalance) && isCount(creditsCharged)
}

/** A negative charge would give credits back to the client's budget. */
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

/** The API's own error. @param error its fields */
export function refusalOf(received: Received, code: ChainkinErrorCode, error: Fields): Refusal {
  const { status } = received
  const details: Record<string, unknown> = { ...retryAfterOf(received) }
  for (const [name, type] of Object.entries(FIELDS)) {
    const value = error[name]
    const isAmount = typeof value !== 'number' || (value >= 0 && value < Number.POSITIVE_INFINITY)
    if (typeof value === type && isAmount) details[name] = value
  }
  if (typeof error.allowed === 'string' || Array.isArray(error.allowed)) {
    details.allowed = error.allowed
  }
  const repeat = RATE_CODES.includes(code) ? 'rate' : FAULTS.includes(status) ? 'fault' : 'never'
  // Anything but an explicit 0 counts as unknown.
  const charged = error.charged === 0 ? 0 : null
  const message = typeof error.message === 'string' ? error.message : code
  return { code, message, status, charged, repeat, details }
}

/** Answer of a proxy or of the application, or one that was cut off. */
export function unexpected(received: Received, error: unknown): Refusal {
  const { status, text } = received
  if (isRedirect(status)) return redirected(received)
  const isJson = /json/i.test(received.header('content-type') ?? '')
  const isCut = status === 200 && isJson && parse(received) === undefined
  const said = typeof error === 'string' ? `: ${error}` : ''
  const message = isCut
    ? `The answer broke off after ${text.length} characters.`
    : `The answer, with status ${status}, is none of the API's${said}. Does the url lead to the API, and not to its application?`
  return {
    code: isCut ? 'no_answer' : 'unexpected_answer',
    message,
    status,
    charged: null,
    repeat: isCut || status === 429 || FAULTS.includes(status) ? 'fault' : 'never',
    details: retryAfterOf(received),
  }
}

/** Browsers don't say more of a redirect than that it is none of 200 to 599. */
const isRedirect = (status: number) => status === 0 || (status >= 300 && status < 400)

/** Not followed: `http` instead of `https` in the address is the likely cause. */
function redirected(received: Received): Refusal {
  const { status } = received
  const to = received.header('location')?.slice(0, 200)
  const message = `The answer is a redirect${to ? ` to ${to}` : ''}, which is not followed: the key would go there. Give the address that the API has itself, with https, as url.`
  const details = retryAfterOf(received)
  return { code: 'unexpected_answer', message, status, charged: null, repeat: 'never', details }
}

/** Seconds, or a date, as proxies send it: its seconds from now on. */
function retryAfterOf(received: Received): { retryAfter?: number } {
  const text = received.header('retry-after') ?? ''
  if (/^\d{1,9}$/.test(text)) return { retryAfter: Number(text) }
  const seconds = /^[A-Z][a-z]{2}, /.test(text) ? (Date.parse(text) - Date.now()) / 1_000 : NaN
  return Number.isNaN(seconds) ? {} : { retryAfter: Math.max(0, Math.ceil(seconds)) }
}
