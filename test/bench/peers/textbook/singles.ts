/** Single reads: one company with its team and rounds, one person with coworkers. */
import type pg from 'pg'
import {
  BY_PERSON_NAME,
  type Row,
  SELECT_PERSON_DETAIL,
  SELECT_PERSON_MEMBER,
  SELECT_PROJECT,
  SELECT_ROUNDS,
} from './records.ts'
import { query } from './statements.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const columnOf = (idOrSlug: string) => (UUID.test(idOrSlug) ? 'id' : 'slug')

/** @returns null where there is no such company. */
export async function readProject(pool: pg.Pool, account: string, idOrSlug: string) {
  const found = `${SELECT_PROJECT} where c.${columnOf(idOrSlug)} = $1`
  const [project] = await query<Row>(pool, found, [idOrSlug])
  if (!project) return null
  const members = `${SELECT_PERSON_MEMBER} where p.company_id = $2 order by ${BY_PERSON_NAME}`
  const [team, fundingRounds] = await Promise.all([
    query<Row>(pool, members, [account, project.id]),
    query<Row>(pool, SELECT_ROUNDS, [project.id]),
  ])
  return { project: { ...project, fundingRounds }, team }
}

/** @returns null where there is no such person. */
export async function readPerson(pool: pg.Pool, account: string, idOrSlug: string) {
  const found = `${SELECT_PERSON_DETAIL} where p.${columnOf(idOrSlug)} = $2`
  const [person] = await query<Row>(pool, found, [account, idOrSlug])
  if (!person) return null
  const others = `
    ${SELECT_PERSON_MEMBER} where p.company_id = $2 and p.id <> $3 order by ${BY_PERSON_NAME} limit 100`
  const coworkers = person.companyId
    ? await query<Row>(pool, others, [account, person.companyId, person.id])
    : []
  return { data: { person, coworkers } }
}
