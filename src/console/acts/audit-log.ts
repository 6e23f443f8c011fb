/** The audit log as operators read it. */
import { and, arrayContains, desc, eq, getTableColumns, lt, or, type SQL, sql } from 'drizzle-orm'
import { BETWEEN_NAMES } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { accounts } from '../../database/tables/accounts.ts'
import { auditLog } from '../../database/tables/operators.ts'

/** A line: who did what, when, from where, to whom, and what was before and after. Times are ISO 8601 in UTC. */
export type AuditLine = Omit<typeof auditLog.$inferSelect, 'before' | 'after'> & {
  before: unknown
  after: unknown
  /** Present name of the account. */
  accountName: string | null
}

export interface AuditQuery {
  /** Id of an account. */
  account?: string | undefined
  /** Id of a key, payment, user or record. */
  subject?: string | undefined
  /** By whoever has this e-mail address, or is called so. */
  who?: string | undefined
  /** Name of an act: `credits.grant`. */
  act?: string | undefined
  /** Older than this line. */
  before?: number | undefined
  limit: number
}

/** The newest lines that fit, the newest first. */
export async function readAuditLog(database: Database, query: AuditQuery): Promise<AuditLine[]> {
  const { accountId, subjects, who, act, sequence } = auditLog
  const wanted: (SQL | undefined)[] = [
    query.account ? eq(accountId, query.account) : undefined,
    query.subject
      ? or(arrayContains(subjects, [query.subject]), eq(accountId, query.subject))
      : undefined,
    query.who
      ? or(
          eq(who, query.who),
          sql`${query.who} = any (regexp_split_to_array(rtrim(${who}, ')'), ${BETWEEN_NAMES}))`,
        )
      : undefined,
    query.act ? eq(act, query.act) : undefined,
    query.before ? lt(sequence, query.before) : undefined,
  ]
  return database.use(({ db }) =>
    db
      .select({ ...getTableColumns(auditLog), accountName: accounts.name })
      .from(auditLog)
      .leftJoin(accounts, eq(accounts.id, accountId))
      .where(and(...wanted))
      .orderBy(desc(sequence))
      .limit(query.limit),
  )
}

/** One figure of what an act was done to. */
export interface AuditChange {
  field: string
  before: unknown
  after: unknown
}

/** Differences between the states before and after an act. */
export function changesOf({ before, after }: Pick<AuditLine, 'before' | 'after'>): AuditChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((field) => ({ field, before: old[field], after: now[field] }))
    .filter((change) => (change.before ?? null) !== (change.after ?? null))
}

const fieldsOf = (state: unknown): Record<string, unknown> =>
  state && typeof state === 'object' ? { ...state } : {}
