/** Plans and top-ups that were chosen and paid, and who referred whom. */
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { newId, owner, time } from './columns.ts'
import { users } from './users.ts'

/** Who referred each account. Kept apart from `accounts`, whose row every charge rewrites. */
export const referrals = pgTable(
  'referrals',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** The end of the account's own referral link. */
    code: text('code').notNull().unique(),
    /** The account by whose link this one signed up. */
    referrerId: uuid('referrer_id').references(() => accounts.id, { onDelete: 'set null' }),
    /** When both accounts got their credits. */
    rewardedAt: time('rewarded_at'),
  },
  (t) => [
    check('referrals_other', sql`${t.referrerId} <> ${t.accountId}`),
    index('referrals_referrer').on(t.referrerId),
  ],
)

/** A plan or top-up that was chosen. Its credits are granted when it is `accepted`. */
export const payments = pgTable(
  'payments',
  {
    id: newId(),
    accountId: owner('account_id', () => accounts.id),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    kind: text('kind').$type<'plan' | 'topup'>().notNull(),
    /** A name of `PLANS` or of `TOP_UPS`. */
    item: text('item').notNull(),
    /** From the price list of the day of the choice; null is unlimited, or a price to agree on. */
    credits: integer('credits'),
    usd: integer('usd'),
    state: text('state').$type<'open' | 'accepted' | 'refused'>().notNull().default('open'),
    /** The payment provider's id of the invoice. It is unique, so no invoice is applied twice. */
    reference: text('reference').unique(),
    createdAt: time('created_at').notNull(),
    decidedAt: time('decided_at'),
  },
  (t) => [
    check('payments_kind', sql`${t.kind} in ('plan', 'topup')`),
    check('payments_state', sql`${t.state} in ('open', 'accepted', 'refused')`),
    index('payments_account').on(t.accountId, t.createdAt),
    index('payments_open').on(t.createdAt).where(sql`${t.state} = 'open'`),
  ],
)

/** A plan that the payment provider collects every month. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    /** The provider's id. */
    id: text('id').primaryKey(),
    accountId: owner('account_id', () => accounts.id),
    plan: text('plan').notNull(),
    startedAt: time('started_at').notNull(),
    endedAt: time('ended_at'),
  },
  (t) => [index('subscriptions_account').on(t.accountId)],
)

/** The payment provider's events that were applied. */
export const paymentEvents = pgTable('payment_events', {
  id: text('id').primaryKey(),
  kind: text('kind').notNull(),
  at: time('at').notNull(),
})
