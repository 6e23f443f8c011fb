/** The journal of the kit: which calls were seen, with what they were answered and charged. */
import { afterEach, expect, test } from 'bun:test'
import { shared } from '../../../test/helpers/shared.ts'
import { Journal } from '../journal.ts'
import { type CallFilter, fixtures, startDirectory } from '../start.ts'

const NOW = '2026-01-31T10:00:00.000Z'
const ADA = `/v1/people/${fixtures.people.ada.id}`

const dir = shared(
  () => startDirectory({ listen: false, now: NOW }),
  (running) => running.stop(),
)
afterEach(() => dir.reset())

const get = (path: string, key: string, more = {}) =>
  dir.fetch(path, { headers: { authorization: `Bearer ${key}`, ...more } })

test('has every call in its order, with body, charge and the directory’s time', async () => {
  const { id, key } = await dir.account({ tier: 'pro', credits: 7 })
  const live = await (await get(`${ADA}?include=private`, key)).json()
  await dir.advance('1h')
  const first = await get(ADA, key, { 'idempotency-key': 'a-1' })
  await get(ADA, 'ck_live_wrong')
  const calls = dir.calls()
  expect(live.error.code).toBe('insufficient_credits')
  expect(calls[0]).toEqual({
    number: 1,
    at: NOW,
    method: 'GET',
    path: `${ADA}?include=private`,
    account: id,
    idempotencyKey: null,
    requestId: expect.any(String),
    status: 402,
    charged: 0,
    fault: null,
    body: live,
  })
  expect(calls[1]).toMatchObject({
    at: '2026-01-31T11:00:00.000Z',
    account: id,
    idempotencyKey: 'a-1',
    requestId: first.headers.get('x-request-id'),
    status: 200,
    charged: 5,
    body: { meta: { creditsCharged: 5, creditsBalance: 2 } },
  })
  expect(calls[2]).toMatchObject({ number: 3, account: null, status: 401, charged: 0 })
})

test('can be asked for the calls of an account or a path, by names that exist', async () => {
  const { id, key } = await dir.account({ tier: 'pro', credits: 50 })
  const other = await dir.account()
  await get('/v1/projects?limit=1', key)
  await get('/v1/projects', other.key)
  await get('/v1/me', key)
  expect(dir.calls({ account: id.toUpperCase() }).map(({ number }) => number)).toEqual([1, 3])
  expect(dir.calls({ path: '/v1/projects' }).map(({ number }) => number)).toEqual([1, 2])
  const wrong = { accounts: id } as CallFilter
  expect(() => dir.calls(wrong)).toThrow(
    'calls: there is no option accounts; there are account, path',
  )
})

test('is bounded: the newest 1,000 calls, 16 MiB of bodies, no body of more than 256 KiB', () => {
  const journal = new Journal()
  const note = (body: Uint8Array) => {
    const call = journal.open(new Request('http://api.test/v1/me'), new Date(NOW))
    journal.close(call, new Response(null), body)
  }
  for (let call = 0; call < 1_010; call++) note(new Uint8Array(1))
  expect(journal.list()).toHaveLength(1_000)
  expect(journal.list()[0]?.number).toBe(11)
  const large = new Uint8Array(256 * 1024)
  for (let call = 0; call < 70; call++) note(large)
  expect(journal.list().length).toBeLessThanOrEqual(64)
  note(new Uint8Array(256 * 1024 + 1))
  expect(journal.list().at(-1)).toMatchObject({ number: 1_081, body: null })
})

test('has no call of before a reset, also where it ends after it', async () => {
  const { key } = await dir.account({ tier: 'pro', credits: 5 })
  dir.slow(50)
  const before = get(ADA, key)
  await dir.reset()
  const after = await dir.account()
  await get('/v1/me', after.key)
  await before
  expect(dir.calls()).toMatchObject([{ number: 1, account: after.id, path: '/v1/me' }])
})
