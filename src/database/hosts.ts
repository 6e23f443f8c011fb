/**
 * Servers of a URL with several hosts, of which one takes changes. A connection tries one of them; the driver leaves it where it is a
 * standby (`target_session_attrs`), and the next connection tries the next one. Fencing a server that was replaced is the cluster manager's.
 */
import { partsOfUrl, TARGET_SESSION_ATTRS, urlOfEachHost, urlParameter } from '../database-url.ts'
import type { Target } from './failures.ts'

/** Where a server is, as the driver takes it. */
export type Place = Pick<Target, 'host' | 'port' | 'path'>

export class Hosts {
  readonly #places: readonly Place[]
  #next = 0

  constructor(urls: readonly string[]) {
    this.#places = urls.map(placeOf)
  }

  get count(): number {
    return this.#places.length
  }

  /** The place for a new connection. The next one goes elsewhere, unless `keep` says that the primary is here. */
  take(): Place {
    const place = this.#places[this.#next]
    if (!place) throw new Error('a URL without a host')
    this.#next = (this.#next + 1) % this.count
    return place
  }

  keep(place: Place) {
    this.#next = this.#places.indexOf(place)
  }

  /** The next connection goes elsewhere, because the server didn't answer in time. */
  passOver({ host, port, path }: Place) {
    const next = this.#places[this.#next]
    const isNext = next?.host[0] === host[0] && next?.port[0] === port[0] && next?.path === path
    if (isNext) this.take()
  }
}

/** @returns undefined for a URL of one host that asks for nothing: it is used as it is */
export function hostsOf(url: string): Hosts | undefined {
  const urls = urlOfEachHost(url) ?? [url]
  const isPlain = urls.length === 1 && urlParameter(url, TARGET_SESSION_ATTRS) === null
  return isPlain ? undefined : new Hosts(urls)
}

/** @returns the place of a URL of one host; the driver can't read IPv6 addresses */
export function placeOf(url: string): Place {
  const { host, port, path } = partsOfUrl(url)
  return { host: [host], port: [port], path }
}
