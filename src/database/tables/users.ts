/** People who sign in, their sessions and workspaces, and the windows of their rate limits. */
import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { created, newId, owner, time } from './columns.ts'

/** A person who signs in. `members` says for which accounts they act. */
export const users = pgTable(
  'users',
  {
    id: newId(),
    /** In lower case, so that it is the same address however it is typed. */
    email: text('email').notNull().unique(),
    name: text('name').notNull(),
    /** As `src/users/passwords.ts` writes it. */
    password: text('password').notNull(),
    emailVerifiedAt: time('email_verified_at'),
    createdAt: created(),
  },
  (t) => [check('users_email', sql`${t.email} = lower(${t.email})`)],
)

/** Who acts for which account: one owner each, and the members of its workspace. */
export const members = pgTable(
  'members',
  {
    accountId: owner('account_id', () => accounts.id),
    userId: owner('user_id', () => users.id),
    role: text('role').$type<'owner' | 'member'>().notNull(),
    joinedAt: time('joined_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.userId] }),
    check('members_role', sql`${t.role} in ('owner', 'member')`),
    index('members_user').on(t.userId),
    uniqueIndex('members_owner').on(t.accountId).where(sql`${t.role} = 'owner'`),
  ],
)

/** The session of a browser. It is deleted with the membership that it acts by. */
export const sessions = pgTable(
  'sessions',
  {
    id: newId(),
    /** SHA-256 of the cookie's token. */
    hash: text('hash').notNull().unique(),
    userId: uuid('user_id').notNull(),
    accountId: uuid('account_id').notNull(),
    createdAt: created(),
    /** The last use, to the minute. */
    usedAt: time('used_at').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    foreignKey({
      columns: [t.accountId, t.userId],
      foreignColumns: [members.accountId, members.userId],
    }).onDelete('cascade'),
    index('sessions_user').on(t.userId),
    index('sessions_end').on(t.endsAt),
  ],
)

/** One-time tokens of links sent by mail: `reset` a password, `confirm` an address. */
export const userLinks = pgTable(
  'user_links',
  {
    /** SHA-256 of the token. */
    hash: text('hash').primaryKey(),
    userId: owner('user_id', () => users.id),
    purpose: text('purpose').notNull(),
    /** The address that the link was sent to. */
    email: text('email').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    check('user_links_purpose', sql`${t.purpose} in ('reset', 'confirm')`),
    index('user_links_user').on(t.userId),
    index('user_links_end').on(t.endsAt),
  ],
)

/** An invitation to an account's workspace: one person may accept it. */
export const invitations = pgTable(
  'invitations',
  {
    id: newId(),
    hash: text('hash').notNull().unique(),
    accountId: owner('account_id', () => accounts.id),
    invitedBy: owner('invited_by', () => users.id),
    /** The person it is for, in the owner's words. */
    label: text('label').notNull(),
    createdAt: created(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [index('invitations_account').on(t.accountId), index('invitations_end').on(t.endsAt)],
)

/** Attempts in the current window, counted by `src/users/rate-limiter.ts`. Older versions know the table by this name. */
export const rateLimitWindows = pgTable(
  'turns',
  {
    /** The kind of attempt, and the address or hashed e-mail address that made it. */
    subject: text('subject').primaryKey(),
    startedAt: time('started_at').notNull(),
    endsAt: time('ends_at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [index('turns_end').on(t.endsAt)],
)
