/** Price of a reveal, by a free request to the API. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../contract/endpoints.ts'
import { ApiError, ERRORS, isErrorCode } from '../contract/errors.ts'
import {
  type Account,
  type CallOptions,
  type Chainkin,
  ChainkinError,
  type ChainkinErrorCode,
  type ErrorDetails,
} from '../sdk/chainkin.ts'

export interface RevealQuote {
  /** Credits of the reveal. */
  credits: number
  /** Credits of the account now. */
  balance: number
  /** Whether there is a contact to unlock; else it is unlocked, or no channel is on file. */
  unlocks: boolean
}

/**
 * Returns undefined where the service gives no quotes.
 * @param person an id or a slug
 * @throws ChainkinError or ApiError where the reveal would be refused
 */
export async function quotedReveal(
  client: Chainkin<'allow'>,
  person: string,
  options: CallOptions,
): Promise<RevealQuote | undefined> {
  const asked = { id: person, query: { include: 'private' } } as const
  const quote = await client.quote('getPerson', asked, options).catch((error: unknown) => {
    if (!(error instanceof ChainkinError)) throw error
    // A service of an earlier version answers HEAD without a word of the price.
    if (error.status === 200) return undefined
    if (error.status === null || !isErrorCode(error.code)) throw error
    throw refused(error.code, error)
  })
  if (!quote) return undefined
  const { outcome, creditsRequired: credits, creditsBalance: balance, call } = quote
  if (outcome === 'live' || outcome === 'first_reveal' || outcome === 'replayed') {
    return { credits, balance, unlocks: outcome === 'first_reveal' }
  }
  if (outcome === 'sample') throw tooFew(credits, balance)
  const { requestId, attempts } = call
  const details = { status: null, charged: 0, attempts, requestId, idempotencyKey: null } as const
  const price = { creditsRequired: credits, creditsBalance: balance }
  throw refused(outcome, { ...details, ...(outcome === 'insufficient_credits' && price) })
}

/** By the account alone: the most that a reveal costs. @throws ApiError where any would be refused */
export function dearestReveal({ apiKey, creditsBalance, unlimited }: Account): RevealQuote {
  if (!apiKey.scopes.includes('read:contacts')) {
    const allowed = ['read:contacts']
    throw new ApiError('missing_scope', 'The key lacks the scope read:contacts.', { allowed })
  }
  if (unlimited !== true && creditsBalance < CALL_CREDITS) {
    throw tooFew(REVEAL_CREDITS, creditsBalance)
  }
  return { credits: REVEAL_CREDITS, balance: creditsBalance, unlocks: true }
}

/** A quote has a code and no sentence. */
function refused(code: ChainkinErrorCode, details: ErrorDetails): ChainkinError {
  const cause = isErrorCode(code) ? ERRORS[code].cause : 'The reveal would be refused.'
  return new ChainkinError(code, cause, details)
}

const tooFew = (credits: number, balance: number) =>
  new ApiError(
    'insufficient_credits',
    `The reveal costs ${credits} credits, and the balance is ${balance}.`,
  )
