/** People who sign in, their sessions and workspaces, and the windows of their rate limits. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { created, newId, owner, time } from './columns.ts'

/** A person who signs in. `members` says for which accounts they act. */
export const users = pg.pgTable(
  'users',
  {
    id: newId(),
    /** In lower case, so that it is the same address however it is typed. */
    email: pg.text('email').notNull().unique(),
    name: pg.text('name').notNull(),
    /** As `src/people/users/passwords.ts` writes it. */
    password: pg.text('password').notNull(),
    emailVerifiedAt: time('email_verified_at'),
    /** Since when they are an operator, who may use `/operator`; null: they are none. */
    operatorSince: time('operator_since'),
    createdAt: created(),
  },
  (t) => [pg.check('users_email', sql`${t.email} = lower(${t.email})`)],
)

/**
 * The person an account was made for, as mail providers see them. The first account of a person gets the trial, and its
 * first payment counts for a referral. No foreign key: what a person had stays known.
 */
export const newcomers = pg.pgTable(
  'newcomers',
  {
    accountId: pg.uuid('account_id').primaryKey(),
    /** The mailbox behind the address that signed up, hashed (`src/people/users/mailbox.ts`). */
    mailbox: pg.text('mailbox').notNull(),
    trialCredits: pg.integer('trial_credits').notNull(),
    trialLasts: pg.interval('trial_lasts').notNull(),
    /** When the account was taken for its person's first: once its address is confirmed, where mail is sent. */
    welcomedAt: time('welcomed_at'),
    /** Why it never is: another account of the same mailbox came first, or the address is one to throw away. */
    refusal: pg.text('refusal').$type<'mailbox' | 'throwaway'>(),
  },
  (t) => [
    pg.check('newcomers_refusal', sql`${t.refusal} in ('mailbox', 'throwaway')`),
    pg.uniqueIndex('newcomers_mailbox').on(t.mailbox).where(sql`${t.welcomedAt} is not null`),
  ],
)

/** Who acts for which account: one owner each, and the members of its workspace. */
export const members = pg.pgTable(
  'members',
  {
    accountId: owner('account_id', () => accounts.id),
    userId: owner('user_id', () => users.id),
    role: pg.text('role').$type<'owner' | 'member'>().notNull(),
    joinedAt: time('joined_at').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.userId] }),
    pg.check('members_role', sql`${t.role} in ('owner', 'member')`),
    pg.index('members_user').on(t.userId),
    pg.uniqueIndex('members_owner').on(t.accountId).where(sql`${t.role} = 'owner'`),
  ],
)

/** The session of a browser. It is deleted with the membership that it acts by. */
export const sessions = pg.pgTable(
  'sessions',
  {
    id: newId(),
    /** SHA-256 of the cookie's token. */
    hash: pg.text('hash').notNull().unique(),
    userId: pg.uuid('user_id').notNull(),
    accountId: pg.uuid('account_id').notNull(),
    createdAt: created(),
    /** The last use, to the minute. */
    usedAt: time('used_at').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    pg
      .foreignKey({
        columns: [t.accountId, t.userId],
        foreignColumns: [members.accountId, members.userId],
      })
      .onDelete('cascade'),
    pg.index('sessions_user').on(t.userId),
    pg.index('sessions_end').on(t.endsAt),
  ],
)

/** One-time tokens of links sent by mail: `reset` a password, `confirm` an address. */
export const userLinks = pg.pgTable(
  'user_links',
  {
    /** SHA-256 of the token. */
    hash: pg.text('hash').primaryKey(),
    userId: owner('user_id', () => users.id),
    purpose: pg.text('purpose').notNull(),
    /** The address that the link was sent to. */
    email: pg.text('email').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    pg.check('user_links_purpose', sql`${t.purpose} in ('reset', 'confirm')`),
    pg.index('user_links_user').on(t.userId),
    pg.index('user_links_end').on(t.endsAt),
  ],
)

/**
 * The second factor of people who sign in with one. The secret stands as it is, because codes are computed from it;
 * recovery codes are hashed.
 */
export const secondFactors = pg.pgTable('second_factors', {
  userId: owner('user_id', () => users.id).primaryKey(),
  /** Secret of an app's codes, in base32. */
  secret: pg.text('secret').notNull(),
  /** The session that began to turn it on, and when: it alone sees the secret, and only then. */
  sessionId: pg.uuid('session_id').notNull(),
  begunAt: time('begun_at').notNull(),
  /** Since when signing in asks for it; null where it was only begun. */
  onSince: time('on_since'),
  /** The latest time step whose code was taken, in steps of 30 seconds since 1970: no code is taken twice. */
  lastStep: pg.integer('last_step').notNull().default(0),
})

/** Codes for somebody who has lost their app. A code that was used is deleted. */
export const recoveryCodes = pg.pgTable(
  'recovery_codes',
  {
    userId: owner('user_id', () => secondFactors.userId),
    /** SHA-256 of the code. */
    hash: pg.text('hash').notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.userId, t.hash] })],
)

/** Somebody whose password was right, and who is to show a second factor. It goes when the password or the factor changes. */
export const pendingSignIns = pg.pgTable(
  'pending_sign_ins',
  {
    /** SHA-256 of the token that the browser keeps in a cookie. */
    hash: pg.text('hash').primaryKey(),
    userId: owner('user_id', () => secondFactors.userId),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    pg.index('pending_sign_ins_user').on(t.userId),
    pg.index('pending_sign_ins_end').on(t.endsAt),
  ],
)

/** An invitation to an account's workspace: one person may accept it. */
export const invitations = pg.pgTable(
  'invitations',
  {
    id: newId(),
    hash: pg.text('hash').notNull().unique(),
    accountId: owner('account_id', () => accounts.id),
    invitedBy: owner('invited_by', () => users.id),
    /** The person it is for, in the owner's words. */
    label: pg.text('label').notNull(),
    createdAt: created(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    pg.index('invitations_account').on(t.accountId),
    pg.index('invitations_end').on(t.endsAt),
  ],
)

/** Attempts in the current window, counted by `src/people/users/rate-limiter.ts`. Older versions know the table by this name. */
export const rateLimitWindows = pg.pgTable(
  'turns',
  {
    /** The kind of attempt, and the address or hashed e-mail address that made it. */
    subject: pg.text('subject').primaryKey(),
    startedAt: time('started_at').notNull(),
    endsAt: time('ends_at').notNull(),
    count: pg.integer('count').notNull(),
  },
  (t) => [pg.index('turns_end').on(t.endsAt)],
)
