/** The header `Idempotency-Key`, with which a retry doesn't cost twice. */
import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import { IDEMPOTENCY_KEY } from '../contract/headers.ts'
import type { RequestContext } from './context.ts'

/** The key, without the quotes of a structured header field (RFC 9651). */
export function idempotencyKeyOf({ request }: RequestContext): string | null {
  const sent = request.headers.get('idempotency-key')
  return sent?.replace(/^"(.*)"$/, '$1') ?? null
}

/** Checks the key's form (gate 5). @throws ApiError invalid_parameter */
export function checkIdempotencyKey(context: RequestContext): void {
  const key = idempotencyKeyOf(context)
  if (key === null || IDEMPOTENCY_KEY.test(key)) return
  const allowed = '1 to 64 characters of [A-Za-z0-9._-]'
  throw new ApiError('invalid_parameter', `Idempotency-Key must have ${allowed}.`, {
    parameter: 'Idempotency-Key',
    allowed,
  })
}

/** The key, and a SHA-256 of path and parameters whatever their order. Both are null where nothing is bound. */
export function bindingOf(context: RequestContext, price: number) {
  const key = idempotencyKeyOf(context)
  if (key === null || price === 0 || !IDEMPOTENCY_KEY.test(key)) {
    return { idempotency_key: null, fingerprint: null }
  }
  const parameters = context.query.split('&').sort().join('&')
  return { idempotency_key: key, fingerprint: fingerprintOf(context, parameters) }
}

/**
 * The fingerprint of releases up to 1.6, which depends on the parameters' order. A call that one of them charged may be repeated
 * here during an upgrade and on the day after it.
 */
export const earlierFingerprint = (context: RequestContext) => fingerprintOf(context, context.query)

function fingerprintOf({ request }: RequestContext, parameters: string): string {
  const call = `${new URL(request.url).pathname}?${parameters}`
  return createHash('sha256').update(call).digest('hex')
}
