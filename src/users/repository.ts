/** The repository of users. Who may do what is decided in `users.ts`. */
import { and, asc, eq } from 'drizzle-orm'
import { TRIAL_DAYS } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { isTrue, scalar } from '../database/scalar.ts'
import { members, users } from '../database/tables/users.ts'

/** Times are ISO 8601 in UTC (D32). */
export type User = Omit<typeof users.$inferSelect, 'password'>

export interface NewUser {
  /** As `validEmail` gives it. */
  email: string
  name: string
  /** Hashed by `Passwords`. */
  password: string
  trialCredits: number
  /** The code of the referral link by which the person came. */
  referral?: string | undefined
}

/** Makes a user with an account and its trial. @returns the user's id, or null where the address is taken. */
export async function insertUser(database: Database, user: NewUser): Promise<string | null> {
  const { email, name, password, trialCredits, referral = null } = user
  return database.use(({ sql }) =>
    scalar(sql`
      select user_sign_up(${email}, ${name}, ${password}, ${trialCredits}::integer,
                          make_interval(days => ${TRIAL_DAYS}::integer), ${referral})`),
  )
}

/** The user with the hash of their password. */
export async function findUser(
  database: Database,
  email: string,
): Promise<(User & { password: string }) | undefined> {
  const [user] = await database.use(({ db }) =>
    db.select().from(users).where(eq(users.email, email)),
  )
  return user
}

/** @returns the id of the account that the user owns. */
export async function ownAccountOf(
  database: Database,
  userId: string,
): Promise<string | undefined> {
  const [row] = await database.use(({ db }) =>
    db
      .select({ id: members.accountId })
      .from(members)
      .where(and(eq(members.userId, userId), eq(members.role, 'owner'))),
  )
  return row?.id
}

/** Oldest first. */
export async function listUsers(database: Database): Promise<User[]> {
  const { id, email, name, emailVerifiedAt, createdAt } = users
  return database.use(({ db }) =>
    db
      .select({ id, email, name, emailVerifiedAt, createdAt })
      .from(users)
      .orderBy(asc(createdAt), asc(id)),
  )
}

/** Ends all of the user's sessions too. @param password hashed by `Passwords`. */
export async function setPassword(database: Database, userId: string, password: string) {
  await database.use(({ sql }) => sql`select user_set_password(${userId}, ${password})`)
}

/** @returns false where another user has the address. */
export async function setEmail(
  database: Database,
  userId: string,
  email: string,
  isVerified: boolean,
): Promise<boolean> {
  return database.use(({ sql }) =>
    isTrue(sql`select user_set_email(${userId}, ${email}, ${isVerified}::boolean)`),
  )
}

/** Names the user and the account that they own. */
export async function setName(database: Database, userId: string, name: string): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      with named as (update users set name = ${name} where id = ${userId})
      update accounts a set name = ${name} from members m
       where m.user_id = ${userId} and m.role = 'owner' and a.id = m.account_id`,
  )
}
