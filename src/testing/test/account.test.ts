/** Accounts of the kit, and its clock: windows and expiries move with it. */
import { afterEach, describe, expect, test } from 'bun:test'
import { shared } from '../../../test/helpers/shared.ts'
import { RATE_LIMITS } from '../../people/users/rate-limiter.ts'
import { fixtures, startDirectory } from '../start.ts'

const NOW = '2026-01-31T10:00:00.000Z'
const { ada, ben } = fixtures.people

const dir = shared(
  () => startDirectory({ listen: false, now: NOW }),
  (running) => running.stop(),
)
afterEach(() => dir.reset())

const get = (path: string, key: string) =>
  dir.fetch(path, { headers: { authorization: `Bearer ${key}` } })

describe('an account', () => {
  test('has the tier, credits and organization that it was made with', async () => {
    const { id, key } = await dir.account({ tier: 'team', credits: 40, organization: 'Acme' })
    const me = await (await get('/v1/me', key)).json()
    expect(me).toMatchObject({ id, tier: 'team', creditsBalance: 40, organization: 'Acme' })
    expect(me.apiKey.scopes).toEqual(['read:metadata', 'read:contacts'])
  })

  test('is on the free tier without credits unless said otherwise', async () => {
    const { key } = await dir.account()
    expect(await (await get('/v1/me', key)).json()).toMatchObject({
      tier: 'free',
      sampleMode: true,
    })
  })

  test('makes keys with fewer scopes that share its credits', async () => {
    const account = await dir.account({ tier: 'pro', credits: 50 })
    const key = await account.newKey({ scopes: ['read:metadata'] })
    expect((await get(`/v1/people/${ada.id}?include=private`, key)).status).toBe(403)
    expect((await get(`/v1/people/${ada.id}`, key)).status).toBe(200)
    expect(await account.balance()).toBe(45)
  })

  test('makes keys with an end, a cap and networks', async () => {
    const account = await dir.account({ tier: 'pro', credits: 50 })
    const statuses = async (key: string, calls: number) => {
      const found: number[] = []
      while (found.length < calls) found.push((await get(`/v1/people/${ada.id}`, key)).status)
      return found
    }
    const capped = await account.newKey({ cap: { credits: 10, period: 'day' } })
    expect(await statuses(capped, 3)).toEqual([200, 200, 402])
    const ending = await account.newKey({ expires: '1d' })
    const afar = await account.newKey({ networks: ['203.0.113.0/24', '2001:db8::1'] })
    const near = await account.newKey({ networks: ['127.0.0.0/8'] })
    expect([await statuses(ending, 1), await statuses(afar, 1), await statuses(near, 1)]).toEqual([
      [200],
      [403],
      [200],
    ])
    await dir.advance('1d')
    expect([await statuses(capped, 1), await statuses(ending, 1)]).toEqual([[200], [401]])
    expect(await account.balance()).toBe(25)
  })

  test('its ledger adds up to its balance', async () => {
    const account = await dir.account({ tier: 'pro', credits: 50 })
    await account.grant(7, 'referral')
    const { headers } = await get(`/v1/people/${ada.id}?include=private`, account.key)
    const ledger = await account.ledger()
    expect(ledger.map(({ kind, credits, balanceAfter }) => [kind, credits, balanceAfter])).toEqual([
      ['grant', 50, 50],
      ['grant', 7, 57],
      ['charge', -10, 47],
    ])
    expect(ledger[2]).toEqual({
      at: NOW,
      kind: 'charge',
      credits: -10,
      balanceAfter: 47,
      requestId: headers.get('x-request-id'),
      endpoint: '/v1/people/{id}',
    })
    expect(await account.balance()).toBe(47)
  })

  test('has another tier at once, also while it is over its rate', async () => {
    const account = await dir.account({ tier: 'pro' })
    for (let call = 0; call < 120; call++) await get('/v1/me', account.key)
    expect((await get('/v1/me', account.key)).status).toBe(429)
    await account.setTier('team')
    const { status, headers } = await get('/v1/me', account.key)
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '300'])
  })
})

test('a user signs in to the application with the password that it was made with, and with no other', async () => {
  const { email, password } = await dir.user()
  const url = `${dir.appUrl}/sign-in`
  const page = await dir.fetch(url)
  const cookie = page.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? []
  const signIn = async (given: string) => {
    const body = new URLSearchParams({ csrf, email, password: given })
    const answer = await dir.fetch(url, { method: 'POST', headers: { cookie }, body })
    return [answer.status, answer.headers.get('location')]
  }
  expect(await signIn('another password')).toEqual([422, null])
  expect(await signIn(password)).toEqual([303, '/overview'])
})

describe('the clock', () => {
  test('ends a rate window', async () => {
    const { key } = await dir.account({ tier: 'pro' })
    for (let call = 0; call < 120; call++) await get('/v1/me', key)
    const refused = await get('/v1/me', key)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    await dir.advance('59s')
    expect((await get('/v1/me', key)).status).toBe(429)
    await dir.advance('1s')
    expect((await get('/v1/me', key)).status).toBe(200)
  })

  test('ends a reveal window', async () => {
    const { key } = await dir.account({ tier: 'free', credits: 5_000 })
    await get(`/v1/people/${ada.id}?include=private`, key)
    const { headers } = await get('/v1/me', key)
    expect(Number(headers.get('x-ratelimit-reset'))).toBe(Date.parse(NOW) / 1_000 + 60)
    await dir.advance('2h')
    const later = await get(`/v1/people/${ben.id}?include=private`, key)
    expect(Number(later.headers.get('x-ratelimit-reset'))).toBe(Date.parse(NOW) / 1_000 + 7_260)
  })

  test('ends the window of an address whose keys were rejected', async () => {
    for (let call = 0; call < 20; call++) await get('/v1/me', 'wrong')
    expect((await get('/v1/me', 'wrong')).status).toBe(429)
    await dir.advance('61s')
    expect((await get('/v1/me', 'wrong')).status).toBe(401)
  })

  test('ends the window of an address that read too many pages, and so does reset()', async () => {
    const visit = async () => (await dir.fetch(new URL('/people', dir.appUrl))).status
    const { limit, seconds } = RATE_LIMITS.visit.address
    const read = async (pages: number) => {
      for (let page = 0; page < pages; page++) expect(await visit()).toBe(200)
    }
    await read(limit)
    expect(await visit()).toBe(429)
    await dir.advance(`${seconds}s`)
    await read(limit)
    expect(await visit()).toBe(429)
    await dir.reset()
    expect(await visit()).toBe(200)
  })

  test('lets credits expire: a trial after 7 days, others when they were said to', async () => {
    const account = await dir.account()
    expect(await account.grant(30, 'trial')).toBe(30)
    expect(await account.grant(20, 'topup', '2d')).toBe(50)
    expect(await account.grant(10, 'topup', '2026-02-01T10:00:00.000Z')).toBe(60)
    expect(await account.grant(5, 'plan', 'never')).toBe(65)
    await dir.advance('1d')
    expect(await account.balance()).toBe(55)
    await dir.advance('1d')
    expect(await account.balance()).toBe(35)
    await dir.advance('5d')
    expect(await account.balance()).toBe(5)
    const expired = (await account.ledger()).filter(({ kind }) => kind === 'expiry')
    expect(expired.map(({ credits }) => credits)).toEqual([-10, -20, -30])
  })

  test('flows with the real time where none was given', async () => {
    await using flowing = await startDirectory({ listen: false })
    const resetOf = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await flowing.fetch('/v1/me', { headers })
      return Number(answer.headers.get('x-ratelimit-reset'))
    }
    const before = Math.floor(Date.now() / 1_000)
    const reset = await resetOf((await flowing.account()).key)
    expect(reset).toBeGreaterThanOrEqual(before + 60)
    expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 60)
    await flowing.advance('1d')
    expect(await resetOf((await flowing.account()).key)).toBeGreaterThanOrEqual(reset + 86_400)
  })
})
