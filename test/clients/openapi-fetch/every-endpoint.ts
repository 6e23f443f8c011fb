/**
 * A client made from the OpenAPI document alone: `openapi-typescript` wrote `schema.d.ts`, `openapi-fetch`
 * calls. `main.ts` copies this beside the schema, compiles both and runs it with the API's address, the keys of
 * a paid account, of a free one without credits and of a paid one without, and the names of records as arguments. It throws where an answer is not what its types say.
 */
import { deepEqual, equal } from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

const [baseUrl = '', key = '', free = '', broke = '', ...records] = process.argv.slice(2)
const [person = '', project = '', fund = '', service = ''] = records
const asked = new Set<keyof paths>()
const clientOf = (token: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
const api = clientOf(key)
api.use({
  onRequest: ({ schemaPath }) => {
    asked.add(schemaPath as keyof paths)
  },
})

/** Live data: a sample has `sample` and is another type. */
function live<T extends object>({ data, error }: { data?: T; error?: unknown }) {
  equal(error, undefined)
  if (!data || 'sample' in data) throw new Error('no live data')
  return data as Exclude<T, { sample: true }>
}

const me = live(await api.GET('/v1/me'))
const tier: components['schemas']['Account']['tier'] = me.tier
equal(tier, 'pro')

const people = live(
  await api.GET('/v1/people', {
    params: {
      query: { roles: ['founder', 'executive'], channels: ['email'], sort: 'name', limit: 5 },
    },
  }),
)
const slugs: (string | null)[] = people.data.map(({ slug }) => slug)
deepEqual(slugs, [person])

const read = live(
  await api.GET('/v1/people/{id}', {
    params: { path: { id: person }, query: { include: ['private'] } },
  }),
)
const email: string | null = read.data.person.email
equal(typeof email, 'string')
equal(read.meta.creditsCharged, 10)

const projects = live(
  await api.GET('/v1/projects', { params: { query: { sector: ['Lending', 'Wallet'] } } }),
)
equal(projects.total, 2)

const one = live(await api.GET('/v1/projects/{id}', { params: { path: { id: project } } }))
equal(one.project.slug, project)
equal(one.project.fundingRounds[0]?.amountUsd, 10_000_000)

const investors = live(await api.GET('/v1/investors', { params: { query: { sort: 'roi' } } }))
const roi: number | null | undefined = investors.data[0]?.fundAllTimeRoiPct
equal(typeof roi, 'number')

const investor = live(await api.GET('/v1/investors/{slug}', { params: { path: { slug: fund } } }))
equal(investor.investor.slug, fund)
equal(investor.portfolio.length, 2)

const services = live(await api.GET('/v1/services'))
equal(services.data.length, services.total)

const provider = live(await api.GET('/v1/services/{slug}', { params: { path: { slug: service } } }))
equal(provider.service.slug, service)

const found = live(await api.GET('/v1/search', { params: { query: { q: project } } }))
equal(found.projects[0]?.slug, project)

const missing = await api.GET('/v1/investors/{slug}', { params: { path: { slug: project } } })
const code: components['schemas']['ErrorDetail']['code'] | undefined = missing.error?.error.code
deepEqual([missing.response.status, code], [404, 'not_found'])

// A sample is told apart by its type, and says so.
const { data: sample } = await clientOf(free).GET('/v1/projects')
if (!sample || !('sample' in sample)) throw new Error('no sample')
const marked: true = sample.sample
deepEqual([marked, sample.meta.creditsCharged], [true, 0])
equal(sample.notice.startsWith('NOT REAL DATA'), true)

// Errors have their status, their code and what they cost.
const refused = [
  { ...(await api.GET('/v1/search', { params: { query: { q: '' } } })), status: 400 },
  { ...(await clientOf('ck_live_no').GET('/v1/people')), status: 401 },
  { ...(await clientOf(broke).GET('/v1/people')), status: 402 },
]
const codes = refused.map(({ error, response, status }) => {
  const charged: number | null | undefined = error?.error.charged
  deepEqual([response.status, charged], [status, 0])
  return error?.error.code
})
deepEqual(codes, ['missing_parameter', 'unauthorized', 'insufficient_credits'])

console.log(JSON.stringify([...asked].sort()))
