/** Short answers of statements: a single value, or whether a row was changed. */
import type postgres from 'postgres'

/** A part of a statement, or a statement that is not sent yet. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** @returns the first column of the first row, `T` as the driver gives it; null where there is none. */
export async function scalar<T>(query: Fragment): Promise<T | null> {
  const [row] = await query.values()
  const value: T | null | undefined = row?.[0]
  return value ?? null
}

/** @returns whether that value is true. */
export async function isTrue(query: Fragment): Promise<boolean> {
  return (await scalar<boolean>(query)) === true
}

/** @returns whether the statement found, changed or deleted a row. */
export async function hitsRow(query: PromiseLike<{ count: number }>): Promise<boolean> {
  return (await query).count > 0
}
