/** A retry that does not cost twice: the header `Idempotency-Key`. */
import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import { IDEMPOTENCY_KEY } from '../contract/headers.ts'
import type { RequestContext } from './context.ts'

/** The key, also where it is sent in the quotes of a structured header field (RFC 9651). */
export function idempotencyKeyOf({ request }: RequestContext): string | null {
  const sent = request.headers.get('idempotency-key')
  return sent?.replace(/^"(.*)"$/, '$1') ?? null
}

/** Gate 5 checks the key's form. @throws ApiError invalid_parameter */
export function checkIdempotencyKey(context: RequestContext): void {
  const key = idempotencyKeyOf(context)
  if (key === null || IDEMPOTENCY_KEY.test(key)) return
  const allowed = '1 to 64 characters of [A-Za-z0-9._-]'
  throw new ApiError('invalid_parameter', `Idempotency-Key must have ${allowed}.`, {
    parameter: 'Idempotency-Key',
    allowed,
  })
}

/** The key and a SHA-256 of path and parameters, in whatever order they were sent. Both are null where nothing is to be bound. */
export function bindingOf(context: RequestContext, price: number) {
  const key = idempotencyKeyOf(context)
  if (key === null || price === 0 || !IDEMPOTENCY_KEY.test(key)) {
    return { idempotency_key: null, fingerprint: null }
  }
  const parameters = context.query.split('&').sort().join('&')
  return { idempotency_key: key, fingerprint: fingerprintOf(context, parameters) }
}

/**
 * The fingerprint of releases up to 1.6, which bound a key to its parameters in the order sent: a call that one of them charged may be
 * repeated here during an upgrade, and a day after it.
 */
export const earlierFingerprint = (context: RequestContext) => fingerprintOf(context, context.query)

function fingerprintOf({ request }: RequestContext, parameters: string): string {
  const call = `${new URL(request.url).pathname}?${parameters}`
  return createHash('sha256').update(call).digest('hex')
}
