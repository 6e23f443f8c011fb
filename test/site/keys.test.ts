/** The API page: keys are made, shown once, rotated and revoked; nobody's but one's own. */
import { expect, test } from 'bun:test'
import { createKey } from '../../src/money/accounts/keys.ts'
import { formatDay } from '../../src/site/ui/text.tsx'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { sharedTown, type Visitor } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

const BOTH = ['read:metadata', 'read:contacts']

async function makeKey(visitor: Visitor, label = 'script', scopes: readonly string[] = BOTH) {
  const shown = await visitor.submit('/keys', { label, scopes })
  const key = keyIn(await shown.text())
  const list = await visitor.text('/keys')
  const id = /\/keys\/revoke\?id=([0-9a-f-]{36})/.exec(list)?.[1] ?? ''
  return { key, id }
}

function keyIn(html: string): string {
  return /<code>(ck_live_\w+)<\/code>/.exec(html)?.[1] ?? ''
}

const statusOf = async (key: string) =>
  (await service.request('/v1/me', { headers: { authorization: `Bearer ${key}` } })).status

test('a key is shown on the answer to its making and on no other page, and works', async () => {
  const someone = await town.person()
  const response = await someone.submit('/keys', { label: 'nightly', scopes: BOTH })
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const key = keyIn(await response.text())
  expect(await statusOf(key)).toBe(200)
  const list = await someone.text('/keys')
  expect(list).toContain('nightly')
  expect(list).toContain(`${key.slice(0, 8)}`)
  expect(list).not.toContain(key)
})

test('the list says when a key was last used, and how often in 30 days', async () => {
  const someone = await town.person()
  const { key } = await makeKey(someone)
  expect(await someone.text('/keys')).toContain('Not in 30 days')
  for (let call = 0; call < 3; call++) {
    await service.request('/v1/projects', { headers: { authorization: `Bearer ${key}` } })
  }
  const list = await someone.text('/keys')
  expect(list).not.toContain('Not in 30 days')
  expect(list).toContain('data-label="Calls in 30 days">3</td>')
})

test('a key has the scopes that were ticked', async () => {
  const someone = await town.person()
  const { key } = await makeKey(someone, 'metadata', ['read:metadata'])
  const headers = { authorization: `Bearer ${key}` }
  const read = await service.request('/v1/projects', { headers })
  const reveal = await service.request(`/v1/people/${ADA.slug}?include=private`, { headers })
  expect([read.status, reveal.status, reveal.body.error.code]).toEqual([200, 403, 'missing_scope'])
})

test.each([
  ['label', { label: ' ', scopes: BOTH }],
  ['label', { label: 'a'.repeat(101), scopes: BOTH }],
  ['scopes', { label: 'x', scopes: [] }],
  ['scopes', { label: 'x', scopes: ['read:contacts'] }],
  ['scopes', { label: 'x', scopes: ['read:metadata', 'write:all'] }],
])('a wrong %s is said beside it, and makes no key: %j', async (field, fields) => {
  const someone = await town.person()
  const response = await someone.submit('/keys', fields)
  expect(response.status).toBe(422)
  expect(await response.text()).toContain(`id="field-${field}-problem"`)
  expect(await someone.text('/keys')).toContain('Create your first key')
})

test.each([
  ['expires', { expires: '8' }],
  ['cap', { cap: '1.5', capPeriod: 'day' }],
  ['cap', { cap: '0', capPeriod: 'day' }],
  ['capPeriod', { cap: '10', capPeriod: 'week' }],
  ['networks', { networks: '203.0.113.0/33' }],
])('a wrong limit %s is said beside it, unfolded, and makes no key: %j', async (field, fields) => {
  const someone = await town.person()
  const response = await someone.submit('/keys', { label: 'x', scopes: BOTH, ...fields })
  expect(response.status).toBe(422)
  const text = await response.text()
  expect(text).toContain(`id="field-${field}-problem"`)
  expect(text).toContain('<details class="limits" open')
  const empty = await someone.text('/keys')
  expect(empty).toContain('Create your first key')
  expect(empty).toContain('<details class="limits">')
})

test('limits of the form are the key’s, are listed, and go on with its rotation', async () => {
  const someone = await town.person()
  const limits = { expires: '30', cap: '1000', capPeriod: 'month', networks: '203.0.113.0/24 ::1' }
  const shown = await someone.submit('/keys', { label: 'x', scopes: BOTH, ...limits })
  const headers = { authorization: `Bearer ${keyIn(await shown.text())}` }
  const { body } = await service.request('/v1/me', { headers }, '203.0.113.5')
  expect(body.apiKey).toMatchObject({
    cap: { credits: 1_000, period: 'month', spent: 0 },
    networks: ['203.0.113.0/24', '::1'],
  })
  const list = await someone.text('/keys')
  expect(list).toContain('0 of 1,000 credits this month')
  expect(list).toContain('From 203.0.113.0/24, ::1')
  expect(list).toContain('Expires')
  const id = /\/keys\/rotate\?id=([0-9a-f-]{36})/.exec(list)?.[1] ?? ''
  const rotated = await someone.submit(`/keys/rotate?id=${id}`, { id, grace: '0' })
  const next = { authorization: `Bearer ${keyIn(await rotated.text())}` }
  const me = await service.request('/v1/me', { headers: next }, '203.0.113.5')
  expect(me.body.apiKey).toEqual({ ...body.apiKey, prefix: expect.any(String) })
})

test('a rotation says that the end stays, and when the old key really stops', async () => {
  const someone = await town.person()
  const limits = { expiresSeconds: 2 * 86_400 }
  const made = await createKey(service.database, someone.accountId, 'x', ['read:metadata'], limits)
  const end = formatDay(made.expiresAt ?? '')
  const asked = await someone.text(`/keys/rotate?id=${made.id}`)
  expect(asked).toMatch(new RegExp(`both stop on <time [^>]*>${end}</time>`))
  const fields = { id: made.id, grace: '7' }
  const shown = await (await someone.submit(`/keys/rotate?id=${made.id}`, fields)).text()
  expect(shown).toContain(`The old key expires on ${end}. The new one expires on ${end}.`)
})

test('revoking asks first, and ends the key with the press', async () => {
  const someone = await town.person()
  const { key, id } = await makeKey(someone)
  const question = await someone.text(`/keys/revoke?id=${id}`)
  expect(question).toContain('Revoke “script”?')
  expect(await statusOf(key)).toBe(200)
  const done = await someone.submit(`/keys/revoke?id=${id}`, { id })
  expect(done.headers.get('location')).toBe('/keys?said=revoked')
  expect(await statusOf(key)).toBe(401)
  expect((await someone.get(`/keys/revoke?id=${id}`)).status).toBe(404)
})

test('rotating makes a new key; the old one goes on for its days of grace, or ends at once', async () => {
  for (const [grace, status] of [
    ['7', 200],
    ['0', 401],
  ] as const) {
    const someone = await town.person()
    const { key, id } = await makeKey(someone)
    const written = id.toUpperCase()
    const response = await someone.submit(`/keys/rotate?id=${written}`, { id: written, grace })
    const next = keyIn(await response.text())
    expect([grace, await statusOf(next), await statusOf(key)]).toEqual([grace, 200, status])
    expect(next).not.toBe(key)
  }
})

test.each(['8', '-1', '1.5', 'x', ''])(
  'a grace time of "%s" is refused beside its field',
  async (grace) => {
    const someone = await town.person()
    const { key, id } = await makeKey(someone)
    const response = await someone.submit(`/keys/rotate?id=${id}`, { id, grace })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('id="field-grace-problem"')
    expect(await statusOf(key)).toBe(200)
  },
)
