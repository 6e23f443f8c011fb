/** Of two gates that would both fail, the earlier one answers. */
import { describe, expect, test } from 'bun:test'
import { listKeys, revokeKey } from '../../src/money/accounts/keys.ts'
import { ADA, CLEO, UNKNOWN_ID } from '../helpers/fixtures.ts'
import type { Caller } from '../helpers/service.ts'
import { startService } from './setup.ts'

const service = await startService()

const BAD_PARAMETER = '/v1/people?limt=5'
const REVEAL = `/v1/people/${ADA.slug}?include=private`
const UNKNOWN = `/v1/people/${UNKNOWN_ID}`

async function outcome(caller: Caller, path: string) {
  const { status, body } = await caller.get(path)
  return [status, body.error?.code ?? (body.sample ? 'sample' : 'live')]
}

/** Uses up the window's requests, whatever the tier allows. */
const useUpRate = ({ id }: Caller) => service.sql`
  update accounts set rate_started_at = meter_now(), rate_count = 1000 where id = ${id}`

const useUpReveals = ({ id }: Caller) => service.sql`
  update accounts set reveal_started_at = meter_now(), reveal_count = 1000 where id = ${id}`

async function revokeKeys({ id }: Caller) {
  for (const key of await listKeys(service.database, id)) await revokeKey(service.database, key.id)
}

const left = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'))

describe('the order of gates', () => {
  test('gate 1 before 2: a path that does not exist is a 404 whatever the method', async () => {
    const { status, body } = await service.request('/v1/nothing', { method: 'POST' })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })

  test('gate 1 before 3: a path that does not exist is a 404 also without a key', async () => {
    const { status, body } = await service.request('/v1/people/a/b')
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })

  test('gate 2 before 3: a method that is not allowed is a 405 also without a key', async () => {
    const { status, body } = await service.request('/v1/people', { method: 'DELETE' })
    expect([status, body.error.code]).toEqual([405, 'method_not_allowed'])
  })

  test('gate 3 before 4: a revoked key of an account over its rate is a 401', async () => {
    const caller = await service.account()
    await useUpRate(caller)
    await revokeKeys(caller)
    expect(await outcome(caller, '/v1/people')).toEqual([401, 'unauthorized'])
  })

  test('gate 3 before 5: a revoked key with wrong parameters is a 401', async () => {
    const caller = await service.account({ credits: 100 })
    await revokeKeys(caller)
    expect(await outcome(caller, BAD_PARAMETER)).toEqual([401, 'unauthorized'])
  })

  test('gate 4 before 5: wrong parameters over the rate are a 429', async () => {
    const caller = await service.account({ credits: 100 })
    await useUpRate(caller)
    expect(await outcome(caller, BAD_PARAMETER)).toEqual([429, 'rate_limited'])
  })

  test('gate 4 before 6: a key without the scope over the rate is a 429', async () => {
    const caller = await service.account({ scopes: ['read:metadata'] })
    await useUpRate(caller)
    expect(await outcome(caller, REVEAL)).toEqual([429, 'rate_limited'])
  })

  test('gate 5 before 6: wrong parameters with a key that lacks the scope are a 400', async () => {
    const caller = await service.account({ scopes: ['read:contacts'] })
    expect(await outcome(caller, BAD_PARAMETER)).toEqual([400, 'unknown_parameter'])
    expect(await outcome(caller, `${REVEAL}&page=1`)).toEqual([400, 'unknown_parameter'])
  })

  test('gate 5 before 7: wrong parameters without credits are a 400, on a free and on a paid tier', async () => {
    for (const tier of ['free', 'pro'] as const) {
      const caller = await service.account({ tier })
      expect(await outcome(caller, BAD_PARAMETER)).toEqual([400, 'unknown_parameter'])
    }
  })

  test('gate 6 before 7: a missing scope without credits is a 403, on a free and on a paid tier', async () => {
    for (const tier of ['free', 'pro'] as const) {
      const caller = await service.account({ tier, scopes: ['read:metadata'] })
      expect(await outcome(caller, REVEAL)).toEqual([403, 'missing_scope'])
    }
  })

  test('gate 6 before 8: a missing scope hides whether the contact exists', async () => {
    const caller = await service.account({ credits: 100, scopes: ['read:metadata'] })
    expect(await outcome(caller, `${UNKNOWN}?include=private`)).toEqual([403, 'missing_scope'])
  })

  test('gate 7 before 8: without credits an unknown id is the same sample as a right one on free', async () => {
    const caller = await service.account()
    const right = await caller.get(`/v1/people/${ADA.id}`)
    const wrong = await caller.get(UNKNOWN)
    expect([right.status, wrong.status]).toEqual([200, 200])
    expect(wrong.text).toBe(right.text)
  })

  test('gate 7 before 8: without credits an unknown id is a 402 on a paid tier', async () => {
    const caller = await service.account({ tier: 'starter', credits: 4 })
    expect(await outcome(caller, UNKNOWN)).toEqual([402, 'insufficient_credits'])
  })

  test('gate 7 before 9: without credits for it, a reveal over the cap is a 402 or a sample', async () => {
    for (const [tier, answer] of [
      ['pro', [402, 'insufficient_credits']],
      ['free', [200, 'sample']],
    ] as const) {
      const caller = await service.account({ tier, credits: 9 })
      await useUpReveals(caller)
      expect(await outcome(caller, REVEAL)).toEqual([...answer])
    }
  })

  test('gate 8 before 9: an unknown contact is a 404 also over the reveal cap', async () => {
    const caller = await service.account({ credits: 100 })
    await useUpReveals(caller)
    expect(await outcome(caller, `${UNKNOWN}?include=private`)).toEqual([404, 'not_found'])
  })

  test('gate 9 before 10: over the reveal cap a reveal is a 429, charges nothing and unlocks nothing', async () => {
    const caller = await service.account({ credits: 100 })
    await useUpReveals(caller)
    expect(await outcome(caller, REVEAL)).toEqual([429, 'reveal_cap_exceeded'])
    expect(await service.balance(caller.id)).toBe(100)
    expect(await service.sql`select from unlocks where account_id = ${caller.id}`).toHaveLength(0)
    // Nor does the cap touch what needs no first reveal.
    expect(await outcome(caller, `/v1/people/${ADA.slug}`)).toEqual([200, 'live'])
    expect(await outcome(caller, `/v1/people/${CLEO.slug}?include=private`)).toEqual([200, 'live'])
  })
})

describe('what counts against the account’s rate', () => {
  test('400, 403, 402, 404, samples and free calls each take one request of the window', async () => {
    const poor = await service.account({ tier: 'pro', scopes: ['read:metadata'] })
    const paths = [BAD_PARAMETER, REVEAL, '/v1/people', '/v1/me']
    const remaining: number[] = []
    for (const path of paths) remaining.push(left((await poor.get(path)).headers))
    expect(remaining).toEqual([119, 118, 117, 116])
    const free = await service.account({ credits: 5 })
    expect(left((await free.get(UNKNOWN)).headers)).toBe(119)
    expect(left((await free.get('/v1/people')).headers)).toBe(118)
    expect(left((await free.get('/v1/people')).headers)).toBe(117)
  })

  test('an unknown path, a wrong method, OPTIONS and other accounts’ calls take none', async () => {
    const caller = await service.account({ credits: 100 })
    const authorization = `Bearer ${caller.key}`
    await caller.get('/v1/nothing')
    await service.request('/v1/people', { method: 'PUT', headers: { authorization } })
    await service.request('/v1/people', { method: 'OPTIONS', headers: { authorization } })
    await (await service.account({ credits: 5 })).get('/v1/people')
    expect(left((await caller.get('/v1/people')).headers)).toBe(119)
  })

  test('nothing but live data is charged', async () => {
    const caller = await service.account({ tier: 'pro', credits: 100, scopes: ['read:metadata'] })
    for (const path of [BAD_PARAMETER, REVEAL, UNKNOWN, '/v1/nothing', '/v1/me', '/v1/network']) {
      await caller.get(path)
      expect(await service.balance(caller.id)).toBe(100)
    }
    await caller.get('/v1/people?q=nobody-is-called-this')
    expect(await service.balance(caller.id)).toBe(95)
  })
})
