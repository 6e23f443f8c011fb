// A client's tests with vitest: one test server for all files, started in `global-setup.ts`.
import { beforeEach, expect, inject, test } from 'vitest'

const { apiUrl, controlUrl } = inject('chainkin')

async function control(method: string, path: string, body?: object) {
  const answer = await fetch(controlUrl + path, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  })
  return answer.status === 204 ? undefined : answer.json()
}

const get = (path: string, key: string) =>
  fetch(apiUrl + path, { headers: { authorization: `Bearer ${key}` } })

beforeEach(() => control('POST', '/reset'))

test('a client without credits is told what is missing', async () => {
  const { key } = await control('POST', '/accounts', { tier: 'pro', credits: 4 })
  const answer = await get('/v1/projects', key)
  expect(answer.status).toBe(402)
  expect((await answer.json()).error).toMatchObject({ creditsRequired: 5, creditsBalance: 4 })
})

test('a proxy gives up on a call that was charged', async () => {
  const { id, key } = await control('POST', '/accounts', { tier: 'pro', credits: 10 })
  await control('POST', '/faults', { kind: 'status', status: 504, charged: true, count: 1 })
  expect((await get('/v1/projects', key)).status).toBe(504)
  expect(await control('GET', `/accounts/${id}`)).toMatchObject({ creditsBalance: 5 })
})

test('the body of an answer ends too soon', async () => {
  const { key } = await control('POST', '/accounts', { tier: 'pro', credits: 10 })
  await control('POST', '/faults', { kind: 'half-body', count: 1 })
  const answer = await get('/v1/projects', key)
  await expect(answer.json()).rejects.toThrow()
})
