/** @jsxImportSource hono/jsx */
/** What an export or a bulk search would cost, and how far the account's credits go: said before anything is charged. */
import { creditsOf } from '../../accounts/credits.ts'
import type { WebOperation } from '../../contract/endpoints.ts'
import type { Html } from '../http/html.ts'
import type { SignedInContext } from '../http/page.ts'
import { Notice } from './notice.tsx'
import type { Fact } from './profile.tsx'
import { figure, plural } from './text.tsx'

export interface Quote {
  /** Credits for all of it. */
  price: number
  /** Units that the balance pays for, and what those cost. */
  covered: number
  coveredPrice: number
  balance: number
  /** No credit ceiling (D16). */
  unlimited: boolean
}

/** @param units of the operation that are asked for. */
export async function quoteOf(
  { application, session }: SignedInContext,
  { credits }: WebOperation,
  units: number,
): Promise<Quote> {
  const now = await creditsOf(application.database, session.account.id)
  const { balance, unlimited } = now ?? { balance: 0, unlimited: false }
  const covered = unlimited ? units : Math.min(units, Math.floor(Math.max(0, balance) / credits))
  return { price: units * credits, covered, coveredPrice: covered * credits, balance, unlimited }
}

export function quoteFacts({ price, balance, unlimited }: Quote): Fact[] {
  return [
    { name: 'Price', value: plural(price, 'credit', 'credits') },
    { name: 'Your balance', value: unlimited ? 'Unlimited' : plural(balance, 'credit', 'credits') },
  ]
}

interface ShortfallProps {
  context: SignedInContext
  covered: number
  all: number
  things: string
  what: string
}

/** Where credits don't go all the way. @param covered of `all`, both as people count them. @param what would stop */
export function Shortfall({ context, covered, all, things, what }: ShortfallProps): Html | null {
  if (covered >= all) return null
  return (
    <Notice tone="warn">
      {covered === 0
        ? `Your credits cover none of ${figure(all)} ${things}.`
        : `Your credits cover ${figure(covered)} of ${figure(all)} ${things}: ${what} would stop there.`}{' '}
      <a href={context.href('/credits')}>Get credits</a>
    </Notice>
  )
}
