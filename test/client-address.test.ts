/** Whose request it is, worked out from the socket and the forwarding header. */
import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import { clientAddress, limitedAs, networkOf } from '../src/client-address.ts'

const proxies = new BlockList()
proxies.addSubnet('10.0.0.0', 8, 'ipv4')
proxies.addAddress('2001:db8::1', 'ipv6')

describe('the client’s address', () => {
  test.each([
    ['the socket’s, without a header', '192.0.2.1', null, '192.0.2.1'],
    ['the socket’s, where it is no proxy', '192.0.2.1', '203.0.113.5', '192.0.2.1'],
    ['the forwarded one, behind a proxy', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['the last that is no proxy', '10.0.0.1', '1.1.1.1, 203.0.113.5, 10.0.0.2', '203.0.113.5'],
    ['behind an IPv6 proxy', '2001:db8::1', '203.0.113.5', '203.0.113.5'],
    ['with a port behind it', '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['in brackets with a port', '10.0.0.1', '[2001:db8:5::9]:443', '2001:db8:5::9'],
    ['of IPv4 in IPv6 clothes', '::ffff:10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['the proxy’s, where all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy’s, where the header is rubbish', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['the proxy’s, where the header is empty', '10.0.0.1', '', '10.0.0.1'],
  ])('%s', (_, socket, forwarded, expected) => {
    expect(clientAddress(socket, forwarded, proxies)).toBe(expected)
  })

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4::/64'],
    ['not an address', 'not an address'],
  ])('%s is limited as %s', (address, expected) => {
    expect(limitedAs(address)).toBe(expected)
  })

  test('two ways of writing one IPv6 network are one network', () => {
    expect(limitedAs('2001:db8:0:0:8::1')).toBe(limitedAs('2001:db8::8:0:0:2'))
    expect(limitedAs('::1:2:3:4:5')).toBe(limitedAs('0:0:0:1:9::'))
  })
})

test.each([
  ['203.0.113.5', '203.0.113.0/24'],
  ['2001:db8:5:9::1', '2001:db8:5::/48'],
  ['::1', '0:0:0::/48'],
])('the provider’s network of %s is %s', (address, network) => {
  expect(networkOf(limitedAs(address))).toBe(network)
})
