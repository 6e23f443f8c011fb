/** Faults of the kit: which calls they hit, what their client sees of it, and what was charged. */
import { afterEach, describe, expect, test } from 'bun:test'
import { expectRejection, rejection } from '../../../test/helpers/rejection.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { type FaultOptions, fixtures, startDirectory } from '../start.ts'

const ADA = `/v1/people/${fixtures.people.ada.id}`
const PERSON = '/v1/people/{id}'

const dir = shared(
  () => startDirectory(),
  (running) => running.stop(),
)
afterEach(() => dir.reset())

const rich = () => dir.account({ tier: 'team', credits: 1_000 })
const headersOf = (key: string, more = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
})

describe.each(['over a socket', 'without one'])('%s', (way) => {
  const get = (path: string, init: RequestInit) =>
    way === 'without one' ? dir.fetch(path, init) : fetch(dir.url + path, init)

  test('a connection is reset before the charge: nothing is charged', async () => {
    const { key, balance } = await rich()
    dir.fault({ kind: 'reset-before-charge', count: 1 })
    await expectRejection(get(ADA, headersOf(key)))
    expect(await balance()).toBe(1_000)
    expect(dir.calls()).toMatchObject([{ status: null, charged: 0, fault: 'reset-before-charge' }])
    expect((await get(ADA, headersOf(key))).status).toBe(200)
  })

  test('a call is charged and its answer lost: the repeat with its key is free', async () => {
    const { key, balance } = await rich()
    dir.fault({ kind: 'reset-after-charge', path: PERSON, count: 1 })
    const init = headersOf(key, { 'idempotency-key': 'once' })
    await expectRejection(get(ADA, init))
    expect(await balance()).toBe(995)
    const again = await get(ADA, init)
    expect((await again.json()).meta).toEqual({ creditsCharged: 0, creditsBalance: 995 })
    const [lost, repeated] = dir.calls()
    expect(lost).toMatchObject({ status: null, charged: 5, fault: 'reset-after-charge' })
    expect(repeated).toMatchObject({ status: 200, charged: 0, fault: null, idempotencyKey: 'once' })
  })

  test('an answer ends inside its body', async () => {
    const { key, balance } = await rich()
    dir.fault({ kind: 'half-body', count: 1 })
    const answer = await get('/v1/people', headersOf(key))
    expect(answer.status).toBe(200)
    await expectRejection(answer.text())
    expect(await balance()).toBe(995)
    expect((await get('/v1/people', headersOf(key))).status).toBe(200)
  })

  test('a body that arrives slowly arrives whole, and so does the answer to a call that waits', async () => {
    const { key } = await rich()
    dir.fault({ kind: 'slow', ms: 20, count: 1 })
    dir.fault({ kind: 'delay', ms: 5, count: 1 })
    for (let call = 0; call < 2; call++) {
      const { data } = await (await get(ADA, headersOf(key))).json()
      expect(data.person.id).toBe(fixtures.people.ada.id)
    }
    expect(dir.calls().map(({ fault }) => fault)).toEqual(['slow', 'delay'])
    expect(dir.faults()).toEqual([])
  })
})

test('a reset is seen by the client also where its connection was used before', async () => {
  const { key } = await rich()
  for (let call = 0; call < 3; call++) await (await fetch(dir.url + ADA, headersOf(key))).text()
  dir.fault({ kind: 'reset-after-charge', count: 1 })
  await expectRejection(fetch(dir.url + ADA, headersOf(key)))
  expect(dir.calls().map(({ charged }) => charged)).toEqual([5, 5, 5, 5])
})

describe('a status', () => {
  const errors: [Partial<FaultOptions>, number, string | undefined, number | null | undefined][] = [
    [{ status: 429 }, 0, 'rate_limited', 0],
    [{}, 0, 'internal_error', 0],
    [{ status: 503 }, 0, 'unavailable', 0],
    [{ status: 503, charged: true }, 5, 'unavailable', null],
    [{ status: 502 }, 0, undefined, undefined],
    [{ status: 504, charged: true }, 5, undefined, undefined],
  ]
  test.each(errors)('%j charges %d', async (options, charged, code, said) => {
    const { key, balance } = await rich()
    dir.fault({ kind: 'status', count: 1, ...options })
    const answer = await dir.fetch(ADA, headersOf(key))
    expect(answer.status).toBe(options.status ?? 500)
    const text = await answer.text()
    if (code === undefined) expect(text).toContain(`<h1>${options.status} `)
    else expect(JSON.parse(text).error).toMatchObject({ code, charged: said })
    expect(await balance()).toBe(1_000 - charged)
    expect(dir.calls()).toMatchObject([{ status: answer.status, charged, fault: 'status' }])
  })

  test('429 has the headers of the account’s own limit', async () => {
    const { key } = await rich()
    dir.fault({ kind: 'status', status: 429, count: 1 })
    const { headers } = await dir.fetch(ADA, headersOf(key))
    expect(headers.get('retry-after')).toBe('1')
    expect(headers.get('x-ratelimit-limit')).toBe('300')
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect((await dir.fetch(ADA, headersOf(key))).status).toBe(200)
  })
})

describe('a fault hits', () => {
  const statuses = async (key: string, paths: readonly string[]) => {
    const found: number[] = []
    for (const path of paths) found.push((await dir.fetch(path, headersOf(key))).status)
    return found
  }

  test('calls of its path alone, be it an endpoint or one record', async () => {
    const { key } = await rich()
    dir.fault({ kind: 'status', path: '/v1/projects' })
    dir.fault({ kind: 'status', status: 503, path: `/v1/people/${fixtures.people.ben.id}` })
    const paths = ['/v1/me', '/v1/projects?limit=1', ADA, `/v1/people/${fixtures.people.ben.id}`]
    expect(await statuses(key, paths)).toEqual([200, 500, 200, 503])
  })

  test('calls of its account alone', async () => {
    const [one, other] = [await rich(), await rich()]
    dir.fault({ kind: 'status', account: one.id.toUpperCase() })
    expect(await statuses(other.key, [ADA])).toEqual([200])
    expect(await statuses(one.key, [ADA])).toEqual([500])
  })

  test('its share of them, in every run the same', async () => {
    const { key } = await rich()
    const fault = dir.fault({ kind: 'status', share: 0.25 })
    const found = await statuses(key, Array(8).fill('/v1/me'))
    expect(found).toEqual([200, 200, 200, 500, 200, 200, 200, 500])
    expect(fault.hits).toBe(2)
  })

  test('as many as it was asked to, until it is ended, and none without a key in force', async () => {
    const { key } = await rich()
    const twice = dir.fault({ kind: 'status', count: 2 })
    expect((await dir.fetch('/v1/me')).status).toBe(401)
    expect(await statuses(key, Array(3).fill('/v1/me'))).toEqual([500, 500, 200])
    expect([twice.hits, dir.faults()]).toEqual([2, []])
    const endless = dir.fault({ kind: 'status' })
    expect(await statuses(key, ['/v1/me'])).toEqual([500])
    endless.end()
    expect(await statuses(key, ['/v1/me'])).toEqual([200])
  })

  test('a HEAD only where it may: it is never charged and has no body', async () => {
    const { key, balance } = await rich()
    dir.fault({ kind: 'reset-after-charge', count: 1 })
    dir.fault({ kind: 'status', status: 503, charged: true, count: 1 })
    const quote = () => dir.fetch(ADA, { ...headersOf(key), method: 'HEAD' })
    expect((await quote()).headers.get('service-outcome')).toBe('live')
    await expectRejection(dir.fetch(ADA, headersOf(key)))
    expect((await dir.fetch(ADA, headersOf(key))).status).toBe(503)
    dir.fault({ kind: 'status', count: 1 })
    expect((await quote()).status).toBe(500)
    expect(await balance()).toBe(990)
    const noted = dir.calls().map(({ method, charged, fault }) => [method, charged, fault])
    expect(noted).toEqual([
      ['HEAD', 0, null],
      ['GET', 5, 'reset-after-charge'],
      ['GET', 5, 'status'],
      ['HEAD', 0, 'status'],
    ])
  })

  test('of several the one that was asked for first; a reset ends all', async () => {
    const { key } = await rich()
    dir.fault({ kind: 'status', status: 503, count: 1 })
    dir.fault({ kind: 'status' })
    expect(await statuses(key, ['/v1/me', '/v1/me'])).toEqual([503, 500])
    await dir.reset()
    expect(dir.faults()).toEqual([])
    expect(dir.calls()).toEqual([])
  })
})

test('a wrong option is named, with what is allowed', () => {
  const wrong: [object, string][] = [
    [{ kind: 'crash' }, 'kind: expected one of status, delay,'],
    [{ kind: 'slow', paths: '/v1/me' }, 'fault: there is no option paths; there are kind, path,'],
    [{ kind: 'slow', path: '/v1/project' }, 'path: expected a path of the API: /v1/me,'],
    [{ kind: 'slow', account: 'ada' }, "account: expected an account's id"],
    [{ kind: 'slow', share: 1.5 }, 'share: expected a number above 0 and up to 1, got 1.5'],
    [{ kind: 'slow', count: 0 }, 'count: expected a whole number from 1'],
    [{ kind: 'slow', status: 503 }, 'status: belongs to status, not to slow'],
    [{ kind: 'status', ms: 5 }, 'ms: belongs to delay and slow, not to status'],
    [{ kind: 'status', status: 404 }, 'status: expected one of 429, 500, 502, 503, 504, got 404'],
    [{ kind: 'status', charged: true }, 'charged: belongs to status 502, 503, 504'],
  ]
  for (const [options, message] of wrong) {
    expect(() => dir.fault(options as FaultOptions)).toThrow(message)
  }
  expect(dir.faults()).toEqual([])
})

test('what a client without a socket is told of a reset is what a socket’s client is told', async () => {
  const { key } = await rich()
  dir.fault({ kind: 'reset-before-charge' })
  const ways = [dir.fetch(ADA, headersOf(key)), fetch(dir.url + ADA, headersOf(key))]
  const errors = await Promise.all(ways.map(rejection))
  expect(errors.map((error) => (error as { code?: string }).code)).toEqual([
    'ECONNRESET',
    'ECONNRESET',
  ])
})
