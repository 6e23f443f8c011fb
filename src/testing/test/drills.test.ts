/** Failure drills of the kit: the answers are those of the real failure. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { expectRejection } from '../../../test/helpers/rejection.ts'
import { fixtures, startDirectory, type TestAccount, type TestDirectory } from '../start.ts'

const ADA = `/v1/people/${fixtures.people.ada.id}`

let dir: TestDirectory
let account: TestAccount
beforeEach(async () => {
  dir ??= await startDirectory({ listen: false })
  await dir.reset()
  account = await dir.account({ tier: 'pro', credits: 100 })
})
afterAll(() => dir.stop())

const get = (path: string, signal?: AbortSignal) =>
  dir.fetch(path, {
    headers: { authorization: `Bearer ${account.key}` },
    ...(signal && { signal }),
  })

describe('an outage', () => {
  test('answers 503 as the service does without its database, and charges nothing', async () => {
    dir.outage(60_000)
    const answer = await get(ADA)
    const { status, headers } = answer
    expect([status, (await answer.json()).error.code]).toEqual([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await dir.fetch('/v1/nothing')).status).toBe(404)
    expect((await dir.fetch('/v1/me')).status).toBe(401)
    expect(await account.balance()).toBe(100)
  })

  test('passes by itself', async () => {
    dir.outage(30)
    expect((await get(ADA)).status).toBe(503)
    let status = 503
    while (status === 503) status = (await get(ADA)).status
    expect(status).toBe(200)
    expect(await account.balance()).toBe(95)
  })

  test('passes with the clock, and ends at 0', async () => {
    dir.outage(60_000)
    expect((await get(ADA)).status).toBe(503)
    await dir.advance('60s')
    expect((await get(ADA)).status).toBe(200)
    dir.outage(60_000)
    dir.outage(0)
    expect((await get(ADA)).status).toBe(200)
  })
})

describe('a failure', () => {
  test('answers the next call 500, charges nothing, and is over', async () => {
    dir.failNext()
    const failed = await get(ADA)
    const { error } = await failed.json()
    expect([failed.status, error.code, error.charged]).toEqual([500, 'internal_error', 0])
    expect(error.message).toContain(failed.headers.get('x-request-id') ?? 'none')
    expect((await get(ADA)).status).toBe(200)
    expect(await account.balance()).toBe(95)
  })

  test('waits for a call that would be answered, and may be several', async () => {
    dir.failNext(2)
    expect((await dir.fetch('/v1/me')).status).toBe(401)
    const statuses = await Promise.all([get('/v1/me'), get(ADA), get('/v1/search?q=ada')])
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 500, 500])
  })
})

describe('slowness', () => {
  test('holds answers back, so that a client gives up by its own deadline', async () => {
    dir.slow(60_000)
    await expectRejection(get(ADA, AbortSignal.timeout(20)), /timed? ?out/i)
    dir.slow(0)
    expect((await get(ADA)).status).toBe(200)
  })

  test('lets go of what it holds back when the directory stops', async () => {
    const slow = await startDirectory({ listen: false })
    slow.slow(3_600_000)
    const held = slow.fetch('/v1/nothing')
    await slow.stop()
    expect((await held).status).toBe(404)
  })
})

test('a wrong length of time is named', () => {
  expect(() => dir.outage(-1)).toThrow('outage: expected a whole number from 0')
  expect(() => dir.slow(0.5)).toThrow('slow: expected a whole number from 0')
})
