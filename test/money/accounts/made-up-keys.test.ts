/** Made-up keys cost a few statements however many there are, and first calls of real keys go on beside them. */
import { expect, test } from 'bun:test'
import { generateApiKey } from '../../../src/money/accounts/api-key.ts'
import { createKeyCache } from '../../../src/money/accounts/key-cache.ts'
import { counted } from '../../helpers/counted.ts'
import { sharedService } from '../../helpers/shared.ts'

const service = sharedService()

/** Far less than one for each. */
const FEW = 5

const madeUp = (count: number) => Array.from({ length: count }, () => generateApiKey().key)
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

test('a thousand made-up keys at once are looked up in a few statements, and a real key among them is found', async () => {
  const { used, database } = counted(service.database)
  const keys = createKeyCache(database)
  const { id, key } = await service.account()
  const lookUps = madeUp(1_000).map((it) => keys.resolve(it))
  const real = keys.resolve(key)
  expect((await Promise.all(lookUps)).filter((it) => it !== undefined)).toEqual([])
  expect((await real)?.accountId).toBe(id)
  expect(used.times).toBeLessThanOrEqual(FEW)
})

test('a real key is found behind 20,000 made-up keys that came at once', async () => {
  const { used, database } = counted(service.database)
  const keys = createKeyCache(database)
  const { id, key } = await service.account()
  const lookUps = madeUp(20_000).map((it) => keys.resolve(it))
  const real = keys.resolve(key)
  expect((await Promise.all(lookUps)).filter((it) => it !== undefined)).toEqual([])
  expect((await real)?.accountId).toBe(id)
  expect(used.times).toBeLessThanOrEqual(20 + FEW)
})

test('made-up keys of addresses over their limit are looked up apart, and no more than may wait', async () => {
  const { used, database } = counted(service.database)
  const keys = createKeyCache(database)
  const { id, key } = await service.account()
  const real = keys.resolve(key, () => true)
  const lookUps = await Promise.all(madeUp(5_000).map((it) => keys.resolve(it, () => true)))
  expect(lookUps.filter((it) => it !== undefined)).toEqual([])
  expect((await real)?.accountId).toBe(id)
  expect(used.times).toBeLessThanOrEqual(FEW)
})

test('from an address over its limit every made-up key is a 429, and a key that this instance has not seen is let in', async () => {
  const address = '192.0.2.77'
  for (const key of madeUp(21)) await service.request('/v1/me', bearer(key), address)
  const { key } = await service.account()
  const [real, ...others] = await Promise.all(
    [key, ...madeUp(300)].map((it) => service.request('/v1/me', bearer(it), address)),
  )
  expect(real?.status).toBe(200)
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([429]))
})
