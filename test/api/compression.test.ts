/** Answers are compressed for callers that take it: the same body, price and headers, and nothing private is kept. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { startDirectory } from '../../src/testing/start.ts'
import { ADA } from '../helpers/fixtures.ts'
import { startApi } from './setup.ts'

const GZIP = { 'accept-encoding': 'gzip' }

const { service, caller } = await startApi()

/** The answer's body as it was sent. */
async function sentBody(path: string, headers: Record<string, string> = {}) {
  const authorized = { authorization: `Bearer ${caller.key}`, ...headers }
  const response = await service.api(
    Object.assign(new Request(`http://api.test${path}`, { headers: authorized }), {
      socketAddress: '192.0.2.1',
    }),
  )
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

async function unpacked(path: string) {
  const { response, bytes } = await sentBody(path, GZIP)
  expect([path, response.headers.get('content-encoding')]).toEqual([path, 'gzip'])
  return gunzipSync(bytes).toString()
}

/** A body without its balance, which every call lowers. */
const free = (text: string) => text.replace(/"creditsBalance":\d+/g, '')

describe('a body of a kilobyte or more', () => {
  const paths = ['/v1/people', '/v1/projects', '/v1/search?q=a', `/v1/people/${ADA.slug}`, '/v1/me']
  test.each(paths)('of %s is smaller and holds the same', async (path) => {
    const { response, bytes } = await sentBody(path)
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(bytes.length).toBeGreaterThan(1_024)
    const packed = await sentBody(path, GZIP)
    expect(packed.response.headers.get('content-encoding')).toBe('gzip')
    expect(packed.bytes.length).toBeLessThan(bytes.length)
    expect(free(gunzipSync(packed.bytes).toString())).toBe(free(bytes.toString()))
  })

  test('costs the same and says the balance of its own call each time it is sent', async () => {
    const path = '/v1/people?sort=name'
    const before = await service.balance(caller.id)
    for (const call of [1, 2, 3]) {
      const { meta } = JSON.parse(await unpacked(path))
      expect(meta).toEqual({ creditsCharged: 5, creditsBalance: before - 5 * call })
    }
    expect(await service.balance(caller.id)).toBe(before - 15)
  })

  test('of a sample is compressed too', async () => {
    const poor = await service.account()
    const headers = { authorization: `Bearer ${poor.key}` }
    const { response, bytes } = await sentBody('/v1/people', { ...GZIP, ...headers })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(JSON.parse(gunzipSync(bytes).toString()).sample).toBe(true)
  })
})

test('a short body, an error and a HEAD are not compressed, and say with all others that encodings differ', async () => {
  const { response: short, bytes } = await sentBody('/v1/people?q=nobody-at-all', GZIP)
  expect([short.status, short.headers.get('content-encoding')]).toEqual([200, null])
  expect(JSON.parse(bytes.toString()).total).toBe(0)
  const { response: refused } = await sentBody('/v1/people?sort=oldest', GZIP)
  const authorization = `Bearer ${caller.key}`
  const head = await service.request('/v1/people', {
    method: 'HEAD',
    headers: { authorization, ...GZIP },
  })
  const { response: long } = await sentBody('/v1/people', GZIP)
  const { response: plain } = await sentBody('/v1/people')
  for (const { headers } of [short, refused, head, long, plain]) {
    expect(headers.get('vary')).toBe('Accept-Encoding')
  }
  for (const { headers } of [refused, head]) expect(headers.has('content-encoding')).toBe(false)
})

test('an answer with somebody unlocked is compressed for its account, and others get a locked one', async () => {
  const path = `/v1/people/${ADA.slug}`
  const revealed = JSON.parse(await unpacked(`${path}?include=private`))
  const { email } = revealed.data.person
  expect(email).toBeString()
  const kept = service.directory.answers.bytes
  expect(await unpacked(path)).toContain(email)
  // Nothing of it is kept, however often it is sent.
  expect(service.directory.answers.bytes).toBe(kept)
  const other = await service.account({ credits: 5 })
  const { bytes } = await sentBody(path, { ...GZIP, authorization: `Bearer ${other.key}` })
  const answer = JSON.parse(gunzipSync(bytes).toString())
  expect([answer.data.person.isLocked, answer.data.person.email]).toEqual([true, null])
})

describe('over HTTP', () => {
  let dir: Awaited<ReturnType<typeof startDirectory>>
  beforeAll(async () => {
    dir = await startDirectory({ environment: { CORS_ORIGINS: 'https://dashboard.example' } })
  })
  afterAll(() => dir[Symbol.asyncDispose]())

  test('Content-Length is that of the compressed body, and a client reads it as any other', async () => {
    const account = await dir.account({ credits: 100 })
    const url = `${dir.url}/v1/people`
    const headers = { authorization: `Bearer ${account.key}`, origin: 'https://dashboard.example' }
    // Of the runtime's own client alone: it hands on what was sent.
    const raw = await fetch(url, { headers: { ...headers, ...GZIP }, decompress: false })
    const bytes = Buffer.from(await raw.arrayBuffer())
    expect(raw.headers.get('content-length')).toBe(String(bytes.length))
    expect(raw.headers.get('vary')).toBe('Accept-Encoding, Origin')
    const client = await fetch(url, { headers })
    const plain = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } })
    const text = await plain.text()
    expect(plain.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(free(await client.text())).toBe(free(text))
    expect(free(gunzipSync(bytes).toString())).toBe(free(text))
  })
})
