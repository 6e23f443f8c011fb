/** The price of an endpoint in words, from the table that bills. */
import type { Endpoint } from '../../contract/endpoints.ts'
import { figure, plural } from '../ui/text.tsx'

type Price = Pick<Endpoint, 'credits' | 'revealCredits'>

/** "5"; "5 or 10" where a call may turn out to be a first reveal. */
export function creditsText({ credits, revealCredits }: Price): string {
  if (revealCredits <= credits) return figure(credits)
  return `${figure(credits)} or ${figure(revealCredits)}`
}

/** "free", "5 credits" or "5 or 10 credits". */
export function callPriceText(price: Price): string {
  if (price.revealCredits > price.credits) return `${creditsText(price)} credits`
  return price.credits === 0 ? 'free' : plural(price.credits, 'credit', 'credits')
}
