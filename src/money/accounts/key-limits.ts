/** Limits of a key: expiry, cap on credits, networks. */
import { type BlockList, isIP } from 'node:net'
import { parseNetworks } from '../../config-parsers.ts'
import { type CapPeriod, MAX_NETWORKS } from '../../contract/keys.ts'

/** Limits of a new key; an absent field sets none. */
export interface KeyLimits {
  /** Seconds from now. */
  expiresSeconds?: number | undefined
  /** Credits per day or month (UTC). */
  cap?: { credits: number; period: CapPeriod } | undefined
  /** Addresses and networks as CIDR. */
  networks?: readonly string[] | undefined
}

/** Input of `networksOf`, for error messages. */
export const NETWORKS_EXPECTED = `up to ${MAX_NETWORKS} addresses or networks like 203.0.113.0/24, with commas between them`

/** Reads addresses and networks separated by commas or spaces. @returns undefined if one is invalid or there is none. */
export function networksOf(value: string): string[] | undefined {
  const networks = [
    ...new Set(
      value
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((item) => item !== ''),
    ),
  ]
  if (networks.length === 0 || networks.length > MAX_NETWORKS) return undefined
  // A zone, as in `fe80::1%eth0`, names a link of one machine.
  if (networks.some((item) => item.includes('%'))) return undefined
  return parseNetworks(networks.join()) && networks
}

/** Block list of each key with networks, which never change. */
const LISTS = new WeakMap<readonly string[], BlockList>()

/** Checks an address against a key's networks; null allows any. */
export function isAllowedFrom(networks: readonly string[] | null, address: string): boolean {
  if (networks === null) return true
  // Drops the zone of a link-local address.
  const [bare = ''] = address.split('%')
  const version = isIP(bare)
  const list = LISTS.get(networks) ?? parseNetworks(networks.join())
  if (version === 0 || !list) return false
  LISTS.set(networks, list)
  return list.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}
