/** Rows of the contract's suite: a request, who sends it, and its answer. Each answer has what every answer has. */
import { expect } from 'bun:test'
import { REVEAL_CREDITS } from '../../src/contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts'
import { API_VERSION } from '../../src/contract/version.ts'
import { expectShape, type Shape } from '../helpers/shapes.ts'
import type { AccountOptions, Received, Sent, World } from './world.ts'

export interface Row extends Sent {
  /** The guarantee; the path where the group's name says it. */
  name?: string
  path: string
  /** An account made for this row; the suite's reader by default. Nobody sends no key, from an address of its own. */
  by?: AccountOptions | 'nobody'
  /** 200 by default, or that of the code. */
  status?: number
  /** The code of the error that is expected. */
  code?: ErrorCode
  /** Credits of a 200: the price of a call by default. */
  costs?: number
  /** Members of the body by path, as `data[].slug`. */
  holds?: Readonly<Record<string, unknown>>
  /** Names of members by path, in their order; '' is the body. */
  keys?: Readonly<Record<string, readonly string[]>>
  /** The shape of records by path. */
  shapes?: Readonly<Record<string, Shape>>
  /** Response headers; null for one that must be absent. */
  sends?: Readonly<Record<string, string | null>>
  /** Parts of the body's text, and parts that must not be in it. */
  says?: readonly string[]
  lacks?: readonly string[]
}

export interface Suite {
  world: World
  /** Declares a test. */
  check(name: string, work: () => Promise<void>): void
  /** Keeps an answer to compare it with those of other programs. */
  record?(name: string, answer: Received, isHead: boolean): void
}

/** Declares tests of one part of the contract. */
export interface Group {
  rows(rows: readonly Row[]): void
  story(name: string, work: (world: World) => Promise<void>): void
}

/** @param part begins each test's name, as `contract/Limits` */
export function group(suite: Suite, part: string, declare: (group: Group) => void): void {
  const { world, check, record } = suite
  declare({
    rows(rows) {
      for (const row of rows) {
        const request = `${row.method ?? 'GET'} ${row.path.slice(0, 100)}`
        const name = row.name ? `${part}: ${row.name}: ${request}` : `${part}: ${request}`
        check(name, async () => {
          const answer = await runRow(world, row)
          record?.(name, answer, row.method === 'HEAD')
        })
      }
    },
    story: (name, work) => check(`${part}: ${name}`, () => work(world)),
  })
}

async function runRow(world: World, row: Row): Promise<Received> {
  const { path, by, method, body, code, status = code ? ERRORS[code].status : 200 } = row
  const caller = by === 'nobody' ? undefined : by ? await world.account(by) : await world.reader()
  const key = caller ? { authorization: `Bearer ${caller.key}` } : world.fromElsewhere()
  const before = caller ? await world.balance(caller) : 0
  const answer = await world.api(path, {
    ...(method && { method }),
    ...(body !== undefined && { body }),
    headers: { ...key, ...row.headers },
  })
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code])
  expectWhole(world, answer, method)
  const isBilled = status === 200 && method !== 'HEAD'
  const costs = isBilled ? (row.costs ?? (answer.body.sample || path === '/v1/me' ? 0 : 5)) : 0
  if (isBilled) {
    const { creditsCharged, creditsBalance } = answer.body.meta
    expect({ creditsCharged, creditsBalance }).toEqual({
      creditsCharged: costs,
      creditsBalance: before - costs,
    })
  }
  if (caller) expect(await world.balance(caller)).toBe(before - costs)
  expectBody(answer, row)
  return answer
}

function expectBody({ headers, text, body }: Received, row: Row): void {
  for (const [path, expected] of Object.entries(row.holds ?? {})) {
    expect([path, at(body, path)]).toEqual([path, expected])
  }
  for (const [path, names] of Object.entries(row.keys ?? {})) {
    expect(Object.keys(at(body, path) as object)).toEqual([...names])
  }
  for (const [path, shape] of Object.entries(row.shapes ?? {})) {
    const records = [at(body, path)].flat() as object[]
    expect([path, records.length > 0]).toEqual([path, true])
    for (const record of records) expectShape(record, shape)
  }
  for (const [name, expected] of Object.entries(row.sends ?? {})) {
    expect([name, headers[name] ?? null]).toEqual([name, expected])
  }
  for (const part of row.says ?? []) expect(text).toContain(part)
  for (const part of row.lacks ?? []) expect(text).not.toContain(part)
}

/** The member at a path, as `data[].company.slug`; `[]` gathers those of each element. */
export function at(value: unknown, path: string): unknown {
  if (path === '') return value
  const [, name = '', isEach, rest = ''] = /^([^.[]*)(\[\])?\.?(.*)$/.exec(path) ?? []
  const member = (value as Record<string, unknown> | undefined)?.[name]
  if (!isEach) return at(member, rest)
  return Array.isArray(member) ? member.map((element) => at(element, rest)) : member
}

const RATES = [5, 20, 120, 300]

/** Expects of an answer of the API what every one has (contract, Versioning 2, Limits, Errors). */
export function expectWhole(
  { hosts }: World,
  { status, headers, text, body }: Received,
  method = 'GET',
) {
  const numbers = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`x-ratelimit-${name}`]),
  )
  const [limit = 0, remaining = -1, reset = 0] = numbers
  expect(RATES).toContain(limit)
  expect(remaining).toBeWithin(0, limit + 1)
  expect(Math.abs(reset - Date.now() / 1_000)).toBeLessThan(150)
  // A copy: where it matches, the matchers take the values' places.
  expect({ ...headers }).toMatchObject({
    'service-api-version': API_VERSION,
    'product-api-version': API_VERSION,
    'cache-control': 'no-store',
    vary: 'Accept-Encoding, Origin',
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
  })
  const isJson = status !== 204
  expect(headers['content-type']).toBe(isJson ? 'application/json; charset=utf-8' : undefined)
  expect(headers['retry-after'] !== undefined).toBe(status === 429 || status === 503)
  if (method === 'HEAD' || status === 204) expect(text).toBe('')
  else if (status >= 400) expectError(hosts.appUrl, body, headers)
}

function expectError(appUrl: string, body: Received['body'], headers: Received['headers']) {
  expect(Object.keys(body)).toEqual(['error'])
  const { code, message, docs, charged, retryAfter } = body.error
  expect([code, docs, charged]).toEqual([code, `${appUrl}/docs/errors#${code}`, 0])
  expect(message.length).toBeGreaterThan(10)
  expect(headers['retry-after']).toBe(retryAfter === undefined ? undefined : String(retryAfter))
  if (retryAfter !== undefined) expect(retryAfter).toBeWithin(1, 3_601)
}

/** How a GET ended, in the words of `Service-Outcome`, with its credits. */
export function endOf({ status, headers, body }: Received): string {
  if (status !== 200) return body.error.code
  if (headers['service-sample']) return `sample ${body.meta.creditsRequired}`
  if (headers['idempotent-replayed']) return 'replayed 0'
  const { creditsCharged } = body.meta
  return `${creditsCharged === REVEAL_CREDITS ? 'first_reveal' : 'live'} ${creditsCharged}`
}

/** How HEAD says that the GET would end, with the credits that it requires where a price is known. */
export function quoteOf({ headers }: Received): string {
  const outcome = headers['service-outcome']
  const required = headers['service-credits-required']
  return required !== undefined && /^(live|first_reveal|sample|replayed)$/.test(outcome ?? '')
    ? `${outcome} ${required}`
    : `${outcome}`
}
