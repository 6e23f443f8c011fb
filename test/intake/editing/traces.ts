/** People of whom every trace can be found, and where traces are. */
import { randomUUID } from 'node:crypto'
import type { Sql } from 'postgres'

let made = 0
/** Somebody of whom every field holds a word that stands nowhere else. */
export function somebody() {
  const mark = `trace${++made}x`
  return {
    mark,
    row: {
      id: randomUUID(),
      externalId: `ext-${mark}`,
      slug: `slug-${mark}`,
      firstName: `First${mark}`,
      lastName: `Last${mark}`,
      jobTitle: `Chief ${mark}`,
      twitterHandle: `x${mark}`,
      avatarUrl: `https://people.example/${mark}.png`,
      email: `mail.${mark}@people.example`,
      phone: `+1 555 ${1_000_000 + made}`,
      telegram: `tg_${mark}`,
      linkedinUrl: `https://www.linkedin.com/in/li-${mark}`,
    },
  }
}

/** Every table of the schema with a row that has one of these texts. */
export async function tablesHolding(sql: Sql, ...texts: string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await sql.unsafe(
      `select 1 from ${name} t where exists (select from unnest($1::text[]) x where t::text ilike '%' || x || '%') limit 1`,
      [texts],
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Message with which work is refused. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'not refused',
    (error: Error) => error.message,
  )
}

/** Waits until somebody waits for a lock of this type. */
export async function untilWaitingFor(sql: Sql, type: string) {
  for (;;) {
    const [row] =
      await sql`select exists (select from pg_locks where locktype = ${type} and not granted) as waits`
    if (row?.waits) return
  }
}
