/**
 * The server that many teams would write for this contract: Fastify, pg, rate-limiter-flexible and pg_trgm. It looks up
 * the key, counts the call, reads, charges in a transaction and answers with the contract's fields. It knows those
 * endpoints that the bench calls, no reveals, no samples and no repeats by `Idempotency-Key`.
 *
 * Started by `bench:peers` with `DATABASE_URL`; prints its address and serves until it is killed.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pg from 'pg'
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../../../src/contract/endpoints.ts'
import { API_VERSION } from '../../../../src/contract/version.ts'
import { authenticate, type Caller, charge, RateLimits, Refused } from './billing.ts'
import { listPeople, listProjects } from './lists.ts'
import { search } from './search.ts'
import { readPerson, readProject } from './singles.ts'

/** More only made PostgreSQL switch between them: two cores do the work. */
const CONNECTIONS = 16

type Query = Record<string, string | string[] | undefined>
type Read = (caller: Caller, query: Query, id: string) => Promise<object | null>

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: CONNECTIONS })
const limits = new RateLimits(pool)
const app = Fastify({ logger: false })

app.setErrorHandler((error, _, reply) => {
  const refused = error instanceof Refused ? error : new Refused(500, 'Something failed.')
  if (!(error instanceof Refused)) console.error(error)
  reply.code(refused.status)
  return { error: { message: refused.message } }
})

/** Key, rate, read, charge, answer. */
function billed(path: string, read: Read) {
  app.get(path, async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await admit(request, reply)
    const { id = '' } = request.params as { id?: string }
    const found = await read(caller, request.query as Query, id)
    if (!found) throw new Refused(404, 'There is no such record.')
    const creditsBalance = await charge(pool, caller, path)
    return { ...found, meta: { creditsCharged: CALL_CREDITS, creditsBalance } }
  })
}

async function admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const caller = await authenticate(pool, request.headers.authorization)
  const { limit, remaining, resetSeconds } = await limits.count(caller)
  reply.headers({
    'service-api-version': API_VERSION,
    'product-api-version': API_VERSION,
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetSeconds,
  })
  return caller
}

const one = (value: Query[string]) => (Array.isArray(value) ? value[0] : value)
const many = (value: Query[string]) =>
  (Array.isArray(value) ? value : (value ?? '').split(',')).filter(Boolean)
function integer(value: Query[string], otherwise: number, max: number): number {
  return Math.min(Math.max(Math.trunc(Number(one(value) ?? otherwise)) || otherwise, 1), max)
}

function listQuery(query: Query) {
  return {
    q: one(query.q),
    sort: one(query.sort) === 'name' ? ('name' as const) : ('recent' as const),
    page: integer(query.page, 1, 1_000_000),
    limit: integer(query.limit, 30, 100),
  }
}

const CHANNELS: readonly string[] = ['email', 'phone', 'telegram', 'linkedin']

billed('/v1/people', ({ account }, query) => {
  const channels = many(query.channels).filter((channel) => CHANNELS.includes(channel))
  const people = { contactType: one(query.contactType), roles: many(query.roles), channels }
  return listPeople(pool, account, { ...listQuery(query), ...people })
})
billed('/v1/people/:id', ({ account }, _, id) => readPerson(pool, account, id))
billed('/v1/projects', (_, query) => {
  const token = one(query.token) === undefined ? undefined : tokenOf(query)
  return listProjects(pool, { ...listQuery(query), sector: many(query.sector), token })
})
billed('/v1/projects/:id', ({ account }, _, id) => readProject(pool, account, id))
billed('/v1/search', ({ account }, query) => {
  const q = one(query.q)?.trim()
  if (!q) throw new Refused(400, 'The parameter q is missing.')
  return search(pool, account, q, integer(query.limit, 12, 12))
})

function tokenOf(query: Query): 'launched' | 'pre' {
  return one(query.token) === 'launched' ? 'launched' : 'pre'
}

const PRICES = Object.values(ENDPOINTS).map(({ method, path, summary, credits }) => {
  return { method, path, summary, credits }
})

app.get(ENDPOINTS.me.path, async (request, reply) => {
  const { keyId, account, balance, label, prefix, scopes, environment, ...holder } = await admit(
    request,
    reply,
  )
  return {
    apiVersion: API_VERSION,
    baseUrl: address,
    docs: `${address}/docs`,
    endpoints: PRICES,
    id: account,
    ...holder,
    sampleMode: false,
    organization: holder.organization ?? 'Textbook',
    creditsBalance: balance,
    apiKey: { label, prefix, scopes, environment },
    pricing: {
      currency: 'credits',
      basicCallCredits: CALL_CREDITS,
      privateCallCredits: REVEAL_CREDITS,
      note: 'Each data call costs basicCallCredits, the first reveal of a contact privateCallCredits.',
    },
    meta: { creditsCharged: 0, creditsBalance: balance },
  }
})

const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(address)
