// A client's tests with node:test: the test server is a process of its own, started once for the file.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { startTestServer } from './test-server.mjs'

let server
before(async () => {
  server = await startTestServer('--now', '2026-01-31T10:00:00Z')
})
beforeEach(() => server.post('/reset'))
after(() => server.stop())

const get = (path, key, headers = {}) =>
  fetch(server.apiUrl + path, { headers: { authorization: `Bearer ${key}`, ...headers } })

test('a reveal costs 10 credits once', async () => {
  const { id, key } = await server.post('/accounts', { tier: 'pro', credits: 100 })
  for (const charged of [10, 5]) {
    const answer = await get('/v1/people/ada-ashford?include=private', key)
    assert.equal((await answer.json()).meta.creditsCharged, charged)
  }
  const { creditsBalance } = await server.get(`/accounts/${id}`)
  assert.equal(creditsBalance, 85)
})

test('an answer that was lost is asked for again, and charged once', async () => {
  const { id, key } = await server.post('/accounts', { tier: 'pro', credits: 100 })
  await server.post('/faults', { path: '/v1/projects', kind: 'reset-after-charge', count: 1 })
  const once = { 'idempotency-key': 'projects-1' }
  await assert.rejects(get('/v1/projects', key, once))
  assert.equal((await (await get('/v1/projects', key, once)).json()).meta.creditsCharged, 0)
  const { calls } = await server.get(`/calls?account=${id}`)
  assert.deepEqual(
    calls.map(({ status, charged }) => [status, charged]),
    [
      [null, 5],
      [200, 0],
    ],
  )
})

test('a window ends when the clock moves', async () => {
  const { key } = await server.post('/accounts', { tier: 'pro' })
  for (let call = 0; call < 120; call++) await get('/v1/me', key)
  assert.equal((await get('/v1/me', key)).status, 429)
  await server.post('/clock', { advance: '61s' })
  assert.equal((await get('/v1/me', key)).status, 200)
})
