/** Answers that this API does not give: what the client makes of them, and that it neither hurries, pays nor tells its key. */
import { describe, expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import { Chainkin, type ChainkinOptions, isChainkinError } from '../chainkin.ts'

const KEY = 'ck_live_secret'
const META = { creditsCharged: 5, creditsBalance: 95 }

/** Answers to the attempts; the last one repeats. */
type Reply = { status?: number; body?: unknown; headers?: Record<string, string> }

function clientOf(replies: Reply[], options: Partial<ChainkinOptions> = {}) {
  const slept: number[] = []
  const sent: string[] = []
  const client = new Chainkin({
    url: 'https://api.example',
    key: KEY,
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
    },
    fetch: async (url) => {
      sent.push(url)
      const {
        status = 200,
        body,
        headers = {},
      } = (replies.length > 1 && replies.shift()) || replies[0]!
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return { status, headers: new Headers(headers), text: async () => text }
    },
    ...options,
  })
  return { client, slept, sent }
}

async function failureOf(call: Promise<unknown>) {
  const error = await rejection(call)
  if (!isChainkinError(error)) throw error
  return error
}

describe('a redirect', () => {
  test('is not followed, so that the key goes nowhere else, and is said to be one', async () => {
    const seen: (string | null)[] = []
    using elsewhere = Bun.serve({
      port: 0,
      fetch({ headers }) {
        seen.push(headers.get('authorization'))
        return Response.json({ meta: META, data: [] })
      },
    })
    for (const status of [301, 302, 303, 307, 308]) {
      using server = Bun.serve({
        port: 0,
        fetch: () => new Response('', { status, headers: { location: String(elsewhere.url) } }),
      })
      const client = new Chainkin({ url: server.url, key: KEY })
      const error = await failureOf(client.listPeople())
      expect([error.code, error.status, error.attempts]).toEqual(['unexpected_answer', status, 1])
      expect(error.message).toContain(`a redirect to ${elsewhere.url}`)
      expect(await failureOf(client.quote('listPeople', {}))).toMatchObject({ status })
    }
    expect(seen).toEqual([])
  })

  test('is one in a browser too, which says nothing of it', async () => {
    const { client, sent } = clientOf([{ status: 0, body: '' }])
    const error = await failureOf(client.listPeople())
    expect([error.code, sent.length]).toEqual(['unexpected_answer', 1])
    expect(error.message).toContain('redirect')
  })
})

describe('times to wait', () => {
  const refused = (retryAfter: unknown): Reply => ({
    status: 429,
    body: { error: { code: 'rate_limited', message: 'Wait.', charged: 0, retryAfter } },
  })
  const answered: Reply = { body: { data: [], meta: META } }

  test.each([0, -5, '9', null])('a 429 that says %j is waited out for a second', async (asked) => {
    const { client, slept } = clientOf([refused(asked), answered])
    await client.listPeople()
    expect(slept).toHaveLength(1)
    expect(slept[0]).toBeGreaterThan(900)
    expect(slept[0]).toBeLessThan(1_300)
  })

  test('a 429 for years ends the call with what it said, and no timer overflows', async () => {
    const { client, slept, sent } = clientOf([refused(1e300)])
    expect(await failureOf(client.listPeople())).toMatchObject({ retryAfter: 1e300 })
    const others = await Promise.all([1, 2].map(() => failureOf(client.listPeople())))
    expect(others.map(({ code, charged }) => [code, charged])).toEqual(
      Array(2).fill(['rate_limited', 0]),
    )
    expect([sent.length, slept]).toEqual([1, []])
  })

  test('a proxy’s Retry-After is kept as a date too, and no pause is shorter than the client’s own', async () => {
    const later = (value: string): Reply => ({
      status: 503,
      body: '',
      headers: { 'retry-after': value },
    })
    const in9s = new Date(Date.now() + 9_500).toUTCString()
    const past = new Date(0).toUTCString()
    const { client, slept } = clientOf([later(in9s), later(past), later('-7'), answered])
    await client.listPeople()
    expect(slept.map((pause, n) => pause >= [8_000, 250, 500][n]!)).toEqual([true, true, true])
    expect(slept[0]).toBeLessThan(12_000)
    expect(Math.max(...slept.slice(1))).toBeLessThan(3_000)
  })
})

describe('bodies', () => {
  test('of another form are errors, whatever their status', async () => {
    const replies: Reply[] = [
      { body: '<html>' },
      { body: 'null' },
      { body: '[]' },
      { body: { data: [] } },
      { body: { meta: { creditsCharged: -5, creditsBalance: 5 } } },
      { body: '{"meta":{"creditsCharged":1e999,"creditsBalance":5}}' },
      { body: { meta: { creditsCharged: '5', creditsBalance: 5 } } },
      { status: 204, body: '' },
      { status: 401, body: { error: 'no' } },
      { status: 418, body: { error: { code: 7 } } },
    ]
    for (const reply of replies) {
      const { client, sent } = clientOf([reply])
      const error = await failureOf(client.listPeople())
      const { code, charged } = error
      expect([reply, code, charged, sent.length]).toEqual([reply, 'unexpected_answer', null, 1])
      expect([reply, client.spent]).toEqual([reply, 5])
    }
  })

  test('that were cut off are asked for again', async () => {
    const cut = { body: '{"data":[', headers: { 'content-type': 'application/json' } }
    const { client, sent } = clientOf([cut], { retries: 2 })
    expect([(await failureOf(client.listPeople())).code, sent.length]).toEqual(['no_answer', 3])
  })

  test('that repeat one page end a walk, which would pay for it for ever', async () => {
    const page = (number: unknown) => ({
      body: { data: [], page: number, totalPages: 9, meta: META },
    })
    const { client, sent } = clientOf([page(1)])
    let pages = 0
    const walk = async () => {
      for await (const _ of client.pages('listPeople')) pages++
    }
    const error = await failureOf(walk())
    expect([error.code, error.status, pages, sent.length]).toEqual(['unexpected_answer', 200, 1, 2])
    const { client: without } = clientOf([page(undefined)])
    expect((await failureOf(without.records('listPeople').next())).code).toBe('unexpected_answer')
  })
})

test('parameters that would be left out unseen are refused', async () => {
  const { client, sent } = clientOf([{ body: { data: [], meta: META } }])
  const queries = [new URLSearchParams({ q: 'ada' }), new Map([['q', 'ada']]), ['q'], 'q=ada']
  for (const query of queries) {
    const error = await failureOf(client.listPeople(query as never))
    expect([error.code, error.parameter]).toEqual(['invalid_parameter', 'query'])
  }
  expect(sent).toEqual([])
})

test('an error of a quote has what its code promises, although HEAD has no body', async () => {
  const headers = { 'service-outcome': 'invalid_parameter' }
  const { client } = clientOf([{ status: 400, body: '', headers }])
  const error = await failureOf(client.quote('listPeople', {}))
  if (error.code !== 'invalid_parameter') throw error
  const parameter: string = error.parameter
  expect([parameter, typeof error.allowed, error.charged]).toEqual(['query', 'string', 0])
})
