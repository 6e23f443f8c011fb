/** Hashes of passwords: what they are, what they cost, and what they don't hold up. */
import { expect, test } from 'bun:test'
import { OWN_PLACE } from '../../../src/people/users/password-queue.ts'
import { createPasswords } from '../../../src/people/users/passwords.ts'

const light = createPasswords({ settings: { cost: 2 ** 10, block: 8, parallel: 1 } })

test('a password is right in whatever Unicode form it is typed, and wrong in every other way', async () => {
  const stored = await light.hash('café Ångström', OWN_PLACE)
  expect(await light.verify('cafe\u0301 A\u030angstro\u0308m', stored, OWN_PLACE)).toBe(true)
  expect(await light.verify('café Ångstrom', stored, OWN_PLACE)).toBe(false)
  expect(await light.verify('', stored, OWN_PLACE)).toBe(false)
})

test('two hashes of one password differ, and neither holds it', async () => {
  const [one, other] = await Promise.all([
    light.hash('the same', OWN_PLACE),
    light.hash('the same', OWN_PLACE),
  ])
  expect(one).not.toBe(other)
  expect(`${one}${other}`).not.toContain('the same')
})

test('a hash made with other settings is still checked with its own', async () => {
  const before = createPasswords({ settings: { cost: 2 ** 9, block: 4, parallel: 2 } })
  expect(
    await light.verify('an old one', await before.hash('an old one', OWN_PLACE), OWN_PLACE),
  ).toBe(true)
})

test('nobody’s password is never right, and checking it costs a hash like any other', async () => {
  const heavy = createPasswords({ settings: { cost: 2 ** 14, block: 8, parallel: 1 } })
  const stored = await heavy.hash('somebody’s', OWN_PLACE)
  const cpuOf = async (each: string | undefined) => {
    const before = process.cpuUsage()
    expect(await heavy.verify('wrong', each, OWN_PLACE)).toBe(false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  // The least of several: a collection of garbage counts as well.
  const leastOf = async (each: string | undefined) =>
    Math.min(await cpuOf(each), await cpuOf(each), await cpuOf(each))
  const ratio = (await leastOf(undefined)) / (await leastOf(stored))
  expect(ratio).toBeGreaterThan(0.3)
  expect(ratio).toBeLessThan(3)
})

test('hashing in earnest leaves the event loop to the API', async () => {
  const hashing = createPasswords().hash('a password', OWN_PLACE)
  let turns = 0
  let done = false
  hashing.finally(() => {
    done = true
  })
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    turns++
  }
  expect(turns).toBeGreaterThan(10)
  expect(await hashing).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
})
