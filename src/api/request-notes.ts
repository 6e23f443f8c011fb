/** Lines of the log of requests, for calls whose account is known. */
import { documentedPath } from '../contract/endpoints.ts'
import type { ApiError } from '../contract/errors.ts'
import { namesIn } from '../money/accounts/request-line.ts'
import type { Outcome } from '../money/charge/call.ts'
import type { RequestContext } from './context.ts'

/** Notes an answered call. */
export function noteAnswer(context: RequestContext, { outcome, charged }: Outcome): void {
  const code = outcome === 'sample' || outcome === 'replayed' ? outcome : null
  note(context, { status: 200, code, credits: charged })
}

/** Notes a refused or failed call, if it belongs to an account. */
export function noteError(context: RequestContext, { status, code }: ApiError): void {
  note(context, { status, code, credits: context.mayBeCharged ? null : 0 })
}

function note(
  context: RequestContext,
  end: { status: number; code: string | null; credits: number | null },
): void {
  const { services, caller, request, query, requestId, startedMs } = context
  if (!services.requests || !caller) return
  const { key, contract } = caller
  services.requests.note(key, {
    ...end,
    tookMs: performance.now() - startedMs,
    requestId,
    method: request.method,
    path: documentedPath(contract.path),
    parameters: namesIn(query, contract.parameters),
  })
}
