/** Pages of lists, by offset. */
import type pg from 'pg'
import { countChannels, countOf, countRoles, type Facet, Kept } from './counts.ts'
import { BY_PERSON_NAME, type Row, SELECT_PROJECT, selectPersonItems } from './records.ts'
import { hasWords, PROJECTS } from './search.ts'
import { query, Where } from './statements.ts'

export interface ListQuery {
  q: string | undefined
  sort: 'recent' | 'name'
  page: number
  limit: number
}

export interface PeopleQuery extends ListQuery {
  contactType: string | undefined
  roles: readonly string[]
  channels: readonly string[]
}

export interface ProjectsQuery extends ListQuery {
  sector: readonly string[]
  token: 'launched' | 'pre' | undefined
}

const PEOPLE_BY = { recent: 'p.created_at desc, p.id', name: BY_PERSON_NAME }
const PROJECTS_BY = { recent: 'c.created_at desc, c.id', name: 'lower(c.name), c.id' }

interface PeopleCounts {
  total: number
  facets: { roles: Facet[]; channels: Facet[] }
}
const peopleCounts = new Kept<PeopleCounts>()
const projectCounts = new Kept<number>()

export async function listPeople(pool: pg.Pool, account: string, asked: PeopleQuery) {
  const { q, contactType, roles, channels } = asked
  const [data, { total, facets }] = await Promise.all([
    pageOf(pool, peopleWhere(asked, account), PEOPLE_BY[asked.sort], asked, selectPersonItems),
    peopleCounts.get(JSON.stringify([q, contactType, roles, channels]), () =>
      countPeople(pool, asked),
    ),
  ])
  return { ...envelope(data, total, asked), facets }
}

export async function listProjects(pool: pg.Pool, asked: ProjectsQuery) {
  const { q, sector, token } = asked
  const where = projectsWhere(asked)
  const [data, total] = await Promise.all([
    pageOf(pool, where, PROJECTS_BY[asked.sort], asked, (page) => `${SELECT_PROJECT} ${page}`),
    projectCounts.get(JSON.stringify([q, sector, token]), () =>
      countOf(pool, 'companies c', where),
    ),
  ])
  return envelope(data, total, asked)
}

function envelope(data: Row[], total: number, { page, limit }: ListQuery) {
  return { data, total, page, limit, totalPages: Math.ceil(total / limit) }
}

/** @param select makes a statement of the conditions, order, limit and offset of a page */
function pageOf(
  pool: pg.Pool,
  { text, values }: Where,
  order: string,
  { page, limit }: ListQuery,
  select: (page: string, order: string) => string,
): Promise<Row[]> {
  const n = values.length
  const cut = `${text} order by ${order} limit $${n + 1} offset $${n + 2}`
  return query<Row>(pool, select(cut, order), [...values, limit, (page - 1) * limit])
}

/** @param first what the statement calls `$1` */
function peopleWhere({ q, contactType, roles, channels }: PeopleQuery, ...first: string[]): Where {
  const where = new Where(...first)
  if (contactType) where.add('p.contact_type = ?', contactType)
  if (roles.length > 0) where.add('p.roles && ?', roles)
  if (channels.length > 0) where.add(`(${channels.map((one) => `p.has_${one}`).join(' or ')})`)
  return q ? hasWords(where, 'p', q.toLowerCase()) : where
}

function projectsWhere({ q, sector, token }: ProjectsQuery): Where {
  const where = new Where().add(PROJECTS)
  if (sector.length > 0) where.add('c.sectors && ?', sector)
  if (token) where.add('c.token_launched = ?', token === 'launched')
  return q ? hasWords(where, 'c', q.toLowerCase()) : where
}

/** Each facet counts what the other filters leave. */
async function countPeople(pool: pg.Pool, asked: PeopleQuery): Promise<PeopleCounts> {
  const [total, roles, channels] = await Promise.all([
    countOf(pool, 'people p', peopleWhere(asked)),
    countRoles(pool, peopleWhere({ ...asked, roles: [] })),
    countChannels(pool, peopleWhere({ ...asked, channels: [] })),
  ])
  return { total, facets: { roles, channels } }
}
