/** Plans and top-ups that were chosen and paid, and who referred whom. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { newId, owner, time } from './columns.ts'
import { users } from './users.ts'

/** Who referred each account. Kept apart from `accounts`, whose row every charge rewrites. */
export const referrals = pg.pgTable(
  'referrals',
  {
    accountId: pg
      .uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** The end of the account's own referral link. */
    code: pg.text('code').notNull().unique(),
    /** The account by whose link this one signed up. */
    referrerId: pg.uuid('referrer_id').references(() => accounts.id, { onDelete: 'set null' }),
    /** When both accounts got their credits. */
    rewardedAt: time('rewarded_at'),
  },
  (t) => [
    pg.check('referrals_other', sql`${t.referrerId} <> ${t.accountId}`),
    pg.index('referrals_referrer').on(t.referrerId),
  ],
)

/** A plan or top-up that was chosen. Its credits are granted when it is `accepted`. */
export const payments = pg.pgTable(
  'payments',
  {
    id: newId(),
    accountId: owner('account_id', () => accounts.id),
    userId: pg.uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    kind: pg.text('kind').$type<'plan' | 'topup'>().notNull(),
    /** A name of `PLANS` or of `TOP_UPS`. */
    item: pg.text('item').notNull(),
    /** From the price list of the day of the choice; null is unlimited, or a price to agree on. */
    credits: pg.integer('credits'),
    usd: pg.integer('usd'),
    state: pg.text('state').$type<'open' | 'accepted' | 'refused'>().notNull().default('open'),
    /** The payment provider's id of the invoice. It is unique, so no invoice is applied twice. */
    reference: pg.text('reference').unique(),
    createdAt: time('created_at').notNull(),
    decidedAt: time('decided_at'),
  },
  (t) => [
    pg.check('payments_kind', sql`${t.kind} in ('plan', 'topup')`),
    pg.check('payments_state', sql`${t.state} in ('open', 'accepted', 'refused')`),
    pg.index('payments_account').on(t.accountId, t.createdAt),
    pg.index('payments_open').on(t.createdAt).where(sql`${t.state} = 'open'`),
  ],
)

/** A plan that the payment provider collects every month. */
export const subscriptions = pg.pgTable(
  'subscriptions',
  {
    /** The provider's id. */
    id: pg.text('id').primaryKey(),
    accountId: owner('account_id', () => accounts.id),
    plan: pg.text('plan').notNull(),
    startedAt: time('started_at').notNull(),
    endedAt: time('ended_at'),
  },
  (t) => [pg.index('subscriptions_account').on(t.accountId)],
)

/** The payment provider's events that were applied. */
export const paymentEvents = pg.pgTable('payment_events', {
  id: pg.text('id').primaryKey(),
  kind: pg.text('kind').notNull(),
  at: time('at').notNull(),
})
