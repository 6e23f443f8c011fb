/** Limits of one key beside its account's: an end, a cap on credits, and where it may be used from. */
import { type BlockList, isIP } from 'node:net'
import { parseNetworks } from '../../config-parsers.ts'
import { type CapPeriod, MAX_NETWORKS } from '../../contract/keys.ts'

/** What a new key may have; what is absent sets no limit. */
export interface KeyLimits {
  /** Seconds from now to its end. */
  expiresSeconds?: number | undefined
  /** Credits that it may spend in each day or month of UTC. */
  cap?: { credits: number; period: CapPeriod } | undefined
  /** Addresses and networks as CIDR. */
  networks?: readonly string[] | undefined
}

/** What `networksOf` takes, for messages. */
export const NETWORKS_EXPECTED = `up to ${MAX_NETWORKS} addresses or networks like 203.0.113.0/24, with commas between them`

/** Reads addresses and networks, with commas or spaces between them; undefined where one is none, or where none is said. */
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

/** Made once for each key that has networks: its row is kept in memory, and they never change. */
const LISTS = new WeakMap<readonly string[], BlockList>()

/** Whether a key with these networks may be used from an address; null: from anywhere. */
export function isAllowedFrom(networks: readonly string[] | null, address: string): boolean {
  if (networks === null) return true
  // Without the zone of an address that is only known on a link.
  const [bare = ''] = address.split('%')
  const version = isIP(bare)
  const list = LISTS.get(networks) ?? parseNetworks(networks.join())
  if (version === 0 || !list) return false
  LISTS.set(networks, list)
  return list.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}
