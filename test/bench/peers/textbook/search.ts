/** Search by trigrams: the records that have every word; where there are none at all, those that look alike. */
import type pg from 'pg'
import { type Row, SELECT_PROJECT, selectPersonItems } from './records.ts'
import { query, Where } from './statements.ts'

/** Companies of the directory of projects. */
export const PROJECTS = `c.company_type in ('project', 'institution')`

/** Adds the condition by which records of a table match. */
type Match = (where: Where, table: 'c' | 'p', text: string) => Where

export async function search(pool: pg.Pool, account: string, q: string, limit: number) {
  const text = q.toLowerCase()
  const groups = async (match: Match) => {
    const [projects, people] = await Promise.all([
      best(pool, 'c', match(new Where().add(PROJECTS), 'c', text), text, limit, selectProjects),
      best(pool, 'p', match(new Where(account), 'p', text), text, limit, selectPersonItems),
    ])
    return { q, limit, projects, people }
  }
  const exact = await groups(hasWords)
  return exact.projects.length + exact.people.length > 0 ? exact : groups(looksAlike)
}

const selectProjects = (page: string) => `${SELECT_PROJECT} ${page}`

function best(
  pool: pg.Pool,
  table: 'c' | 'p',
  { text: conditions, values }: Where,
  text: string,
  limit: number,
  select: (page: string, order: string) => string,
): Promise<Row[]> {
  const n = values.length
  const order = `similarity(${table}.search, $${n + 1}) desc, ${table}.id`
  const page = `${conditions} order by ${order} limit $${n + 2}`
  return query<Row>(pool, select(page, order), [...values, text, limit])
}

/** Every word must be there. @param text in lower case */
export const hasWords: Match = (where, table, text) => {
  for (const word of text.split(/\s+/).filter(Boolean)) {
    where.add(`${table}.search like ?`, `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  }
  return where
}

const looksAlike: Match = (where, table, text) => where.add(`? <% ${table}.search`, text)
