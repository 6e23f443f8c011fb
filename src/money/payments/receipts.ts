/** Receipts of an account's payments, for printing. */
import { and, eq } from 'drizzle-orm'
import type { Database } from '../../database/client.ts'
import { accounts } from '../../database/tables/accounts.ts'
import { payments } from '../../database/tables/payments.ts'
import { isUuid } from '../../database/uuid.ts'
import { paidBackText } from './amounts.ts'

/** Money is in US dollars; times are ISO 8601 in UTC. */
export interface Receipt
  extends Pick<typeof payments.$inferSelect, 'id' | 'kind' | 'item' | 'credits' | 'usd'> {
  /** Time of payment: the provider's event, or the operator's acceptance. */
  paidAt: string | null
  /** Collected by the payment provider; otherwise settled by the operator. */
  isCollected: boolean
  /** The money that refunds and disputes have taken, in words; null without any. */
  paidBack: string | null
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
  return {
    ...row.paid,
    account: row.account,
    isCollected: row.money.reference !== null,
    paidBack: paidBackText({ usd: row.paid.usd, ...row.money }),
  }
}
