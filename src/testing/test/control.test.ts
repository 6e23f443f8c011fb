/** The control of a test server: the kit over HTTP. */
import { afterEach, describe, expect, test } from 'bun:test'
import SwaggerParser from '@apidevtools/swagger-parser'
import type { TSchema } from '@sinclair/typebox'
import { expectRejection } from '../../../test/helpers/rejection.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { ACCOUNT_OPTIONS } from '../account.ts'
import * as schemas from '../control/schemas.ts'
import { startTestServer } from '../control/server.ts'
import { FAULT_OPTIONS } from '../faults.ts'
import { KEY_OPTIONS } from '../keys.ts'
import { fixtures } from '../start.ts'
import { USER_OPTIONS } from '../users.ts'

const NOW = '2026-01-31T10:00:00.000Z'
const { ada } = fixtures.people

const server = shared(
  () => startTestServer({ now: NOW, controlPort: 0 }),
  (running) => running.stop(),
)

async function ask(method: string, path: string, body?: unknown) {
  const answer = await fetch(server.controlUrl + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}
const post = (path: string, body?: unknown) => ask('POST', path, body)
afterEach(() => post('/reset'))

const call = (path: string, key: string) =>
  fetch(server.apiUrl + path, { headers: { authorization: `Bearer ${key}` } })

async function account(options: object = { tier: 'pro', credits: 100 }) {
  const { body } = await post('/accounts', options)
  return body as { id: string; key: string }
}

describe('accounts', () => {
  test('are made with what is asked for, call the API, and are shown with their ledger', async () => {
    const { id, key } = await account({ tier: 'team', credits: 40, organization: 'Acme' })
    const me = await (await call('/v1/me', key)).json()
    expect(me).toMatchObject({ id, tier: 'team', creditsBalance: 40, organization: 'Acme' })
    await call(`/v1/people/${ada.id}`, key)
    expect((await ask('GET', `/accounts/${id}`)).body).toMatchObject({ id, creditsBalance: 35 })
    const { entries } = (await ask('GET', `/accounts/${id}/ledger`)).body
    expect(entries.map(({ credits }: { credits: number }) => credits)).toEqual([40, -5])
  })

  test('get credits, another tier, and a plan that ends', async () => {
    const { id } = await account({})
    const granted = await post('/grants', {
      account: id,
      credits: 30,
      source: 'trial',
      expires: '2d',
    })
    expect(granted).toEqual({ status: 201, body: { balance: 30 } })
    expect((await ask('PATCH', `/accounts/${id}`, { tier: 'pro' })).body.tier).toBe('pro')
    const planned = await ask('PUT', `/accounts/${id}/plan`, { plan: 'essential' })
    expect(planned.body).toMatchObject({
      tier: 'starter',
      plan: 'essential',
      creditsBalance: 3_030,
    })
    await post('/clock', { advance: '2d' })
    expect((await ask('GET', `/accounts/${id}`)).body.creditsBalance).toBe(3_000)
    expect((await ask('DELETE', `/accounts/${id}/plan`)).status).toBe(204)
    expect((await ask('GET', `/accounts/${id}`)).body).toMatchObject({ tier: 'free', plan: null })
  })

  test('make keys, and end them: the next call is refused', async () => {
    const { id } = await account()
    const { body } = await post(`/accounts/${id}/keys`, { scopes: ['read:metadata'] })
    expect((await call('/v1/me', body.key)).status).toBe(200)
    expect((await ask('DELETE', `/accounts/${id}/keys/${body.key}`)).status).toBe(204)
    expect((await call('/v1/me', body.key)).status).toBe(401)
    expect((await ask('DELETE', `/accounts/${id}/keys/${body.key}`)).status).toBe(400)
  })

  test('have people who sign in to the application', async () => {
    const { status, body } = await post('/users', { email: 'eve@example.com' })
    expect(status).toBe(201)
    const { body: own } = await ask('GET', `/accounts/${body.account}`)
    expect(own).toMatchObject({ email: 'eve@example.com', creditsBalance: 250 })
    expect((await post('/users', { email: 'eve@example.com' })).body.error.message).toBe(
      'email: eve@example.com is taken',
    )
  })
})

test('faults hit calls, and the journal has both', async () => {
  const { id, key } = await account()
  const fault = { path: '/v1/projects', kind: 'reset-after-charge', count: 1 }
  const made = await post('/faults', fault)
  expect(made).toEqual({ status: 201, body: { id: expect.any(Number), hits: 0, options: fault } })
  await expectRejection(call('/v1/projects', key))
  await (await call('/v1/projects', key)).text()
  const { calls } = (await ask('GET', `/calls?account=${id}&path=/v1/projects`)).body
  expect(calls).toMatchObject([
    { status: null, charged: 5, fault: 'reset-after-charge' },
    { status: 200, charged: 5, fault: null, body: { meta: { creditsBalance: 90 } } },
  ])
  const { body: second } = await post('/faults', { kind: 'slow' })
  expect((await ask('GET', '/faults')).body.faults).toEqual([second])
  expect((await ask('DELETE', `/faults/${second.id}`)).status).toBe(204)
  expect((await ask('DELETE', `/faults/${second.id}`)).status).toBe(404)
  await post('/faults', { kind: 'slow' })
  await ask('DELETE', '/faults')
  expect((await ask('GET', '/faults')).body).toEqual({ faults: [] })
})

test('the clock moves on and never back; a reset brings back its first time', async () => {
  expect((await post('/clock', { advance: '61s' })).body.now).toBe('2026-01-31T10:01:01.000Z')
  expect((await post('/clock', { now: '2026-03-01' })).body.now).toBe('2026-03-01T00:00:00.000Z')
  const back = await post('/clock', { now: NOW })
  expect([back.status, back.body.error.message]).toEqual([400, expect.stringContaining('setNow')])
  expect((await post('/clock', {})).body.error.message).toBe(
    'clock: expected one of advance and now',
  )
  const { id } = await account()
  expect((await post('/reset')).status).toBe(204)
  expect((await ask('GET', '/clock')).body.now).toBe(NOW)
  expect((await ask('GET', `/accounts/${id}`)).status).toBe(404)
})

test('records that are added are in the next answer', async () => {
  const { key } = await account()
  const companies = [{ slug: 'zephyr', name: 'Zephyr', companyType: 'project' }]
  expect((await post('/records', { companies })).status).toBe(204)
  expect((await (await call('/v1/projects/zephyr', key)).json()).project.name).toBe('Zephyr')
  expect((await ask('GET', '/fixtures')).body.people.ada.id).toBe(ada.id)
})

test('whatever is wrong is named, with what is allowed', async () => {
  const { id } = await account()
  const unknown = '0190a000-0000-7000-8000-000000009999'
  const wrong: [string, string, unknown, number, string][] = [
    [
      'POST',
      '/accounts',
      { teir: 'pro' },
      400,
      'account: there is no option teir; there are tier,',
    ],
    [
      'POST',
      '/grants',
      { account: id, credits: 0 },
      400,
      'credits: expected a whole number from 1',
    ],
    [
      'POST',
      '/grants',
      { account: id, credits: 5, expires: '2020-01-01' },
      400,
      'expires: expected',
    ],
    ['POST', '/grants', { account: unknown, credits: 5 }, 404, 'the account is gone'],
    ['POST', '/grants', { account: 'ada', credits: 5 }, 400, "account: expected an account's id"],
    ['PUT', `/accounts/${id}/plan`, { plan: 'gold' }, 400, 'plan: expected one of essential,'],
    ['DELETE', `/accounts/${id}/plan`, undefined, 400, 'the account has no plan'],
    ['POST', '/records', { company: [] }, 400, 'records: there is no option company'],
    ['POST', '/records', { companies: [{}] }, 400, 'companies: 1 refused, the first of them row 1'],
    [
      'GET',
      '/calls?since=1',
      undefined,
      400,
      '/calls: there is no parameter since; there are account',
    ],
    ['GET', '/nothing', undefined, 404, 'there is no such operation'],
    ['PUT', '/reset', undefined, 404, 'there is no such operation'],
  ]
  for (const [method, path, body, status, message] of wrong) {
    const answer = await ask(method, path, body)
    expect([path, answer.status, answer.body.error.message]).toEqual([
      path,
      status,
      expect.stringContaining(message),
    ])
  }
})

test('listens on this machine alone', async () => {
  await expectRejection(fetch(server.controlUrl.replace('127.0.0.1', '127.0.0.2')))
})

describe('its OpenAPI document', () => {
  test('is valid and lists every operation, with the names that the kit knows', async () => {
    const { body: document } = await ask('GET', '/openapi.json')
    await SwaggerParser.validate(structuredClone(document))
    const operations = Object.entries<Record<string, object>>(document.paths).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(operations).toContain('post /accounts/{id}/keys')
    expect(operations.length).toBeGreaterThan(20)
    for (const { responses } of Object.values<Record<string, { responses: object }>>(
      document.paths,
    ).flatMap((methods) => Object.values(methods))) {
      expect(Object.keys(responses)).toContain('403')
    }
    expect(document.servers[0].url).toBe(server.controlUrl)
    const names = ({ properties }: TSchema) => Object.keys(properties)
    expect(names(schemas.newAccount)).toEqual([...ACCOUNT_OPTIONS])
    expect(names(schemas.newKey)).toEqual([...KEY_OPTIONS])
    expect(names(schemas.newUser)).toEqual([...USER_OPTIONS])
    expect(names(schemas.newFault)).toEqual([...FAULT_OPTIONS])
  })

  test('says what is answered: addresses and time at its root', async () => {
    const { apiUrl, appUrl, controlUrl } = server
    expect((await ask('GET', '/')).body).toEqual({ apiUrl, appUrl, controlUrl, now: NOW })
  })
})
