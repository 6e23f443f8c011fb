/** Second factors in the database. Who may do what is decided in `second-factor.ts` and `sign-in.ts`. */
import type { Database } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import type { TypedCode } from './second-factor-codes.ts'
import { stepOf } from './second-factor-codes.ts'
import { SESSION_LASTS_SECONDS } from './sessions.ts'
import { hashToken } from './tokens.ts'

/** How long somebody whose password was right has for their code. */
export const PENDING_SECONDS = 600

/** A second factor that is on. */
export interface SecondFactor {
  /** ISO 8601. */
  onSince: string
  recoveryCodesLeft: number
}

/** @returns undefined where the user has none. */
export async function secondFactorOf(
  database: Database,
  userId: string,
): Promise<SecondFactor | undefined> {
  const [row] = await database.use(
    ({ sql }) => sql<SecondFactor[]>`
      select on_since as "onSince",
             (select count(*)::integer from recovery_codes r where r.user_id = f.user_id) as "recoveryCodesLeft"
        from second_factors f where user_id = ${userId} and on_since is not null`,
  )
  return row
}

/** True if the user signs in with a second factor. Each of their sessions has shown it, or has just turned it on. */
export async function hasSecondFactor(database: Database, userId: string): Promise<boolean> {
  return (await secondFactorOf(database, userId)) !== undefined
}

/** A secret, and the database's time in ISO 8601. */
interface Secret {
  secret: string
  foundAt: string
}

/** The secret that this session began to turn on; undefined where it began none within the hour. */
export async function pendingSecret(
  database: Database,
  { id, user }: { id: string; user: { id: string } },
): Promise<Secret | undefined> {
  const [row] = await database.use(
    ({ sql }) => sql<Secret[]>`
      select secret, meter_now() as "foundAt" from second_factors
       where user_id = ${user.id} and session_id = ${id} and on_since is null
         and begun_at > meter_now() - interval '1 hour'`,
  )
  return row
}

/**
 * Begins to turn on a secret in a session, whose token is this one from then on.
 * @param user whose password was just verified against the hash `password`
 * @returns `on` where a second factor is on; null where the session has ended or the password has changed
 */
export function beginSecret(
  database: Database,
  user: { id: string; password: string },
  session: string,
  secret: string,
  token: string,
) {
  return database.use(({ sql }) =>
    scalar<'begun' | 'on'>(sql`
      select second_factor_begin(${user.id}, ${session}, ${user.password}, ${secret}, ${hashToken(token)})`),
  )
}

interface FactorSetup {
  userId: string
  /** The session that began it, and its token's hash, which stays. */
  session: string
  sessionHash: string
  secret: string
  /** The time step of the first code. */
  step: number
  /** Hashes of recovery codes. */
  recovery: readonly string[]
}

/** Turns on what a session began, and ends the user's other sessions. @returns false where something was changed since. */
export function turnOn(database: Database, setup: FactorSetup): Promise<boolean> {
  const { userId, session, sessionHash, secret, step, recovery } = setup
  return database.use(({ sql }) =>
    isTrue(sql`
      select second_factor_turn_on(${userId}, ${session}, ${secret}, ${step}::integer,
                                   ${textArray(recovery)}::text[], ${sessionHash},
                                   make_interval(secs => ${SESSION_LASTS_SECONDS}::integer))`),
  )
}

/** Arguments of the functions in `drizzle/functions/people/second-factors.sql`: one of both is set. */
export interface CodeMatch {
  step: number | null
  recovery: string | null
}

/** @returns undefined where the code is none of this user's app now */
export async function matchCode(
  database: Database,
  userId: string,
  code: TypedCode,
): Promise<CodeMatch | undefined> {
  if ('recovery' in code) return { step: null, recovery: code.recovery }
  const [row] = await database.use(
    ({ sql }) => sql<Secret[]>`
      select secret, meter_now() as "foundAt" from second_factors
       where user_id = ${userId} and on_since is not null`,
  )
  const step = row && (await stepOf(row.secret, code.digits, Date.parse(row.foundAt)))
  return step === undefined ? undefined : { step, recovery: null }
}

/** Uses a code up. @returns false where it was used before, or is none. */
export function takeCode(database: Database, userId: string, { step, recovery }: CodeMatch) {
  return database.use(({ sql }) =>
    isTrue(sql`select second_factor_take(${userId}, ${step}::integer, ${recovery})`),
  )
}

/** @returns false where the code is not taken. */
export function turnOff(database: Database, userId: string, { step, recovery }: CodeMatch) {
  return database.use(({ sql }) =>
    isTrue(sql`select second_factor_turn_off(${userId}, ${step}::integer, ${recovery})`),
  )
}

/** Replaces the recovery codes. @returns false where the code is not taken. */
export function renewRecoveryCodes(
  database: Database,
  userId: string,
  { step, recovery }: CodeMatch,
  hashes: readonly string[],
) {
  return database.use(({ sql }) =>
    isTrue(sql`
      select recovery_codes_renew(${userId}, ${step}::integer, ${recovery}, ${textArray(hashes)}::text[])`),
  )
}

/**
 * Begins a sign-in for a user whose password was just verified against the hash `password`.
 * @param token of a session, or of a sign-in that waits for a code, as the answer says
 * @returns null where the user's password has changed since.
 */
export function beginSignIn(database: Database, userId: string, password: string, token: string) {
  return database.use(({ sql }) =>
    scalar<'session' | 'code'>(sql`
      select sign_in_begin(${userId}, ${password}, ${hashToken(token)},
                           make_interval(secs => ${SESSION_LASTS_SECONDS}::integer),
                           make_interval(secs => ${PENDING_SECONDS}::integer))`),
  )
}

/** Who waits for a code by this token, with the hash of their password; undefined where it is over. */
export async function pendingUser(database: Database, token: string) {
  const [user] = await database.use(
    ({ sql }) => sql<{ id: string; email: string; password: string; foundAt: string }[]>`
      select u.id, u.email, u.password, meter_now() as "foundAt"
        from pending_sign_ins p join users u on u.id = p.user_id
       where p.hash = ${hashToken(token)} and p.ends_at > meter_now()`,
  )
  return user
}

/** Ends a pending sign-in with a session, whose token this is. @returns false where it is over, or the code is not taken. */
export function finishSignIn(
  database: Database,
  pending: string,
  { step, recovery }: CodeMatch,
  token: string,
) {
  return database.use(({ sql }) =>
    isTrue(sql`
      select sign_in_finish(${hashToken(pending)}, ${step}::integer, ${recovery}, ${hashToken(token)},
                            make_interval(secs => ${SESSION_LASTS_SECONDS}::integer))`),
  )
}
