/** What the answer to HEAD says: how the GET would end that follows at once, and what it would cost. */
import type { Received } from './attempt.ts'
import type { ChainkinErrorCode } from './errors.ts'
import type { ApiErrorCode } from './generated/errors.ts'
import { type Answered, type Body, type Refusal, refusalOf, unexpected } from './read-answer.ts'

/** What a call would get and cost now. Another call may come between. */
export interface Quote {
  /** The end of the call: data, a sample, the free repeat of a charged call, or the code of an error. */
  readonly outcome: 'live' | 'first_reveal' | 'sample' | 'replayed' | ApiErrorCode
  /** Credits that the call requires; they are charged if the outcome is `live` or `first_reveal`. */
  readonly creditsRequired: number
  readonly creditsBalance: number
}

/** HEAD has no body that could name a wrong parameter, and whoever looks at the error is promised a name. */
const UNNAMED = { parameter: 'query', allowed: 'what the parameters of the operation allow' }

/** A refusal is what has no price: the call would not get that far. */
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
