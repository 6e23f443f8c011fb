import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { fixtures, startDirectory, type TestDirectory } from 'chainkin/testing'
import { Client } from '../src/client'

const { ada, cleo } = fixtures.people

let dir: TestDirectory
beforeAll(async () => {
  dir = await startDirectory({ now: '2026-01-31T10:00:00.000Z' })
}, 300_000)
afterEach(() => dir.reset())
afterAll(() => dir.stop())

/** Instead of waiting, the client moves the directory's clock. */
const sleep = (seconds: number) => dir.advance(`${seconds}s`)
const clientOf = (key: string) => new Client({ url: dir.url, key, sleep })

test('balance: each call that was answered has its price', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const client = clientOf(account.key)
  expect(await client.balance()).toBe(100)
  expect(await client.person(ada.slug)).toMatchObject({ id: ada.id, isLocked: true, email: null })
  expect(await client.balance()).toBe(95)
})

test('402: a paid account without credits is told what is missing', async () => {
  const { key } = await dir.account({ tier: 'pro', credits: 4 })
  await expect(clientOf(key).person(ada.slug)).rejects.toMatchObject({
    status: 402,
    code: 'insufficient_credits',
    credits: { required: 5, balance: 4 },
  })
})

test('sample: invented records are never taken for real ones', async () => {
  const account = await dir.account({ tier: 'free' })
  const client = clientOf(account.key)
  await expect(client.person(ada.slug)).rejects.toThrow('NOT REAL DATA')
  await account.grant(5, 'trial')
  expect((await client.person(ada.slug)).firstName).toBe('Ada')
})

test('trial: its credits are gone after a week', async () => {
  const account = await dir.account()
  await account.grant(250, 'trial')
  await dir.advance('7d')
  expect(await clientOf(account.key).balance()).toBe(0)
})

test('429: waits until the window ends, then goes on', async () => {
  const { key } = await dir.account({ tier: 'pro', credits: 5 })
  const client = clientOf(key)
  for (let call = 0; call < 120; call++) await client.balance()
  expect((await client.person(ada.slug)).id).toBe(ada.id)
})

test('reveal: 10 credits once, then the contact stays unlocked', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const client = clientOf(account.key)
  expect((await client.reveal(ada.slug)).email).toBe(ada.email)
  expect((await client.person(ada.slug)).email).toBe(ada.email)
  expect((await account.ledger()).map(({ credits }) => credits)).toEqual([100, -10, -5])
})

test('reveal: a contact without channels costs an ordinary read', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  expect((await clientOf(account.key).reveal(cleo.slug)).isLocked).toBe(true)
  expect(await account.balance()).toBe(95)
})

test('reveal: a key for metadata alone is refused', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const key = await account.newKey({ scopes: ['read:metadata'] })
  await expect(clientOf(key).reveal(ada.slug)).rejects.toMatchObject({ code: 'missing_scope' })
})

test('outage: tries again and is charged once', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  dir.outage(1_000)
  expect((await clientOf(account.key).person(ada.slug)).id).toBe(ada.id)
  expect(await account.balance()).toBe(95)
})

test('a failure of the server: tries again, and gives up at last', async () => {
  const { key } = await dir.account({ tier: 'pro', credits: 100 })
  dir.failNext()
  expect(await clientOf(key).balance()).toBe(100)
  dir.failNext(3)
  await expect(clientOf(key).balance()).rejects.toMatchObject({ code: 'internal_error' })
})

test('records of your own, without a port', async () => {
  await using own = await startDirectory({
    listen: false,
    companies: [{ slug: 'acme', name: 'Acme', companyType: 'project' }],
    people: [{ slug: 'zoe', firstName: 'Zoe', company: 'acme', email: 'zoe@acme.example' }],
  })
  const { key } = await own.account({ tier: 'pro', credits: 100 })
  const client = new Client({ url: own.url, key, fetch: (request) => own.fetch(request) })
  expect((await client.reveal('zoe')).email).toBe('zoe@acme.example')
})
