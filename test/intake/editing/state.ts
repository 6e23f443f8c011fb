/** All that single changes may touch, as text that can be compared. */
import type { Sql } from 'postgres'

const TABLES = {
  companies: 'id',
  people: 'id',
  private_channels: 'person_id',
  funding_rounds: 'id',
  round_investors: 'id',
  redirects: 'id',
  unlocks: 'account_id, person_id',
}

/** Every row of these tables, down to the times of its last change. */
export async function stateOf(sql: Sql): Promise<Record<string, string[]>> {
  const tables = Object.entries(TABLES).map(async ([table, order]) => {
    const rows = await sql.unsafe<{ row: string }[]>(
      `select to_jsonb(t)::text as row from ${table} t order by ${order}`,
    )
    return [table, rows.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}
