/** Answers of calls: the typed body of the API, and facts of the call beside it. */
import type { Contract, OPERATIONS } from './generated/operations.ts'
import type { Rate } from './limiter.ts'
import type { Samples } from './options.ts'

/** A method of the client, named as the operation of the OpenAPI document. */
export type Operation = keyof Contract

/** Facts of one call. */
export interface CallInfo {
  /** `X-Request-Id` of the attempt that was answered; the ledger and the log of requests name it. */
  readonly requestId: string
  /** The key that all attempts carried; null for calls that are free. */
  readonly idempotencyKey: string | null
  /** How often the call was sent. */
  readonly attempts: number
  /** Whether the answer repeats a call that was charged before (`Idempotent-Replayed`). */
  readonly replayed: boolean
  /**
   * Credits of all attempts together. null if unknown: the charged answer of a reveal was lost, or the call repeats one with an
   * `idempotencyKey` that this client doesn't remember.
   */
  readonly charged: number | null
  /** The account's balance after the call. */
  readonly balance: number
  /** The account's rate window; null if the answer has no rate headers. */
  readonly rate: Rate | null
}

/** `call` is not enumerable: what is printed, copied or compared is the API's own answer. */
interface WithCall {
  readonly call: CallInfo
}

/** Real data. */
export type Live<Op extends Operation> = Contract[Op]['live'] &
  WithCall & { readonly sample?: never }

/** Invented data of a free account with too few credits; it comes where `samples` is `allow`. */
export type Sample<Op extends Operation> = Contract[Op]['sample'] & WithCall

/** Answer of a method: live data, and samples if the client allows them. */
export type Answer<Op extends Operation, S extends Samples = 'refuse'> =
  | Live<Op>
  | (S extends 'allow' ? Sample<Op> : never)

/** Parameters of an operation. */
export type Query<Op extends Operation> = Contract[Op]['query']

/** Operations that answer pages. */
export type ListOperation = {
  [Op in Operation]: Contract[Op]['live'] extends { totalPages: number } ? Op : never
}[Operation]

/** A record of a list. */
export type RecordOf<Op extends ListOperation> = Contract[Op]['live']['data'][number]

/** Operations that cost credits. */
export type BilledOperation = Exclude<Operation, 'getAccount'>

/** Arguments of an operation: the id or slug, if its path has one, and its query. */
export type Asked<Op extends BilledOperation> = {
  readonly query?: Query<Op> | undefined
} & ((typeof OPERATIONS)[Op]['path'] extends `${string}{${string}`
  ? { readonly id: string }
  : { readonly id?: undefined })
