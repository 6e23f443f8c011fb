/** Plans and top-ups that were chosen and paid, and who referred whom. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { accounts, creditGrants } from './accounts.ts'
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
    /** When the account first paid, and the credits that this gives to each of the two. */
    paidAt: time('paid_at'),
    credits: pg.integer('credits'),
    /** When both accounts got their credits. */
    rewardedAt: time('rewarded_at'),
  },
  (t) => [
    pg.check('referrals_other', sql`${t.referrerId} <> ${t.accountId}`),
    pg.index('referrals_referrer').on(t.referrerId),
    pg.index('referrals_due').on(t.paidAt).where(sql`${t.rewardedAt} is null`),
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
    /**
     * Who refused it: the account's owner, the operator, the Checkout that ended unpaid, or the owner's next choice.
     * Null also where Checkout could not begin.
     */
    refusedBy: pg.text('refused_by').$type<'owner' | 'operator' | 'checkout' | 'choice'>(),
    /** The payment provider's Checkout session in which it is paid. */
    checkout: pg.text('checkout'),
    /**
     * The provider's id of the payment: of a plan's invoice, or of a top-up's PaymentIntent. It is unique, so
     * nothing is applied twice.
     */
    reference: pg.text('reference').unique(),
    /** Collected amount in the smallest unit of its currency. Known once some of it was claimed back. */
    charged: pg.bigint('charged', { mode: 'number' }),
    /** How much of `charged` refunds and disputes have taken back. */
    reversed: pg.bigint('reversed', { mode: 'number' }),
    createdAt: time('created_at').notNull(),
    decidedAt: time('decided_at'),
    /** The state that a mail has told of: `open` the operators, the others its owner. Null where none has. */
    mailedState: pg.text('mailed_state').$type<'open' | 'accepted' | 'refused'>(),
    /**
     * A refund that the operator asked the provider for, until the provider tells its end: it is being asked, has begun it,
     * refused it, or didn't answer. Null where none was asked for, and once the money is back.
     */
    refund: pg.text('refund').$type<'asked' | 'begun' | 'refused' | 'unknown'>(),
    refundAt: time('refund_at'),
    /** The provider's id of a refund that has begun; of one that was refused, the reason. */
    refundNote: pg.text('refund_note'),
    /** Number of the last try: a refund whose answer is unknown is requested again under the same number. */
    refundTries: pg.integer('refund_tries').notNull().default(0),
  },
  (t) => [
    pg.check('payments_kind', sql`${t.kind} in ('plan', 'topup')`),
    pg.check('payments_state', sql`${t.state} in ('open', 'accepted', 'refused')`),
    pg.check('payments_reversed', sql`${t.reversed} between 0 and ${t.charged}`),
    pg.check('payments_refund', sql`${t.refund} in ('asked', 'begun', 'refused', 'unknown')`),
    pg.index('payments_account').on(t.accountId, t.createdAt),
    pg.index('payments_open').on(t.createdAt).where(sql`${t.state} = 'open'`),
    pg.index('payments_decided').on(t.decidedAt),
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

/** The credits that came with a payment: its own, and the referral's on both sides. They are taken back with it. */
export const paymentGrants = pg.pgTable(
  'payment_grants',
  {
    grantId: pg
      .uuid('grant_id')
      .primaryKey()
      .references(() => creditGrants.id, { onDelete: 'cascade' }),
    paymentId: owner('payment_id', () => payments.id),
    /** How many of the grant's credits are taken back at present. */
    takenBack: pg.integer('taken_back').notNull().default(0),
  },
  (t) => [pg.index('payment_grants_payment').on(t.paymentId)],
)

/** Refunds and disputes, as far as the payment provider has told. They may be told before the payment itself. */
export const paymentClaims = pg.pgTable(
  'payment_claims',
  {
    /** The provider's id of the refund or dispute. */
    id: pg.text('id').primaryKey(),
    /** The `reference` of the payment. */
    reference: pg.text('reference').notNull(),
    /** Collected and claimed amounts, in the smallest unit of the currency. */
    charged: pg.bigint('charged', { mode: 'number' }).notNull(),
    amount: pg.bigint('amount', { mode: 'number' }).notNull(),
    /** 0: the money is still here. 1: it is gone. 2: it is back for good. A claim never goes back a stage. */
    stage: pg.smallint('stage').notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    pg.check('payment_claims_amount', sql`${t.charged} > 0 and ${t.amount} >= 0`),
    pg.check('payment_claims_stage', sql`${t.stage} in (0, 1, 2)`),
    pg.index('payment_claims_reference').on(t.reference),
  ],
)

/** The payment provider's events, each noted once with its end. Kept for 90 days; those that wait, longer. */
export const paymentEvents = pg.pgTable(
  'payment_events',
  {
    id: pg.text('id').primaryKey(),
    kind: pg.text('kind').notNull(),
    at: time('at').notNull(),
    /** Null for events of releases that did not note it. */
    outcome: pg.text('outcome').$type<'applied' | 'ignored' | 'waiting'>(),
    /** The result, why there was none, or the operator's task. */
    reason: pg.text('reason'),
    /** True if the operator is to look at it: it waits, or it was applied in an unusual way. */
    isAlert: pg.boolean('is_alert').notNull().default(false),
    /** When the operator has dealt with it. */
    dismissedAt: time('dismissed_at'),
    /** The payment that it is of, where it named one. Events of releases that did not note it have none. */
    paymentId: pg.uuid('payment_id'),
  },
  (t) => [
    pg.check('payment_events_outcome', sql`${t.outcome} in ('applied', 'ignored', 'waiting')`),
    pg
      .index('payment_events_waiting')
      .on(t.at)
      .where(sql`${t.outcome} = 'waiting' and ${t.dismissedAt} is null`),
    pg.index('payment_events_payment').on(t.paymentId, t.at),
  ],
)
