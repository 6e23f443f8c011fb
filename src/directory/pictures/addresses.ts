/** Hosts that may be asked for pictures: those of the public internet. */
import { lookup } from 'node:dns/promises'
import { type BlockList, isIP } from 'node:net'
import ip from 'ipaddr.js'

/** How hosts are found, and which addresses may be connected to. Tests have one that allows their own machine. */
export interface Reach {
  /** The IP addresses of a name; may reject. */
  resolve(name: string): Promise<string[]>
  isAllowed(address: string, port: number): boolean
}

/** Where pictures are served to everybody. What listens elsewhere, as databases and mail, need not hear from us. */
const PORTS: readonly number[] = [80, 443]

export const PUBLIC_INTERNET: Reach = {
  async resolve(name) {
    // IPv4 first: a machine may have no way to the other.
    const found = await lookup(name, { all: true, order: 'ipv4first' })
    return found.map(({ address }) => address)
  },
  isAllowed: (address, port) => isPublic(address) && PORTS.includes(port),
}

/** All that is given out of IPv6 (RFC 4291, IANA): the rest is unassigned, local, or leads to IPv4 addresses (`::127.0.0.1`). */
const GLOBAL_UNICAST = ip.IPv6.parseCIDR('2000::/3')

/**
 * True if an IP address is of the public internet. What has a range of its own is not: private, loopback, link-local, shared,
 * multicast, reserved, and what leads to IPv4 addresses by way of IPv6 (mapped, compatible, NAT64, 6to4, Teredo).
 */
export function isPublic(address: string): boolean {
  if (!ip.isValid(address)) return false
  const parsed = ip.parse(address)
  const isGiven = parsed instanceof ip.IPv4 || parsed.match(GLOBAL_UNICAST)
  return isGiven && parsed.range() === 'unicast'
}

/** The public internet, and these networks, as an operator's own, at any port. */
export function reachWith(networks: BlockList): Reach {
  const isIn = (address: string) => networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return {
    ...PUBLIC_INTERNET,
    isAllowed: (address, port) =>
      PUBLIC_INTERNET.isAllowed(address, port) || (isIP(address) !== 0 && isIn(address)),
  }
}

/** The host can't be asked; the message says why. */
export class HostRefused extends Error {
  override name = 'HostRefused'
}

/**
 * Finds the addresses of a URL's host. Who connects takes one of these and asks for no name again: the next answer may differ.
 * @throws HostRefused where one of them may not be connected to
 */
export async function addressesOf(url: URL, reach: Reach): Promise<string[]> {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = portOf(url)
  const addresses = isIP(name) ? [name] : await reach.resolve(name)
  if (addresses.length === 0) throw new HostRefused(`${name} has no address`)
  if (!addresses.every((address) => reach.isAllowed(address, port))) {
    throw new HostRefused(
      PORTS.includes(port)
        ? `${name} is not on the public internet`
        : `port ${port} of ${name} is not asked: ${PORTS.join(' and ')} are`,
    )
  }
  return addresses
}

export const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80))
