/** The journal of a test directory: the calls of the API that have ended, with what they were answered and charged. */
import { isUuid, uuidOf } from '../embed-testing.ts'
import type { FaultKind, FaultOptions } from './faults.ts'
import { checkNames, checkText } from './options.ts'

/** One call that has ended. */
export interface SeenCall {
  /** 1 for the first that came since the start or the last reset. */
  number: number
  /** When it came: ISO 8601, of the directory's clock. */
  at: string
  method: string
  /** With its query, as it was sent. */
  path: string
  /** Id of the account; null if the call had no key in force. */
  account: string | null
  idempotencyKey: string | null
  /** `X-Request-Id` of the answer. */
  requestId: string | null
  /** Status of the answer; null if the connection was reset. */
  status: number | null
  /** Credits that it took, whether its answer arrived or not. */
  charged: number
  /** Kind of the fault that hit it. */
  fault: FaultKind | null
  /** Body of the answer: JSON, or else text; null if it was empty or longer than 256 KiB. */
  body: unknown
}

/** A call in progress. */
export interface OpenCall extends Omit<SeenCall, 'requestId' | 'status' | 'body' | 'fault'> {
  /** Without its query. */
  readonly pathname: string
  /** Number of `clear` calls before it. */
  readonly round: number
  fault: Readonly<FaultOptions> | undefined
}

export interface CallFilter {
  /** Calls of this account alone: its id. */
  account?: string
  /** Calls of this path alone, without a query. */
  path?: string
}

const FILTERS = ['account', 'path'] as const satisfies readonly (keyof CallFilter)[]

/** The newest calls that are kept, and characters of their bodies. */
const MOST_CALLS = 1_000
const MOST_OF_ALL = 16 * 1024 * 1024
const MOST_OF_ONE = 256 * 1024

type Kept = Omit<SeenCall, 'body'> & { text: string | null; pathname: string }

/**
 * Keeps the newest calls. Their bodies may hold private channels: the records of a test directory are a test's own, and
 * nothing of it is written anywhere.
 */
export class Journal {
  #kept: Kept[] = []
  #characters = 0
  #lastNumber = 0
  #round = 0

  /** Begins a call. @param at the directory's time */
  open(request: Request, at: Date): OpenCall {
    const { pathname, search } = new URL(request.url)
    return {
      number: ++this.#lastNumber,
      at: at.toISOString(),
      method: request.method,
      path: pathname + search,
      pathname,
      account: null,
      idempotencyKey: request.headers.get('idempotency-key'),
      charged: 0,
      round: this.#round,
      fault: undefined,
    }
  }

  /** Ends a call. @param body what was answered, in UTF-8 */
  close(call: OpenCall, response: Response | null, body: Uint8Array | null) {
    const { fault, round, ...noted } = call
    if (round !== this.#round) return
    const text = body && body.length <= MOST_OF_ONE ? new TextDecoder().decode(body) : null
    this.#characters += text?.length ?? 0
    this.#kept.push({
      ...noted,
      fault: fault?.kind ?? null,
      requestId: response?.headers.get('x-request-id') ?? null,
      status: response?.status ?? null,
      text,
    })
    while (this.#kept.length > MOST_CALLS || this.#characters > MOST_OF_ALL) {
      this.#characters -= this.#kept.shift()?.text?.length ?? 0
    }
  }

  /** Calls that have ended, in the order in which they came. @throws TypeError naming a wrong filter. */
  list(filter: CallFilter = {}): SeenCall[] {
    checkNames('calls', filter, FILTERS)
    const { account, path } = filter
    if (account !== undefined) checkText('account', account, "an account's id", isUuid)
    if (path !== undefined) checkText('path', path, 'a path', (text) => text.startsWith('/'))
    return this.#kept
      .filter((call) => account === undefined || call.account === uuidOf(account))
      .filter((call) => path === undefined || call.pathname === path)
      .sort((one, other) => one.number - other.number)
      .map(({ text, pathname: _, ...call }) => ({ ...call, body: bodyOf(text) }))
  }

  /** Empties the journal. Calls in progress are not noted. */
  clear() {
    this.#round++
    this.#kept = []
    this.#characters = 0
    this.#lastNumber = 0
  }
}

function bodyOf(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
