/** What a reveal would cost, asked of the API for nothing: a HEAD of the same address (D48). */
import { CALL_CREDITS } from '../contract/endpoints.ts'
import { ApiError, ERRORS, isErrorCode } from '../contract/errors.ts'
import { ChainkinError, type Fetch } from '../sdk/chainkin.ts'

export interface RevealQuote {
  /** Credits of the reveal. */
  credits: number
  /** Credits of the account now. */
  balance: number
  /** Whether there is a contact to unlock; else it is unlocked, or no channel is on file. */
  unlocks: boolean
}

interface Asked {
  /** The API's address, without `/v1`. */
  url: string
  key: string
  fetch: Fetch
  signal: AbortSignal
}

/**
 * Returns undefined where the service gives no quotes, or was not reached.
 * @param person an id or a slug
 * @throws ChainkinError or ApiError where the reveal would be refused
 */
export async function quotedReveal(
  person: string,
  { url, key, fetch, signal }: Asked,
): Promise<RevealQuote | undefined> {
  const response = await fetch(`${url}/v1/people/${encodeURIComponent(person)}?include=private`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${key}` },
    signal,
  }).catch(() => undefined)
  const numberOf = (name: string) => {
    const text = response?.headers.get(name) ?? ''
    return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  }
  const outcome = response?.headers.get('service-outcome') ?? null
  const credits = numberOf('service-credits-required')
  const balance = numberOf('service-credits-balance')
  if (response && isErrorCode(outcome)) {
    const retryAfter = numberOf('retry-after')
    throw new ChainkinError(outcome, ERRORS[outcome].cause, {
      ...{ status: response.status, charged: 0, attempts: 1, idempotencyKey: null },
      requestId: response.headers.get('x-request-id'),
      ...(credits !== undefined && { creditsRequired: credits }),
      ...(balance !== undefined && { creditsBalance: balance }),
      ...(retryAfter !== undefined && { retryAfter }),
    })
  }
  if (credits === undefined || balance === undefined) return undefined
  if (outcome === 'sample') {
    const message = `The reveal costs ${credits} credits, and the balance is ${balance}.`
    throw new ApiError('insufficient_credits', message)
  }
  return { credits, balance, unlocks: credits > CALL_CREDITS }
}
