/** The repository of users. Who may do what is decided in `users.ts`. */
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { members, newcomers, users } from '../../database/tables/users.ts'
import { isThrowaway, mailboxHash } from './mailbox.ts'

/** Times are ISO 8601 in UTC. */
export type User = Omit<typeof users.$inferSelect, 'password'>

export interface NewUser {
  /** As `validEmail` gives it. */
  email: string
  name: string
  /** Hashed by `Passwords`. */
  password: string
  trialCredits: number
  /** True if the trial waits until the address is confirmed. */
  confirms?: boolean
  /** The code of the referral link by which the person came. */
  referral?: string | undefined
}

/** Makes a user with an account and its trial, one for each person. @returns the user's id, or null where the address is taken. */
export async function insertUser(database: Database, user: NewUser): Promise<string | null> {
  const { email, name, password, trialCredits, confirms = false, referral = null } = user
  const throwsAway = await isThrowaway(email)
  return database.use(({ sql }) =>
    scalar(sql`
      select user_sign_up(${email}, ${name}, ${password}, ${referral}, ${mailboxHash(email)},
                          ${throwsAway}::boolean, ${trialCredits}::integer,
                          make_interval(days => ${TRIAL_DAYS}::integer), ${confirms}::boolean)`),
  )
}

export type FoundUser = NonNullable<Awaited<ReturnType<typeof findUser>>>

/** The user with the hash of their password. `foundAt` is the database's time, in ISO 8601. */
export async function findUser(database: Database, email: string) {
  const columns = { ...getTableColumns(users), foundAt: sql<string>`meter_now()` }
  return database.use(async ({ db }) => {
    const [user] = await db.select(columns).from(users).where(eq(users.email, email))
    return user
  })
}

/** @returns the id of the account that the user owns. */
export async function ownAccountOf(database: Database, owner: string) {
  const { accountId, userId, role } = members
  const condition = and(eq(userId, owner), eq(role, 'owner'))
  const [row] = await database.use(({ db }) =>
    db.select({ accountId }).from(members).where(condition),
  )
  return row?.accountId
}

/** @returns why an account got no trial; null where it got one, or is to get it when its address is confirmed. */
export async function trialRefusalOf(database: Database, account: string) {
  const { accountId, refusal, trialCredits } = newcomers
  const offered = and(eq(accountId, account), gt(trialCredits, 0))
  const [row] = await database.use(({ db }) =>
    db.select({ refusal }).from(newcomers).where(offered),
  )
  return row?.refusal ?? null
}

/** Oldest first. */
export async function listUsers(database: Database): Promise<User[]> {
  const { password: _, ...columns } = getTableColumns(users)
  return database.use(({ db }) =>
    db.select(columns).from(users).orderBy(asc(users.createdAt), asc(users.id)),
  )
}

/** @returns false where another user has the address. */
export function setEmail(database: Database, userId: string, email: string, isVerified: boolean) {
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
