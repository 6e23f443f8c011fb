/** State of a call in progress, and the errors that it can end with. */
import type { Lost } from './attempt.ts'
import { ChainkinError, type ChainkinErrorCode, type ErrorDetails } from './errors.ts'
import type { Refusal } from './read-answer.ts'

export interface Progress {
  readonly id: string
  readonly idempotencyKey: string | null
  attempts: number
  /** Whether an attempt may have been charged without an answer. */
  mayBeCharged: boolean
}

/** 128 random bits; browsers have `randomUUID` on secure pages alone. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Attempts have different ids, so that one without an answer can be found in the log. */
export function requestId({ id, attempts }: Progress): string | null {
  return attempts === 0 ? null : `${id}.${attempts}`
}

export function lost({ code, message, cause }: Lost): Refusal {
  return { code, message, status: null, charged: null, repeat: 'fault', details: {}, cause }
}

export function refused({ code, message, status, details, cause }: Refusal, progress: Progress) {
  return failure(code, message, progress, { ...details, status }, cause)
}

export function aborted(reason: unknown, progress: Progress) {
  return failure('aborted', 'The call was aborted by its caller.', progress, {}, reason)
}

export function failure(
  code: ChainkinErrorCode,
  message: string,
  progress: Progress,
  details: Partial<ErrorDetails> = {},
  cause?: unknown,
): ChainkinError {
  const { attempts, idempotencyKey, mayBeCharged } = progress
  const advice = mayBeCharged
    ? ` Whether the call was charged is not known: the same call with the idempotencyKey of this error is charged once at most.`
    : ''
  const all: ErrorDetails = {
    status: null,
    ...details,
    charged: mayBeCharged ? null : 0,
    attempts,
    requestId: requestId(progress),
    idempotencyKey,
  }
  return new ChainkinError(code, message + advice, all, cause)
}
