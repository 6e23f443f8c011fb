/** The URL of a PostgreSQL, in which libpq lets several hosts stand: `postgres://user:password@h1:5432,h2/name`. A leaf. */

/** What comes before the hosts, the hosts, and what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * @returns a URL for each host, in their order: the one that was given where it names one.
 * Undefined where it is no URL of a PostgreSQL.
 */
export function urlOfEachHost(url: string): string[] | undefined {
  const [, before, hosts = '', after = ''] = PARTS.exec(url) ?? []
  if (before === undefined || hosts + after === '') return undefined
  const urls = hosts.split(',').map((host) => `${before}${host.trim()}${after}`)
  const areWhole = urls.length === 1 || urls.every((each) => URL.parse(each)?.hostname)
  return areWhole && urls.every((each) => URL.canParse(each)) ? urls : undefined
}

/** A parameter of the URL; null where it has none of this name. */
export function urlParameter(url: string, name: string): string | null {
  const [first] = urlOfEachHost(url) ?? []
  return first === undefined ? null : new URL(first).searchParams.get(name)
}
