/** Notes of operators about an account. */
import { desc, eq } from 'drizzle-orm'
import type { Database } from '../../database/client.ts'
import { accountNotes } from '../../database/tables/operators.ts'
import { FieldError, validText } from '../../people/users/validation.ts'

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
