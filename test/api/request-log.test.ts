/** Which calls of the API are in their account's log, and what of them is not. */
import { describe, expect, test } from 'bun:test'
import { requestsOf } from '../../src/money/accounts/requests.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { postgresService } from '../helpers/service.ts'
import { shared } from '../helpers/shared.ts'

let fails = false

const service = shared(
  () =>
    postgresService(fixtures, {}, (meter) => ({
      ...meter,
      charge: (call) => (fails ? Promise.reject(new TypeError('asked for')) : meter.charge(call)),
    })),
  ({ stop }) => stop(),
)

/** Status, method, path, parameters, code and credits of an account's calls, oldest first. */
async function loggedOf({ id }: { id: string }) {
  await service.requests?.write(id)
  const entries = (await requestsOf(service.database, id)).reverse()
  return entries.map(({ status, method, path, parameters, code, credits }) =>
    [status, method, path, parameters.join(), code, credits].join(' '),
  )
}

describe('a call in the log', () => {
  test('of a free account: free answers, samples and refusals', async () => {
    const caller = await service.account({ scopes: ['read:metadata'] })
    await caller.get('/v1/me')
    await caller.get('/v1/projects?sector[]=DeFi&sector[]=AI&limit=2')
    await caller.get(`/v1/people/${ADA.slug}?include=private`)
    expect(await loggedOf(caller)).toEqual([
      '200 GET /v1/me   0',
      '200 GET /v1/projects sector,limit sample 0',
      '403 GET /v1/people/{id} include missing_scope 0',
    ])
  })

  test('of a paid account: charges, repeats, refusals, failures, and the end of its rate', async () => {
    const caller = await service.account({ tier: 'starter', credits: 11 })
    const authorization = `Bearer ${caller.key}`
    const repeated = { 'idempotency-key': 'a' }
    await caller.get('/v1/search?q=aurora&limit=2', repeated)
    await caller.get('/v1/search?q=aurora&limit=2', repeated)
    await caller.get('/v1/people/nobody-there')
    await caller.get(`/v1/people/${ADA.slug}`)
    await caller.get('/v1/people')
    await service.request('/v1/people', { method: 'HEAD', headers: { authorization } })
    fails = true
    await caller.get('/v1/people')
    fails = false
    await service.sql`
      update accounts set rate_count = 1000000, rate_started_at = meter_now() where id = ${caller.id}`
    await caller.get('/v1/people')
    // From memory, without the database.
    await caller.get('/v1/me')
    expect(await loggedOf(caller)).toEqual([
      '200 GET /v1/search q,limit  5',
      '200 GET /v1/search q,limit replayed 0',
      '404 GET /v1/people/{id}  not_found 0',
      '200 GET /v1/people/{id}   5',
      '402 GET /v1/people  insufficient_credits 0',
      // HEAD says what the GET would hear.
      '402 HEAD /v1/people  insufficient_credits 0',
      '500 GET /v1/people  internal_error 0',
      '429 GET /v1/people  rate_limited 0',
      '429 GET /v1/me  rate_limited 0',
    ])
  })

  test('has no value of a parameter, no id, and no name that the endpoint does not know', async () => {
    const caller = await service.account({ tier: 'starter', credits: 50 })
    await caller.get('/v1/search?q=whoever%40private.example')
    await caller.get('/v1/people?whoever@private.example=1&%71=whoever')
    await caller.get('/v1/people/whoever@private.example')
    await caller.get(`/v1/people/${ADA.slug}`, { 'x-request-id': 'mine-1' })
    await service.requests?.write(caller.id)
    const rows = await service.sql`select * from request_chunks where account_id = ${caller.id}`
    const stored = JSON.stringify(rows)
    for (const secret of ['whoever', 'private.example', ADA.slug, ADA.id, 'ck_live_']) {
      expect(stored).not.toContain(secret)
    }
    expect(stored).toContain('mine-1')
    expect(await loggedOf(caller)).toContain('400 GET /v1/people ? unknown_parameter 0')
  })

  test('is none where no account is known: without a key, with a revoked one, on no path', async () => {
    const caller = await service.account({ tier: 'starter', credits: 50 })
    await service.request('/v1/people')
    await caller.get('/v1/nothing')
    await caller.get('/v1/me')
    await service.sql`update api_keys set revoked_at = meter_now() where account_id = ${caller.id}`
    await caller.get('/v1/me')
    await caller.get('/v1/me')
    expect(await loggedOf(caller)).toEqual(['200 GET /v1/me   0'])
  })
})

test('REQUEST_LOG=off keeps none', async () => {
  const without = await postgresService(fixtures, { REQUEST_LOG: 'off' })
  const caller = await without.account()
  await caller.get('/v1/me')
  expect(without.requests).toBeUndefined()
  expect(await without.sql`select from request_chunks`).toHaveLength(0)
  await without.stop()
})
