/** Selection of the calls that a test's faults hit. `fault-injection.ts` has their effects. */
import { documentedPath, ENDPOINTS } from '../contract/endpoints.ts'
import { isUuid, uuidOf } from '../embed-testing.ts'
import {
  checkChoice,
  checkCount,
  checkFlag,
  checkNames,
  checkShare,
  checkText,
  WrongOption,
} from './options.ts'

/**
 * - `status`: the call is answered with an error: 429, 500 and 503 as the service answers them, 502 and 504 as a proxy
 *   before it does.
 * - `delay`: the call waits before it is decided.
 * - `reset-before-charge`: the connection is reset, and the call was not charged.
 * - `reset-after-charge`: the call is charged, then the connection is reset instead of an answer.
 * - `half-body`: half of the answer's body arrives, then the connection ends.
 * - `slow`: the answer's body arrives in pieces.
 */
export const FAULT_KINDS = [
  'status',
  'delay',
  'reset-before-charge',
  'reset-after-charge',
  'half-body',
  'slow',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export const FAULT_STATUSES = [429, 500, 502, 503, 504] as const
export type FaultStatus = (typeof FAULT_STATUSES)[number]

/** Statuses that a charged call can end with. */
const CHARGED_STATUSES: readonly FaultStatus[] = [502, 503, 504]

/**
 * Calls with a key that is in force are hit, whatever they are answered; others, as those that get a 401, are not.
 * A HEAD, which costs nothing and has no body, is not hit by a fault of what is charged or of the body.
 */
export interface FaultOptions {
  kind: FaultKind
  /** Hits calls of this path alone: an endpoint's, as `/v1/people/{id}`, or one as it is sent, without a query. */
  path?: string
  /** Hits calls of this account alone: its id. */
  account?: string
  /** Share of these calls: 0.25 hits every fourth. Defaults to all. */
  share?: number
  /** Number of calls after which it ends. Defaults to no limit. */
  count?: number
  /** Status of `kind: 'status'`; defaults to 500. */
  status?: FaultStatus
  /** Charges the call before a `status` of 502, 503 or 504; the 503 then says that the charge is unknown. */
  charged?: boolean
  /** Milliseconds of `delay` and `slow`; defaults to 1,000. */
  ms?: number
}

export const FAULT_OPTIONS = [
  'kind',
  'path',
  'account',
  'share',
  'count',
  'status',
  'charged',
  'ms',
] as const satisfies readonly (keyof FaultOptions)[]

export interface Fault {
  readonly id: number
  readonly options: Readonly<FaultOptions>
  /** Number of calls that it has hit. */
  readonly hits: number
  /**
   * Resolves when connections of before are closed, where it resets connections. Clients in the test's own process need not
   * wait for it; those in another may otherwise send a call on one of them, which is lost.
   */
  readonly ready: Promise<void>
  /** Ends it; calls that it has hit stay hit. */
  end(): void
}

/** A call that may be hit. */
interface Target {
  /** As documented: `/v1/people/{id}`. */
  endpoint: string
  /** The path as sent. */
  path: string
  account: string
  /** A HEAD: nothing is charged, and there is no body. */
  isQuote: boolean
}

export class Faults {
  readonly #active = new Map<number, Counted>()
  #lastId = 0

  /** @throws TypeError naming a wrong option and what is allowed. */
  add(options: FaultOptions): Counted {
    checkFault(options)
    const id = ++this.#lastId
    const fault = new Counted(id, { ...options }, () => this.#active.delete(id))
    this.#active.set(id, fault)
    return fault
  }

  /** The first of the faults that hits a call; it counts as hit. */
  hit(target: Target): Readonly<FaultOptions> | undefined {
    for (const fault of this.#active.values()) if (fault.takes(target)) return fault.options
    return undefined
  }

  /** Whether one of them resets connections. */
  get hasReset(): boolean {
    return this.list().some(({ options }) => options.kind.startsWith('reset'))
  }

  /** Active faults, oldest first. */
  list(): readonly Fault[] {
    return [...this.#active.values()]
  }

  clear() {
    this.#active.clear()
  }
}

/** Kinds that need an answer with a charge and a body. */
const OF_PAID_ANSWERS: readonly FaultKind[] = ['reset-after-charge', 'half-body', 'slow']

/** Keeps a share that is no fraction of two from falling short of a whole number. */
const ROUNDING = 1e-9

class Counted implements Fault {
  readonly id: number
  readonly options: Readonly<FaultOptions>
  readonly end: () => void
  hits = 0
  ready = Promise.resolve()
  #seen = 0

  constructor(id: number, options: Readonly<FaultOptions>, end: () => void) {
    this.id = id
    this.options = options
    this.end = end
  }

  /** Whether it hits this call. Of 100 calls a share of 0.25 hits the 4th, the 8th and so on, in every run the same. */
  takes({ endpoint, path, account, isQuote }: Target): boolean {
    const { kind, charged = false, path: wanted, account: owner } = this.options
    const { share = 1, count = Number.POSITIVE_INFINITY } = this.options
    if (isQuote && (charged || OF_PAID_ANSWERS.includes(kind))) return false
    if (wanted !== undefined && wanted !== endpoint && wanted !== path) return false
    if (owner !== undefined && uuidOf(owner) !== account) return false
    const due = (calls: number) => Math.floor(calls * share + ROUNDING)
    this.#seen++
    if (due(this.#seen) === due(this.#seen - 1)) return false
    this.hits++
    if (this.hits >= count) this.end()
    return true
  }
}

const PATHS = Object.values(ENDPOINTS).map(({ path }) => documentedPath(path))
const PATTERNS = PATHS.map((path) => new RegExp(`^${path.replace(/\{\w+\}/, '[^/?#]+')}$`))
const PATH_EXPECTED = `a path of the API: ${PATHS.join(', ')}, or one with an id`

function checkFault(options: FaultOptions): void {
  checkNames('fault', options, FAULT_OPTIONS)
  const { kind, path, account, share, count, status, charged, ms } = options
  checkChoice('kind', FAULT_KINDS, kind)
  if (path !== undefined) {
    checkText('path', path, PATH_EXPECTED, (text) => PATTERNS.some((each) => each.test(text)))
  }
  if (account !== undefined) checkText('account', account, "an account's id", isUuid)
  if (share !== undefined) checkShare('share', share)
  if (count !== undefined) checkCount('count', count, 1)
  const only = (option: keyof FaultOptions, kinds: readonly FaultKind[]) => {
    if (options[option] === undefined || kinds.includes(kind)) return
    throw new WrongOption(`${option}: belongs to ${kinds.join(' and ')}, not to ${kind}`)
  }
  only('status', ['status'])
  only('charged', ['status'])
  only('ms', ['delay', 'slow'])
  if (status !== undefined) checkChoice('status', FAULT_STATUSES, status)
  if (ms !== undefined) checkCount('ms', ms)
  if (charged === undefined || !checkFlag('charged', charged)) return
  if (status === undefined || !CHARGED_STATUSES.includes(status)) {
    throw new WrongOption(`charged: belongs to status ${CHARGED_STATUSES.join(', ')}`)
  }
}
