/** A directory with more people than an import would bring in while one waits: PostgreSQL makes them, of the names of an invented 20,000. */
import postgres from 'postgres'
import { FUNCTION_REVISION } from '../../src/database/migrations.ts'
import { type BenchDatabase, createDatabase, hasDatabase } from './bench-database.ts'

/** Those that an import brings in first; the others are made of them. */
export const FIRST_PEOPLE = 20_000
/** So many are committed at a time. */
const STEP = 250_000

/** Notes of whom people are made, so that all sizes are made of the same. */
export async function noteFirstPeople({ sql }: BenchDatabase): Promise<void> {
  await sql`
    create table first_people as
    select row_number() over (order by id) - 1 as place, * from people order by id limit ${FIRST_PEOPLE}`
  await sql`create unique index on first_people (place)`
  // Imports alone need it, and it would double the time.
  await sql`drop index people_name`
}

/**
 * Makes a database of so many people of one with fewer, unless the server has it already. What was begun and not ended is gone on with.
 * @returns its name
 */
export async function grow(
  { server }: BenchDatabase,
  from: string,
  people: number,
): Promise<string> {
  const name = `people_${people}_${FUNCTION_REVISION.hash}`
  if (await hasDatabase(server, name)) return name
  const partial = `${name}_new`
  if (!(await hasDatabase(server, partial))) await createDatabase(server, partial, from)
  const sql = postgres(server.url(partial), { max: 1, onnotice: () => {} })
  // No change log, no checks of references; and the checkpoint writes it all.
  await sql`set session_replication_role = replica`
  await sql`set synchronous_commit = off`
  for (let there = await count(sql); there < people; there = await count(sql))
    await add(sql, there, Math.min(people, there + STEP))
  await sql`vacuum analyze`
  await sql`checkpoint`
  await sql.end()
  const admin = postgres(server.url('postgres'), { max: 1 })
  await admin.unsafe(`alter database ${partial} rename to ${name}`)
  await admin.end()
  return name
}

async function count(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ people: number }[]>`select count(*)::integer as people from people`
  return row?.people ?? 0
}

/** Adds people whose first name is of one and whose last name of another of the first, and who work where a third does. */
async function add(sql: postgres.Sql, there: number, to: number): Promise<void> {
  await sql`
    insert into people (id, first_name, last_name, job_title, twitter_handle, is_creator, creator_follower_count, company_id,
                        contact_type, roles, has_email, has_phone, has_telegram, has_linkedin, created_at)
    select gen_random_uuid(), f.first_name, l.last_name, w.job_title, lower(f.first_name) || n, w.is_creator,
           w.creator_follower_count, w.company_id, w.contact_type, w.roles, w.has_email, w.has_phone, w.has_telegram,
           w.has_linkedin, w.created_at + n * interval '1 second'
      from generate_series(${there + 1}::bigint, ${to}::bigint) n
      join first_people f on f.place = n % ${FIRST_PEOPLE}::integer
      join first_people l on l.place = (n * 7919 + n / ${FIRST_PEOPLE}::integer) % ${FIRST_PEOPLE}::integer
      join first_people w on w.place = (n * 104729 + n / ${FIRST_PEOPLE}::integer) % ${FIRST_PEOPLE}::integer`
}
