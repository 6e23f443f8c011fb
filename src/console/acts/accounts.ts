/** Acts on an account: its making, its tier, its credits and plan, its keys. Each names what the database says where there is none. */

import { desc, eq } from 'drizzle-orm'
import type { Scope } from '../../contract/endpoints.ts'
import type { GrantSource, PlanName } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { accountNotes } from '../../database/tables/operators.ts'
import {
  type AccountChanges,
  createAccountCall,
  type NewAccount,
  setAccountCall,
} from '../../money/accounts/accounts.ts'
import { generateApiKey } from '../../money/accounts/api-key.ts'
import {
  type Expiry,
  grantCall,
  startPlanCall,
  stopPlanCall,
} from '../../money/accounts/credits.ts'
import type { KeyLimits } from '../../money/accounts/key-limits.ts'
import { createKeyCall, keyEnd, revokeCall } from '../../money/accounts/keys.ts'
import type { CollectionEnd, PaymentGateway } from '../../money/payments/gateway.ts'
import { FieldError, validText } from '../../people/users/validation.ts'
import type { Act, Perform } from './perform.ts'

const account = (id: string) => ({ kind: 'account', id }) as const
const isDone = () => true

/** Makes an account. @param credits a top-up to begin with. @returns its id and balance */
export function createAccount(
  made: NewAccount,
  credits?: number,
): Act<{ id: string; balance: number }> {
  const id = crypto.randomUUID()
  return {
    name: 'account.create',
    to: account(id),
    call: (sql) => createAccountCall(sql, id, made, credits),
    result: (balance) => ({ id, balance: Number(balance) }),
  }
}

/** Sets an account's tier, name or organization. */
export const setAccount = (id: string, changes: AccountChanges): Act<boolean> => ({
  name: 'account.set',
  to: account(id),
  call: (sql) => setAccountCall(sql, id, changes),
  result: isDone,
})

/** Characters of the reason for which an account is suspended, on one line. */
export const MAX_REASON = 500

/**
 * Suspends an account: every call of it is refused from then on, on every instance. Of one that is suspended the reason changes.
 * @param reason its members read it
 */
export const suspendAccount = (id: string, reason: string): Act<boolean> => ({
  name: 'account.suspend',
  to: account(id),
  call: (sql) => sql`account_suspend(${id}, ${reason})`,
  result: isDone,
})

/** Lets a suspended account go on. Nothing is done where it is not suspended. */
export const resumeAccount = (id: string): Act<boolean> => ({
  name: 'account.resume',
  to: account(id),
  call: (sql) => sql`account_resume(${id})`,
  result: isDone,
})

/** Writes a note about an account, which operators alone see. @returns its number */
export const noteAccount = (id: string, text: string): Act<number> => ({
  name: 'account.note',
  to: account(id),
  call: (sql) => sql`account_note(${id}, actor->>'who', ${text})`,
  result: Number,
})

/** Gives credits. @returns the balance after */
export const grantCredits = (
  id: string,
  amount: number,
  source: GrantSource,
  expiry?: Expiry,
): Act<number> => ({
  name: 'credits.grant',
  to: account(id),
  call: (sql) => grantCall(sql, id, amount, source, expiry),
  result: Number,
})

/** Takes what is left of a grant. @param most no more than so many credits. @returns how many were taken */
export const takeBackCredits = (id: string, grant: string, most?: number): Act<number> => ({
  name: 'credits.take-back',
  to: account(id),
  call: (sql) => sql`meter_take_back(${id}, ${grant}, ${most ?? null}::integer)`,
  result: Number,
})

/** Starts a plan now. @param renews whether another period follows */
export const startPlan = (id: string, plan: PlanName, renews: boolean): Act<boolean> => ({
  name: 'plan.start',
  to: account(id),
  call: (sql) => startPlanCall(sql, id, plan, renews),
  result: isDone,
})

/** Ends the account's plan. @param atEnd with its period; else now, with what is left of its credits */
export const stopPlan = (id: string, atEnd: boolean): Act<boolean> => ({
  name: 'plan.stop',
  to: account(id),
  call: (sql) => stopPlanCall(sql, id, atEnd),
  result: isDone,
})

/** Makes a key of an account that exists. @returns the key, which is shown this once, and its end */
export function createKey(
  accountId: string,
  label: string,
  scopes: readonly Scope[],
  limits: KeyLimits = {},
): Act<{ id: string; key: string; prefix: string; expiresAt: string | null }> {
  const { key, hash, prefix } = generateApiKey()
  const id = crypto.randomUUID()
  return {
    name: 'key.create',
    to: { kind: 'key', id },
    call: (sql) => createKeyCall(sql, { id, accountId, label, scopes, limits, hash, prefix }),
    result: (end) => ({ id, key, prefix, expiresAt: keyEnd(String(end)) }),
  }
}

/** Ends a key now. */
export const revokeKey = (id: string): Act<boolean> => ({
  name: 'key.revoke',
  to: { kind: 'key', id },
  call: (sql) => revokeCall(sql, id),
  result: isDone,
})

/** Characters of a note. */
export const MAX_NOTE = 2_000

/** A note as it is kept. @throws FieldError */
export function validNote(text: string): string {
  const note = validText('text', text, MAX_NOTE)
  if (note === '') throw new FieldError('text', 'Please fill this in.')
  return note
}

/** `who` is as in the audit log; `at` is ISO 8601 in UTC. */
export type AccountNote = Pick<typeof accountNotes.$inferSelect, 'sequence' | 'at' | 'who' | 'text'>

/** The newest notes about an account, the newest first. @param limit at most so many; all where it is absent */
export async function notesOf(
  database: Database,
  account: string,
  limit?: number,
): Promise<AccountNote[]> {
  const { accountId, sequence, at, who, text } = accountNotes
  return database.use(({ db }) => {
    const notes = db
      .select({ sequence, at, who, text })
      .from(accountNotes)
      .where(eq(accountId, account))
      .orderBy(desc(sequence))
    return limit === undefined ? notes : notes.limit(limit)
  })
}

/** How many notes there are about an account. */
export function countNotes(database: Database, account: string): Promise<number> {
  return database.use(({ db }) => db.$count(accountNotes, eq(accountNotes.accountId, account)))
}

interface PlanEnd extends CollectionEnd {
  /** False if Stripe did not confirm that it stops collecting: the plan goes on here, and the call may be repeated. */
  isStopped: boolean
}

/**
 * Ends an account's plan, now or with its period. Stripe is asked first, so that an account that still pays keeps its plan whatever breaks.
 * Where `PAYMENTS` is no longer stripe, Stripe is not asked and the plan ends here.
 * @returns undefined where the account has neither a plan nor a subscription
 */
export async function endPlan(
  gateway: PaymentGateway,
  perform: Perform,
  account: string,
  atEnd: boolean,
): Promise<PlanEnd | undefined> {
  const collection = await gateway.endCollection(account, atEnd ? 'with its period' : 'now')
  if (collection.left?.isAsked) return { ...collection, isStopped: false }
  const isStopped = (await perform(stopPlan(account, atEnd))) !== undefined
  const isNothing = !isStopped && collection.ended.length === 0
  return isNothing ? undefined : { ...collection, isStopped }
}

/** Notice about subscriptions that may go on; null if there is none. */
export function leftText({ left, isStopped }: PlanEnd): string | null {
  if (!left) return null
  const names = left.subscriptions.join(', ')
  return isStopped
    ? `The plan ends here, but Stripe may collect on: ${left.reason}. End there: ${names}.`
    : `Nothing was changed here, because Stripe did not say that it ends ${names}: ${left.reason}. Ask again: it ends what is left.`
}
