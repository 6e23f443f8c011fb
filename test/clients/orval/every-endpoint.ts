/**
 * A client made from the OpenAPI document alone: `orval` wrote `api.ts`, which calls, and `zod.ts`, by which parameters and
 * answers are checked here. Arguments and output are those of `openapi-fetch/every-endpoint.ts`.
 */
import { deepEqual, equal } from 'node:assert/strict'
import type { ZodType } from 'zod'
import * as api from './api.ts'
import * as schemas from './zod.ts'

const [, key = '', free = '', broke = '', ...records] = process.argv.slice(2)
const [person = '', project = '', fund = '', service = ''] = records
const asked = new Set<string>()
const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
const mine = as(key)

/** Live data, as the schema reads it: a sample has `sample` and is another type. */
function live<T>(
  path: string,
  { status, data }: { status: number; data: unknown },
  schema: ZodType<T>,
) {
  asked.add(path)
  equal(status, 200)
  const read = schema.parse(data)
  if (typeof read !== 'object' || !read || 'sample' in read) throw new Error('no live data')
  return read as Exclude<T, { sample: true }>
}

const me = live('/v1/me', await api.getAccount(mine), schemas.GetAccountResponse)
equal(me.tier, 'pro')

const params = schemas.ListPeopleQueryParams.parse({
  roles: ['founder', 'executive'],
  channels: ['email'],
})
const people = live('/v1/people', await api.listPeople(params, mine), schemas.ListPeopleResponse)
deepEqual(
  people.data.map(({ slug, email }) => [slug, email]),
  [[person, null]],
)

const { id } = schemas.GetPersonParams.parse({ id: person })
const include = schemas.GetPersonQueryParams.parse({ include: ['private'] })
const read = live(
  '/v1/people/{id}',
  await api.getPerson(id, include, mine),
  schemas.GetPersonResponse,
)
equal(typeof read.data.person.email, 'string')
equal(read.meta.creditsCharged, 10)
// By default nothing is included.
const defaults = schemas.GetPersonQueryParams.parse({})
equal(api.getGetPersonUrl(id, defaults).includes('?'), false)

const projects = await api.listProjects({ sector: ['Lending', 'Wallet'] }, mine)
equal(live('/v1/projects', projects, schemas.ListProjectsResponse).total, 2)
const one = await api.getProject(project, mine)
equal(live('/v1/projects/{id}', one, schemas.GetProjectResponse).project.slug, project)
const investors = await api.listInvestors({ sort: 'roi' }, mine)
equal(typeof live('/v1/investors', investors, schemas.ListInvestorsResponse).total, 'number')
const investor = await api.getInvestor(fund, mine)
equal(live('/v1/investors/{slug}', investor, schemas.GetInvestorResponse).portfolio.length, 2)
const services = await api.listServices({}, mine)
equal(typeof live('/v1/services', services, schemas.ListServicesResponse).total, 'number')
const provider = await api.getService(service, mine)
equal(live('/v1/services/{slug}', provider, schemas.GetServiceResponse).service.slug, service)
const q = schemas.SearchQueryParams.parse({ q: project })
const matches = live('/v1/search', await api.search(q, mine), schemas.SearchResponse)
equal(matches.projects[0]?.slug, project)

const missing = await api.getInvestor(project, mine)
deepEqual([missing.status, missing.status === 404 && missing.data.error.code], [404, 'not_found'])
const unpaid = await api.listPeople({}, as(broke))
deepEqual([unpaid.status, unpaid.status === 402 && unpaid.data.error.charged], [402, 0])
const sample = schemas.ListProjectsResponse.parse((await api.listProjects({}, as(free))).data)
equal('sample' in sample && sample.notice.startsWith('NOT REAL DATA'), true)

console.log(JSON.stringify([...asked].sort()))
