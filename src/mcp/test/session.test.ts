/** A session pays once for what it repeats, and its schemas are those of the contract. */
import { describe, expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { ApiError } from '../../contract/errors.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { BODIES } from '../../contract/schemas/bodies.ts'
import type { Fetch } from '../../sdk/chainkin.ts'
import { DOCUMENTS } from '../../site/docs/documents.ts'
import { fixtures, startDirectory } from '../../testing/start.ts'
import { inputSchemaOf, offered, parseArguments } from '../inputs.ts'
import { DOCS_PAGES } from '../resources.ts'
import { jsonSchemaOf } from '../schemas.ts'
import { Session } from '../session.ts'
import { READING_TOOLS } from '../tools.ts'

const dir = shared(
  () => startDirectory({ listen: false }),
  (started) => started.stop(),
)
const { signal } = new AbortController()

describe('a session', () => {
  test('goes on with a call whose answer was lost when the model repeats it: both are charged once', async () => {
    const account = await dir.account({ tier: 'pro', credits: 100 })
    let losing = true
    let last: Parameters<Fetch> | undefined
    const session = new Session({
      url: dir.url,
      key: account.key,
      maxCredits: null,
      async fetch(url, init) {
        last = [url, init]
        const answer = await dir.fetch(url, init)
        if (!losing) return answer
        await answer.text()
        throw new TypeError('the connection broke')
      },
    })
    const read = () => session.read('person', { id: fixtures.people.ada.id }, signal)
    expect(await rejection(read())).toMatchObject({ code: 'no_answer', charged: null })
    expect(await account.balance()).toBe(95)
    losing = false
    expect((await read()).meta).toMatchObject({ creditsCharged: 0, creditsBalance: 95 })
    // The next one is a call of its own.
    expect((await read()).meta).toMatchObject({ creditsCharged: 5, creditsBalance: 90 })
    expect(await account.balance()).toBe(90)

    // Repeats that are used up don't keep the model from a new call.
    losing = true
    await rejection(read())
    losing = false
    const [url, { headers, method }] = last!
    for (let repeats = 2; repeats < IDEMPOTENT_REPEATS; repeats++) {
      await dir.fetch(url, { method, headers })
    }
    const error = await rejection(read())
    expect(error).toMatchObject({ code: 'idempotency_key_exhausted', charged: 0 })
    expect((await read()).meta).toMatchObject({ creditsCharged: 5, creditsBalance: 80 })
  })

  test('knows when its key is no longer taken', async () => {
    const session = new Session({
      url: dir.url,
      key: 'ck_live_nobody',
      maxCredits: 5,
      fetch: dir.fetch,
    })
    const error = await rejection(session.account(signal))
    expect([error, session.isRefused]).toEqual([expect.objectContaining({ status: 401 }), true])
    expect(String(error)).not.toContain('ck_live_nobody')
  })
})

describe('schemas', () => {
  test('say the form of an answer, and leave the fields of records open, which `fields` decides', () => {
    for (const { live } of Object.values(BODIES)) {
      const text = JSON.stringify(jsonSchemaOf(live))
      const { type, properties } = JSON.parse(text)
      expect([type, Object.keys(properties)]).toEqual(['object', Object.keys(live.properties)])
      expect(text).not.toMatch(/"additionalProperties"|"\$id"|"\$ref"|"required"/)
      expect(properties.meta).toEqual({ type: 'object' })
    }
  })

  test('offer what the contract takes, and no reveal beside the tool that asks', () => {
    for (const { name, parameters } of READING_TOOLS) {
      expect([name, Object.keys(parameters)]).toEqual([
        name,
        expect.not.arrayContaining(['include']),
      ])
      expect(inputSchemaOf(parameters)).toMatchObject({
        type: 'object',
        additionalProperties: false,
      })
    }
    const people = READING_TOOLS.find(({ name }) => name === 'list_people')?.parameters ?? {}
    expect(
      parseArguments(people, { roles: ['founder', 'legal'], limit: 100, q: null, sort: '' }),
    ).toEqual({ roles: ['founder', 'legal'], limit: 100, page: 1 })
    expect(parseArguments(people, undefined)).toMatchObject({ limit: 10 })
    expect(offered({}).limit).toBeUndefined()
    expect(parseArguments(people, { roles: [], sector: '[]' })).toEqual({ limit: 10, page: 1 })
    for (const given of [{ q: '\ud800' }, { '\ud800': 'a' }, { roles: [['founder']] }]) {
      expect(() => parseArguments(people, given)).toThrow(ApiError)
    }
  })

  test.each([
    [{ roles: '["founder"]' }, { roles: ['founder'] }],
    [{ roles: ' ["founder","legal"] ' }, { roles: ['founder', 'legal'] }],
    [{ roles: 'founder,legal' }, { roles: ['founder', 'legal'] }],
    [{ sector: '["DeFi"]' }, { sector: ['DeFi'] }],
    [{ channels: '[]' }, {}],
    [{ sort: '', q: '', contactType: null, roles: '' }, {}],
    [{ limit: '5' }, { limit: 5 }],
    [{ limit: null, page: '' }, {}],
  ])('a model’s %j is read as it is meant', (given, read) => {
    const people = READING_TOOLS.find(({ name }) => name === 'list_people')?.parameters ?? {}
    expect(parseArguments(people, given)).toEqual({ limit: 10, page: 1, ...read })
  })

  test.each([
    [{ roles: "['founder']" }, 'roles must be a list of texts'],
    [{ sector: '{"any":"DeFi"}' }, 'sector must be a list of texts'],
    [{ roles: ['[founder'] }, 'roles may hold founder'],
    [{ roles: 'wizard' }, 'roles may hold founder'],
    [{ limit: 101 }, 'limit must be a whole number from 1 to 100.'],
    [{ limit: 0 }, 'limit must be a whole number from 1 to 100.'],
    [{ limit: '1e9' }, 'limit must be a whole number from 1 to 100.'],
    [{ limit: 2.5 }, 'limit must be a whole number'],
    [{ page: 0 }, 'page must be a whole number from 1 on.'],
    [{ fields: ['phoneNumber'] }, 'fields may hold all'],
  ])('%j is refused with what is allowed', (given, words) => {
    const people = READING_TOOLS.find(({ name }) => name === 'list_people')?.parameters ?? {}
    expect(() => parseArguments(people, given)).toThrow(words)
  })
})

test('pages of the documentation that are resources exist', () => {
  const paths = DOCUMENTS.map(({ path }) => path)
  for (const { page } of DOCS_PAGES) expect(paths).toContain(`/docs/${page}`)
})
