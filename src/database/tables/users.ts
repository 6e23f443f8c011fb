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

/** A person who signs in. Whose credits they spend is said by `members`. */
export const users = pgTable(
  'users',
  {
    id: newId(),
    /** In lower case: an address names one person however it is typed. */
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

/** A browser that is signed in. It ends with the membership that it stands on. */
export const sessions = pgTable(
  'sessions',
  {
    id: newId(),
    /** SHA-256 of what the cookie holds. */
    hash: text('hash').notNull().unique(),
    userId: uuid('user_id').notNull(),
    accountId: uuid('account_id').notNull(),
    createdAt: created(),
    /** To the minute. */
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

/** Links sent by mail, each good for one use: `reset` a password, `confirm` an address. */
export const userLinks = pgTable(
  'user_links',
  {
    /** SHA-256 of what the link holds. */
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

/** An invitation to an account's workspace, good for one person. */
export const invitations = pgTable(
  'invitations',
  {
    id: newId(),
    hash: text('hash').notNull().unique(),
    accountId: owner('account_id', () => accounts.id),
    invitedBy: owner('invited_by', () => users.id),
    /** Whom it is meant for, in the owner's words. */
    label: text('label').notNull(),
    createdAt: created(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [index('invitations_account').on(t.accountId), index('invitations_end').on(t.endsAt)],
)

/** Attempts that `src/users/rate-limiter.ts` counted in the current window. The table keeps its first name for instances of older versions. */
export const rateLimitWindows = pgTable(
  'turns',
  {
    /** What is limited, and for whom; e-mail addresses are hashed. */
    subject: text('subject').primaryKey(),
    startedAt: time('started_at').notNull(),
    endsAt: time('ends_at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [index('turns_end').on(t.endsAt)],
)
