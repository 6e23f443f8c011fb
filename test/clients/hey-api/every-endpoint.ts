/**
 * A client made from the OpenAPI document alone, in its version 3.1: `@hey-api/openapi-ts` wrote the folder `hey-api`, which
 * checks every call and answer by schemas of zod. Arguments and output are those of `openapi-fetch/every-endpoint.ts`.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { client } from './hey-api/client.gen.ts'
import * as api from './hey-api/sdk.gen.ts'
import { zError } from './hey-api/zod.gen.ts'

const [baseUrl = '', key = '', free = '', broke = '', ...records] = process.argv.slice(2)
const [person = '', project = '', fund = '', service = ''] = records
const asked = new Set<string>()
client.setConfig({ baseUrl, auth: key })
client.interceptors.request.use((request, { url }) => {
  asked.add(url)
  return request
})

/** Live data: a sample has `sample` and is another type. */
function live<T extends object>({ data, error }: { data?: T | undefined; error?: unknown }) {
  equal(error, undefined)
  if (!data || 'sample' in data) throw new Error('no live data')
  return data as Exclude<T, { sample: true }>
}

const errorOf = ({ error }: { error?: unknown }) => zError.parse(error).error

equal(live(await api.getAccount()).tier, 'pro')

const query = { roles: ['founder', 'executive'], channels: ['email'] } as const
const people = live(
  await api.listPeople({ query: { roles: [...query.roles], channels: [...query.channels] } }),
)
deepEqual(
  people.data.map(({ slug, email }) => [slug, email]),
  [[person, null]],
)
const nobody = await api.listPeople({ query: { roles: ['astronaut', 'pilot'] } })
equal(live(nobody).total, 0)

const read = live(await api.getPerson({ path: { id: person }, query: { include: ['private'] } }))
equal(typeof read.data.person.email, 'string')
equal(read.meta.creditsCharged, 10)

const sector = ['Lending', 'Wallet']
equal(live(await api.listProjects({ query: { sector } })).total, 2)
const one = live(await api.getProject({ path: { id: project } }))
equal(one.project.fundingRounds[0]?.amountUsd, 10_000_000)
equal(typeof live(await api.listInvestors({ query: { sort: 'roi' } })).total, 'number')
equal(live(await api.getInvestor({ path: { slug: fund } })).portfolio.length, 2)
equal(typeof live(await api.listServices()).total, 'number')
equal(live(await api.getService({ path: { slug: service } })).service.slug, service)
equal(live(await api.search({ query: { q: project } })).projects[0]?.slug, project)

const missing = await api.getInvestor({ path: { slug: project } })
deepEqual([missing.response?.status, errorOf(missing).code], [404, 'not_found'])
const unpaid = await api.listPeople({ auth: broke })
deepEqual([unpaid.response?.status, errorOf(unpaid).charged], [402, 0])
const { data: sample } = await api.listProjects({ auth: free })
if (!sample || !('sample' in sample)) throw new Error('no sample')
equal(sample.notice.startsWith('NOT REAL DATA'), true)

console.log(JSON.stringify([...asked].sort()))
