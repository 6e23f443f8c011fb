/** Totals and facets, counted once a minute for each filter: a count reads every match, however short the page. */
import type pg from 'pg'
import { query, type Where } from './statements.ts'

const KEPT_MS = 60_000
const KEPT_MAX = 10_000

/** What `make` made for a key, for a minute; calls that come meanwhile wait for the same one. */
export class Kept<T> {
  readonly #kept = new Map<string, { until: number; value: Promise<T> }>()

  get(key: string, make: () => Promise<T>): Promise<T> {
    const found = this.#kept.get(key)
    if (found && found.until > Date.now()) return found.value
    const value = make()
    value.catch(() => this.#kept.delete(key))
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    this.#kept.set(key, { until: Date.now() + KEPT_MS, value })
    return value
  }
}

export interface Facet {
  value: string
  count: number
}

export async function countOf(
  pool: pg.Pool,
  table: 'people p' | 'companies c',
  { text, values }: Where,
): Promise<number> {
  const statement = `select count(*)::integer as count from ${table} ${text}`
  const [row] = await query<{ count: number }>(pool, statement, values)
  return row?.count ?? 0
}

const MOST_FIRST = 'group by 1 order by 2 desc, 1'

export function countRoles(pool: pg.Pool, { text, values }: Where): Promise<Facet[]> {
  const statement = `
    select unnest(p.roles) as value, count(*)::integer as count from people p ${text} ${MOST_FIRST}`
  return query<Facet>(pool, statement, values)
}

export function countChannels(pool: pg.Pool, where: Where): Promise<Facet[]> {
  const statement = `
    select channel as value, count(*)::integer as count
      from people p
     cross join lateral unnest(
             array['email', 'phone', 'telegram', 'linkedin'],
             array[p.has_email, p.has_phone, p.has_telegram, p.has_linkedin]) as on_file(channel, has)
     ${where.add('has').text} ${MOST_FIRST}`
  return query<Facet>(pool, statement, where.values)
}
