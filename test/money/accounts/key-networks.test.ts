/** Networks that a key may be used from. */
import { describe, expect, test } from 'bun:test'
import { isAllowedFrom, networksOf } from '../../../src/money/accounts/key-limits.ts'

describe('networks of a key', () => {
  test.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.7/24', '203.0.113.1', true],
    ['203.0.113.0/24', '203.0.112.255', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['203.0.113.0/24', '', false],
    ['203.0.113.0/24', 'unknown', false],
  ])('of a key for %s the address %s: %p', (networks, address, isAllowed) => {
    expect(isAllowedFrom(networksOf(networks) ?? null, address)).toBe(isAllowed)
    expect(isAllowedFrom(null, address)).toBe(true)
  })

  test.each([
    ...['', ' , ', '203.0.113.0/33', '203.0.113', 'example.com', '1.2.3.4/', '::/129', 'ck'],
    ...['10.0.0.0/8/9', 'fe80::1%eth0'],
  ])('%p names no networks', (text) => {
    expect(networksOf(text)).toBeUndefined()
  })

  test('twenty networks are taken, with commas, spaces or lines between them and each once; more are not', () => {
    const some = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`)
    expect(networksOf(`${some.join(',\n ')} 192.0.2.0`)).toEqual(some)
    expect(networksOf([...some, '192.0.2.20'].join())).toBeUndefined()
  })
})
