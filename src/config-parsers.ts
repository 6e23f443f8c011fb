/** Parsers of the environment's values. This file imports nothing of the project. */
import { BlockList, isIP } from 'node:net'

/** Parses a variable's text; undefined where it is wrong. */
export type Parse<T> = (value: string) => T | undefined

export function urlOf(scheme: RegExp): Parse<string> {
  return (value) => (scheme.test(value) && URL.canParse(value) ? value : undefined)
}

export function wholeUpTo(max: number): Parse<number> {
  const digits = new RegExp(`^\\d{1,${String(max).length}}$`)
  return (value) => (digits.test(value) && Number(value) <= max ? Number(value) : undefined)
}

export function wholeFrom(min: number, max: number): Parse<number> {
  const parse = wholeUpTo(max)
  return (value) => {
    const number = parse(value)
    return number !== undefined && number >= min ? number : undefined
  }
}

export function parseHost(value: string): string | undefined {
  return isIP(value) || /^[a-z0-9.-]+$/i.test(value) ? value : undefined
}

export function parseAddress(value: string): string | undefined {
  const url = URL.parse(value)
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash
  return isPlain ? value.replace(/\/+$/, '') : undefined
}

export function parseNetworks(value: string): BlockList | undefined {
  const list = new BlockList()
  for (const item of splitList(value)) {
    const [address = '', bits, ...rest] = item.split('/')
    const version = isIP(address)
    if (!version || rest.length > 0) return undefined
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) {
      list.addAddress(address, family)
    } else {
      if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) return undefined
      list.addSubnet(address, Number(bits), family)
    }
  }
  return list
}

export function parseOrigins(value: string): string[] | undefined {
  const origins = splitList(value)
  const valid = origins.every((o) => o === '*' || URL.parse(o)?.origin === o)
  return valid ? origins : undefined
}

/** Addresses; `none` is an empty list. */
export function parseMailAddresses(value: string): string[] | undefined {
  if (value === 'none') return []
  const addresses = splitList(value)
  const isEach = addresses.every((address) => /^[^<>@\s]+@[^<>@\s]+$/.test(address))
  return isEach && addresses.length > 0 ? addresses : undefined
}

function splitList(value: string): string[] {
  return value.split(/\s*,\s*/).filter((item) => item !== '')
}

/**
 * An address as it may be shown: without user, password and parameters. Other texts stay as they are. Where an @ follows the host, it
 * may be a password's, with a slash, # or ? in it that nobody encoded: then nothing is shown but the scheme.
 */
export function withoutCredentials(value: string): string {
  const [address, scheme, authority = '', path = '', rest = ''] =
    /^([a-z][a-z+.-]*:\/\/)([^/?#]*)([^?#]*)(.*)$/is.exec(value) ?? []
  if (address === undefined) return value
  const isUnsure = path.includes('@') || (path === '' && /^(#.*|[^/]*)@/s.test(rest))
  if (isUnsure) return `${scheme}…`
  return `${scheme}${authority.slice(authority.lastIndexOf('@') + 1)}${path}`
}
