/** Reads the answer to HEAD: the outcome and price that the GET would have. */
import type { Received } from './attempt.ts'
import type { ChainkinErrorCode } from './errors.ts'
import type { ApiErrorCode } from './generated/errors.ts'
import { type Answered, type Body, type Refusal, refusalOf, unexpected } from './read-answer.ts'

/** Outcome and price that a call would have now. Another call may come first. */
export interface Quote {
  /** The end of the call: data, a sample, the free repeat of a charged call, or the code of an error. */
  readonly outcome: 'live' | 'first_reveal' | 'sample' | 'replayed' | ApiErrorCode
  /** Credits that the call requires; they are charged if the outcome is `live` or `first_reveal`. */
  readonly creditsRequired: number
  readonly creditsBalance: number
}

/** HEAD has no body that names the wrong parameter, but the error's type promises a name. */
const UNNAMED = { parameter: 'query', allowed: 'what the parameters of the operation allow' }

/** Answers without a price are refusals. */
export function readQuote(received: Received): Answered | Refusal {
  const outcome = received.header('service-outcome')
  const [creditsRequired, creditsBalance] = ['required', 'balance'].map((name) => {
    const text = received.header(`service-credits-${name}`)
    return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  })
  if (outcome === null) return unexpected(received, undefined)
  if (creditsRequired === undefined || creditsBalance === undefined) {
    const message = `The call would be refused: ${outcome}. A GET says more.`
    const error = { message, charged: 0, ...(received.status === 400 && UNNAMED) }
    return refusalOf(received, outcome as ChainkinErrorCode, error)
  }
  const body: Body & Quote = {
    outcome: outcome as Quote['outcome'],
    creditsRequired,
    creditsBalance,
    meta: { creditsCharged: 0, creditsBalance },
  }
  return { body, isSample: false, isReplayed: false }
}
