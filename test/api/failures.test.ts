/** contract/Errors 5xx: a failure that nobody foresaw. It costs nothing, and neither answer nor log says what is private. */
import { describe, expect, spyOn, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { incoming } from '../../src/runtime.ts'
import { ADA, AURORA, COMPANIES, PEOPLE, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { BASE_URL } from '../helpers/service.ts'
import { startApi } from './setup.ts'

const { service, caller } = await startApi({ credits: 1_000 })

function expectNothingPrivate(text: string) {
  for (const value of PRIVATE_VALUES) expect(text).not.toContain(value)
}

describe('a failure in the middle of a read', () => {
  test.each([
    ['an Error', new Error(`postgres://root:hunter2@10.0.0.5 refused ${ADA.email}`)],
    ['no Error', 'hunter2'],
  ])('of %s is a 500 with the request id, for nothing', async (_, thrown) => {
    const broken = spyOn(service.directory, 'ready').mockImplementation(() => {
      throw thrown
    })
    const [balance, lines] = [await service.balance(caller.id), service.logged.length]
    const headers = { 'x-request-id': 'job-9' }
    const answer = await caller.get(`/v1/people/${ADA.id}`, headers)
    broken.mockRestore()
    const { error } = answer.body
    expect([answer.status, error.code, error.charged]).toEqual([500, 'internal_error', 0])
    expect(error.message).toContain('job-9')
    expect(await service.balance(caller.id)).toBe(balance)
    // The log has the request id and the place, but not the message, which may hold anything.
    const logged = service.logged.slice(lines).join('\n')
    expect(logged).toContain('a call failed')
    expect(logged).toContain('job-9')
    for (const text of [answer.text, logged]) {
      expectNothingPrivate(text)
      expect(text).not.toContain('hunter2')
    }
    for (const internal of ['src/', '.ts', 'Error:']) expect(answer.text).not.toContain(internal)
    const { status, body } = await caller.get(`/v1/projects/${AURORA.slug}`)
    expect([status, body.meta.creditsBalance]).toEqual([200, balance - 5])
  })
})

describe('privacy', () => {
  test('after mixed calls the log holds no channel, no key and no query text', async () => {
    const paths = [
      ...PEOPLE.map(({ id }) => `/v1/people/${id}?include=private`),
      ...COMPANIES.map(({ id }) => `/v1/projects/${id}`),
      ...['/v1/people', '/v1/search?q=a', '/v1/me', '/v1/projects?secret-parameter=1'],
    ]
    await Promise.all(paths.map((path) => caller.get(path)))
    const logged = service.logged.join('\n')
    expectNothingPrivate(logged)
    expect(logged).not.toContain(caller.key)
    expect(logged).not.toContain('secret-parameter')
    const rows = await service.sql`select row_to_json(l)::text as row from ledger l`
    expectNothingPrivate(rows.map(({ row }) => row).join('\n'))
  })

  test('the directory’s memory holds no channel, and no answer with one is kept', async () => {
    const headers = { authorization: `Bearer ${caller.key}`, 'accept-encoding': 'gzip' }
    const read = async () => {
      const request = new Request(`${BASE_URL}/v1/people/${ADA.slug}?include=private`, { headers })
      return (await service.api(incoming(request, '192.0.2.1'))).arrayBuffer()
    }
    await read()
    await read()
    const { bytes } = service.directory.answers
    expect(gunzipSync(await read()).toString()).toContain(ADA.email)
    expect(service.directory.answers.bytes).toBe(bytes)
    const seen = new Set<unknown>()
    const people = PEOPLE.map(({ id }) => service.directory.person(id))
    const text = JSON.stringify(people, (_, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value
      if (seen.has(value)) return undefined
      seen.add(value)
      // Texts of records stand on pages of bytes, which JSON has as numbers.
      const { type, data } = value as { type?: string; data?: number[] }
      return type === 'Buffer' && data ? Buffer.from(data).toString() : value
    })
    expect(text).toContain(ADA.slug)
    expectNothingPrivate(text)
  })
})
