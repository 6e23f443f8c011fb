/** Keys as their account's people handle them. */
import { expect, test } from 'bun:test'
import { grantCredits } from '../../../src/money/accounts/credits.ts'
import { createKeyCache } from '../../../src/money/accounts/key-cache.ts'
import {
  createKey,
  keysOf,
  listKeys,
  MAX_GRACE_SECONDS,
  revokeAccountKey,
  revokeKey,
  rotateKey,
} from '../../../src/money/accounts/keys.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { newAccount, plainRead, sharedBench } from '../charge/fixtures.ts'

const bench = sharedBench()

async function accountWithKey() {
  const { id } = await newAccount(bench.sql)
  await grantCredits(bench.database, id, 1_000, 'topup')
  const made = await createKey(bench.database, id, 'laptop', ['read:metadata'])
  return { id, made }
}

const charge = (account: string, key: string) => bench.meter.charge(plainRead({ id: account, key }))

test('the list tells label, prefix, scopes, and from the ledger the last use and the calls of 30 days', async () => {
  const { id, made } = await accountWithKey()
  await charge(id, made.id)
  await bench.clock.advance(29 * 86_400)
  await charge(id, made.id)
  const at = new Date(bench.clock.now()).toISOString()
  const find = async () => (await keysOf(bench.database, id)).find((key) => key.id === made.id)
  expect(await find()).toMatchObject({
    label: 'laptop',
    prefix: made.prefix,
    scopes: ['read:metadata'],
    endsAt: null,
    inForce: true,
    lastUsedAt: at,
    calls30Days: 2,
  })
  await bench.clock.advance(2 * 86_400)
  expect((await find())?.calls30Days).toBe(1)
})

test('the application’s own credential is none of an account’s keys, and nobody can end it', async () => {
  const { id } = await accountWithKey()
  expect((await keysOf(bench.database, id)).map(({ label }) => label)).not.toContain('web')
  expect((await listKeys(bench.database, id)).map(({ label }) => label)).not.toContain('web')
  expect(await revokeAccountKey(bench.database, id, id)).toBe(false)
  expect(await revokeKey(bench.database, id)).toBe(false)
  expect(await rotateKey(bench.database, id, id, 0)).toBeUndefined()
  expect((await charge(id, id)).outcome).toBe('charged')
})

test('the application’s own credential opens no API: no key has its hash', async () => {
  const { id } = await accountWithKey()
  const keys = createKeyCache(bench.database)
  for (const guess of [`web:${id}`, 'web', id]) expect(await keys.resolve(guess)).toBeUndefined()
})

test('a key is revoked once, by its own account', async () => {
  const [mine, other] = [await accountWithKey(), await accountWithKey()]
  expect(await revokeAccountKey(bench.database, other.id, mine.made.id)).toBe(false)
  expect((await charge(mine.id, mine.made.id)).outcome).toBe('charged')
  expect(await revokeAccountKey(bench.database, mine.id, mine.made.id)).toBe(true)
  expect((await charge(mine.id, mine.made.id)).outcome).toBe('revoked')
  expect(await revokeAccountKey(bench.database, mine.id, mine.made.id)).toBe(false)
})

test('a rotated key goes on for its grace time to the millisecond, and the charge itself ends it', async () => {
  const { id, made } = await accountWithKey()
  const next = await rotateKey(bench.database, id, made.id, 3_600)
  expect((await charge(id, next?.id ?? '')).outcome).toBe('charged')
  await bench.clock.advance(3_599.999)
  expect((await charge(id, made.id)).outcome).toBe('charged')
  await bench.clock.advance(0.001)
  expect((await charge(id, made.id)).outcome).toBe('revoked')
  expect((await charge(id, next?.id ?? '')).outcome).toBe('charged')
  const list = await keysOf(bench.database, id)
  expect(list.map((key) => [key.label, key.scopes, key.inForce])).toContainEqual([
    'laptop',
    ['read:metadata'],
    true,
  ])
})

test('rotating without grace ends the old key at once; a second time there is nothing to rotate', async () => {
  const { id, made } = await accountWithKey()
  expect(await rotateKey(bench.database, id, made.id, 0)).toBeDefined()
  expect((await charge(id, made.id)).outcome).toBe('revoked')
  expect(await rotateKey(bench.database, id, made.id, 0)).toBeUndefined()
})

test('rotating again can only shorten a grace time; a longer one than allowed is refused', async () => {
  const { id, made } = await accountWithKey()
  await rotateKey(bench.database, id, made.id, 60)
  await rotateKey(bench.database, id, made.id, MAX_GRACE_SECONDS)
  await bench.clock.advance(60)
  expect((await charge(id, made.id)).outcome).toBe('revoked')
  const { made: another, id: account } = await accountWithKey()
  await expectRejection(
    rotateKey(bench.database, account, another.id, MAX_GRACE_SECONDS + 1),
    RangeError,
  )
})

test('somebody else’s key can’t be rotated', async () => {
  const [mine, other] = [await accountWithKey(), await accountWithKey()]
  expect(await rotateKey(bench.database, other.id, mine.made.id, 0)).toBeUndefined()
  expect((await charge(mine.id, mine.made.id)).outcome).toBe('charged')
})

test('what is no id at all is nobody’s key', async () => {
  const { id } = await accountWithKey()
  expect(await revokeAccountKey(bench.database, id, 'x')).toBe(false)
  expect(await rotateKey(bench.database, id, "' or true --", 0)).toBeUndefined()
})
