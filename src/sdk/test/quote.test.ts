/** Quotes of prices. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import {
  type AccountOptions,
  fixtures,
  startDirectory,
  type TestDirectory,
} from '../../testing/start.ts'
import { Chainkin, type FetchInit, isChainkinError } from '../chainkin.ts'

const { ada } = fixtures.people
const REVEAL = { id: ada.slug, query: { include: 'private' } } as const

let dir: TestDirectory
beforeAll(async () => {
  dir = await startDirectory({ listen: false })
})
afterAll(() => dir.stop())

async function clientOf(account: AccountOptions) {
  const made = await dir.account(account)
  const methods: string[] = []
  const fetch = (url: string, init: FetchInit) => {
    methods.push(init.method)
    return dir.fetch(url, init)
  }
  const sleep = async () => {}
  const client = new Chainkin({ url: dir.url, key: made.key, maxCredits: 15, fetch, sleep })
  return { client, account: made, methods }
}

test('a quote says what the call then costs, and takes nothing', async () => {
  const { client, account, methods } = await clientOf({ tier: 'pro', credits: 15 })
  const quote = await client.quote('getPerson', REVEAL)
  expect<object>(quote).toEqual({
    outcome: 'first_reveal',
    creditsRequired: 10,
    creditsBalance: 15,
  })
  expect([quote.call.charged, client.spent, client.balance]).toEqual([0, 0, 15])
  expect([methods, await account.balance()]).toEqual([['HEAD'], 15])
  const { call } = await client.getPerson(ada.slug, { include: 'private' }, { idempotencyKey: 'a' })
  expect(call.charged).toBe(quote.creditsRequired)
  expect(await client.quote('getPerson', REVEAL)).toMatchObject({
    outcome: 'live',
    creditsRequired: 5,
  })
  const repeat = await client.quote('getPerson', REVEAL, { idempotencyKey: 'a' })
  expect(repeat).toMatchObject({ outcome: 'replayed', creditsRequired: 0 })
  await client.listPeople()
  expect((await client.quote('search', { query: { q: 'ada' } })).outcome).toBe(
    'insufficient_credits',
  )
})

test('a sample and a record that is not there are outcomes; what has no price is an error', async () => {
  const { client } = await clientOf({ tier: 'free' })
  expect((await client.quote('listProjects', {})).outcome).toBe('sample')
  const { client: rich } = await clientOf({ tier: 'pro', credits: 100 })
  expect((await rich.quote('getProject', { id: 'nobody' })).outcome).toBe('not_found')
  const error = await rejection(rich.quote('listPeople', { query: { sort: 'age' } as never }))
  if (!isChainkinError(error)) throw error
  expect([error.code, error.status, error.charged]).toEqual(['invalid_parameter', 400, 0])
})

test('a quote is repeated after a fault, and is no quote where the address is not the API’s', async () => {
  const { client, methods } = await clientOf({ tier: 'pro', credits: 100 })
  dir.failNext()
  expect((await client.quote('getProject', { id: 'aurora-protocol' })).outcome).toBe('live')
  expect(methods).toEqual(['HEAD', 'HEAD'])
  const wrong = new Chainkin({ url: dir.appUrl, key: 'ck_live_x', fetch: dir.fetch })
  expect(await rejection(wrong.quote('listPeople', {}))).toMatchObject({
    code: 'unexpected_answer',
  })
})
