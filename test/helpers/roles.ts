/** Roles of a test's database. */
import type postgres from 'postgres'

/** Gives a role these rights on a database. @returns the database's URL for the role */
export async function roleOn(
  { sql, url }: { sql: postgres.Sql; url: string },
  role: string,
  grants: string,
): Promise<string> {
  await sql.unsafe(
    `do $$ begin create role ${role} login password 'role'; exception when duplicate_object or unique_violation then null; end $$`,
  )
  await sql.unsafe(grants)
  return url.replace(/\/\/[^@]*@/, `//${role}:role@`)
}
