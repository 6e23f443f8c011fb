/** Receipts of an account's payments, for printing. */
import { and, eq } from 'drizzle-orm'
import type { Database } from '../../database/client.ts'
import { accounts } from '../../database/tables/accounts.ts'
import { payments } from '../../database/tables/payments.ts'
import { isUuid } from '../../database/uuid.ts'

const CENTS = 100

/** Money is in US dollars; times are ISO 8601 in UTC. */
export interface Receipt
  extends Pick<typeof payments.$inferSelect, 'id' | 'kind' | 'item' | 'credits' | 'usd'> {
  /** Time of payment: the provider's event, or the operator's acceptance. */
  paidAt: string | null
  /** Collected by the payment provider; otherwise settled by the operator. */
  isCollected: boolean
  /** Refunds and disputes; null without any. Amounts are null for an agreed price. */
  paidBack: { usd: number | null; collected: number | null } | null
  account: { name: string; organization: string | null; email: string | null }
}

/** @returns undefined if the account has no accepted payment of this id. */
export async function receiptOf(
  database: Database,
  account: string,
  payment: string,
): Promise<Receipt | undefined> {
  if (!isUuid(payment)) return undefined
  const { id, accountId, kind, item, credits, usd, state } = payments
  const { decidedAt, reference, charged, reversed } = payments
  const { name, organization, email } = accounts
  const [row] = await database.use(({ db }) =>
    db
      .select({
        paid: { id, kind, item, credits, usd, paidAt: decidedAt },
        money: { reference, charged, reversed },
        account: { name, organization, email },
      })
      .from(payments)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(and(eq(id, payment), eq(accountId, account), eq(state, 'accepted'))),
  )
  if (!row) return undefined
  const { money } = row
  // The amount is unknown without a list price and a provider.
  const isAgreed = row.paid.usd === null && money.reference === null
  const dollars = (amount: number | null) => (isAgreed ? null : (amount ?? 0) / CENTS)
  return {
    ...row.paid,
    account: row.account,
    isCollected: money.reference !== null,
    paidBack: money.reversed
      ? { usd: dollars(money.reversed), collected: dollars(money.charged) }
      : null,
  }
}
