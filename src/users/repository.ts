/** The rows of `users`: statements only; who may do what stands in `users.ts`. */
import { and, asc, eq, sql } from 'drizzle-orm'
import { TRIAL_DAYS } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { members, users } from '../database/tables.ts'

export interface User {
  id: string
  email: string
  name: string
  emailVerifiedAt: string | null
  createdAt: string
}

export interface NewUser {
  /** As `emailOf` gives it. */
  email: string
  name: string
  /** As `Passwords` makes it. */
  password: string
  trialCredits: number
  /** The code of the referral link that they came by. */
  referral?: string | undefined
}

/** Makes a person with an account and its trial. @returns their id, or undefined where the address is taken. */
export async function insertUser(database: Database, user: NewUser): Promise<string | undefined> {
  const { email, name, password, trialCredits, referral = null } = user
  const [row] = await database.use(({ db }) =>
    db.execute<{ id: string | null }>(sql`
      select user_sign_up(${email}, ${name}, ${password}, ${trialCredits}::integer,
                          make_interval(days => ${TRIAL_DAYS}::integer), ${referral}) as id`),
  )
  return row?.id ?? undefined
}

export async function findUser(database: Database, email: string) {
  const [row] = await database.use(({ db }) =>
    db.select().from(users).where(eq(users.email, email)),
  )
  return row
}

/** The account that somebody owns. */
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

export async function listUsers(database: Database): Promise<User[]> {
  const rows = await database.use(({ db }) =>
    db.select().from(users).orderBy(asc(users.createdAt), asc(users.id)),
  )
  return rows.map(({ id, email, name, emailVerifiedAt, createdAt }) => ({
    id,
    email,
    name,
    emailVerifiedAt: emailVerifiedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }))
}

/** Ends all sessions. @param password as `Passwords` makes it. */
export async function setPassword(
  database: Database,
  userId: string,
  password: string,
): Promise<void> {
  await database.use(({ db }) => db.execute(sql`select user_set_password(${userId}, ${password})`))
}

/** @returns false where another person has the address. */
export async function setEmail(
  database: Database,
  userId: string,
  email: string,
  verified: boolean,
): Promise<boolean> {
  const [row] = await database.use(({ db }) =>
    db.execute<{ done: boolean }>(
      sql`select user_set_email(${userId}, ${email}, ${verified}::boolean) as done`,
    ),
  )
  return row?.done === true
}

export async function setName(database: Database, userId: string, name: string): Promise<void> {
  await database.use(({ db }) =>
    db.execute(sql`
      with named as (update users set name = ${name} where id = ${userId})
      update accounts a set name = ${name} from members m
       where m.user_id = ${userId} and m.role = 'owner' and a.id = m.account_id`),
  )
}
