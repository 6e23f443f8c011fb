/** A retry that does not cost twice: the header `Idempotency-Key` (D20a). */
import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import { IDEMPOTENCY_KEY } from '../contract/headers.ts'
import type { RequestContext } from './context.ts'

export function idempotencyKeyOf({ request }: RequestContext): string | null {
  return request.headers.get('idempotency-key')
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

/** What the charge binds the key to: a SHA-256 of path and query. Both are null where nothing is to be bound. */
export function bindingOf(context: RequestContext, price: number) {
  const key = idempotencyKeyOf(context)
  if (key === null || price === 0 || !IDEMPOTENCY_KEY.test(key)) {
    return { idempotency_key: null, fingerprint: null }
  }
  const call = `${new URL(context.request.url).pathname}?${context.query}`
  return { idempotency_key: key, fingerprint: createHash('sha256').update(call).digest('hex') }
}
