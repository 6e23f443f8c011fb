/** The client's IP address, and what limits count by. */
import { type BlockList, isIP } from 'node:net'

/**
 * The client's address: the socket's, unless that is a proxy that the operator listed. Then it is the last
 * address of `X-Forwarded-For` that is no such proxy; the client itself may have written those before it.
 */
export function clientAddress(
  socket: string,
  forwardedFor: string | null,
  proxies: BlockList,
): string {
  let address = plain(socket)
  if (!forwardedFor) return address
  const hops = forwardedFor.split(',').map((hop) => plain(hop.trim()))
  while (isTrusted(address, proxies)) {
    const hop = hops.pop()
    if (hop === undefined || !isIP(hop)) break
    address = hop
  }
  return address
}

/** The unit of limits: an IPv4 address, or the /64 of an IPv6 address, which one customer gets. */
export function limitedAs(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/** The provider's network of an address of `limitedAs`: the IPv4 /24 or IPv6 /48. */
export function networkOf(limited: string): string {
  const v4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(limited)
  if (v4) return `${v4[1]}.0/24`
  const [groups] = limited.split('::')
  return `${groups?.split(':').slice(0, 3).join(':')}::/48`
}

function isTrusted(address: string, proxies: BlockList): boolean {
  const version = isIP(address)
  return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** Writes an IPv4 address mapped into IPv6 as IPv4, and drops the port that some proxies append. */
function plain(address: string): string {
  const bare = address.replace(/^\[([^\]]*)\](:\d+)?$/, '$1').replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(bare) === 0 ? bare.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1') : bare
}
