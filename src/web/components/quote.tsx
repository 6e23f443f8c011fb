/** @jsxImportSource hono/jsx */
/** The price of an export or a bulk search, and how much of it the account's credits cover, before anything is charged. */
import { creditsOf } from '../../accounts/credits.ts'
import type { WebOperation } from '../../contract/endpoints.ts'
import type { SignedInContext } from '../http/page.ts'
import { Notice } from './page-parts.tsx'
import type { Fact } from './profile.tsx'
import { figure, plural } from './text.tsx'

export interface Quote {
  /** Credits for all units. */
  price: number
  /** Units that the balance covers, and their price in credits. */
  covered: number
  coveredPrice: number
  balance: number
  /** No credit ceiling (D16). */
  unlimited: boolean
}

/** Returns the quote for so many units of an operation. @throws DatabaseUnavailable */
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

/** A warning where the credits cover only a part. @param things the units, as people count them @param what the operation that would stop */
export function Shortfall({ context, covered, all, things, what }: ShortfallProps) {
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
