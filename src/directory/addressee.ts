/** Profile or domain that a web address names, in any form in which people paste one. */
import { getDomain } from 'tldts'

export type Addressee =
  | { kind: 'profile'; network: Network; handle: string }
  /** Host without `www.`, in lower case and ASCII; the domain is its registrable part (`acme.co.uk`). */
  | { kind: 'domain'; host: string; domain: string }

export type Network =
  | 'x'
  | 'telegram'
  | 'telegram channel'
  | 'linkedin person'
  | 'linkedin company'
  | 'discord'
  | 'github'

/** Pages of a network that name profiles. */
interface Pages {
  network: Network
  /** Without `www.`. */
  host: RegExp
  /** Paths with query and fragment; the group is the handle. */
  paths: readonly RegExp[]
  /** Words in the handle's place that are no handle. */
  reserved?: string
}

const TELEGRAM = {
  host: /^(?:t|telegram)\.(?:me|dog)$/,
  reserved:
    'addemoji addlist addstickers addtheme boost confirmphone contact giftcode invoice joinchat login proxy setlanguage share socks',
}

const PAGES: readonly Pages[] = [
  {
    network: 'x',
    host: /^(?:mobile\.|m\.)?(?:twitter|x)\.com$/,
    paths: [
      // Buttons that follow a profile.
      /^\/+intent\/(?:user|follow)\/?\?(?:[^#]*&)?screen_name=@?(\w{1,15})(?:[&#]|$)/i,
      /^\/+(?:#!\/+)?@*(\w{1,15})(?:\/+(?:(?:status|with_replies|media|likes|followers|verified_followers|following|photo|highlights|articles|lists|about)(?:\/.*)?)?)?(?:[?#].*)?$/,
    ],
    reserved:
      'i home intent share search hashtag explore settings account login logout signup oauth messages notifications compose who_to_follow tos privacy download',
  },
  {
    ...TELEGRAM,
    network: 'telegram',
    paths: [/^\/+@*([a-z]\w{3,31})\/?(?:[?#&].*)?$/i],
  },
  {
    ...TELEGRAM,
    network: 'telegram channel',
    // Preview and post.
    paths: [
      /^\/+s\/+@*([a-z]\w{3,31})(?:[/?#]|$)/i,
      /^\/+([a-z]\w{3,31})(?:\/+\d+)+\/*(?:[?#]|$)/i,
    ],
  },
  {
    network: 'linkedin person',
    host: /(?:^|\.)linkedin\.com$/,
    // `erasure_form` in `drizzle/functions/intake/erasures.sql` takes from these what tells the person, and a test holds that
    // none is here which tells an erasure nobody.
    paths: [
      // `/in/me` is whoever looks at it, and a blank is nobody's name.
      /^\/+(?:(?:comm|m|mwlite)\/)?in\/[/@]*(?!(?:me|(?:%20)+)(?:[/?&#]|$)|in\/)([^/?&@#]+)/i,
      /^\/+pub\/(?!dir(?:[/?#]|$))([^/?#]+)/i,
      /^\/+profile\/view\/?\?(?:[^#]*&)?id=([^&#]+)/i,
      /^\/+(?:sales\/(?:people|lead)|(?:recruiter|talent)\/profile)\/([^/?#,]+)/i,
    ],
  },
  {
    network: 'linkedin company',
    host: /(?:^|\.)linkedin\.com$/,
    paths: [/^\/+(?:(?:comm|m|mwlite)\/)?(?:company|company-beta|school|showcase)\/([^/?#]+)/i],
  },
  {
    network: 'discord',
    host: /(?:^|\.)discord(?:\.gg|(?:app)?\.com)$/,
    paths: [/^\/+(?:channels|invite|servers)\/+(?!@me)([^/?#]+)/i],
  },
  {
    network: 'discord',
    host: /(?:^|\.)discord(?:\.gg|(?:app)?\.com)$/,
    paths: [/^\/+([^/?#]+)/],
    reserved:
      'channels invite servers app blog developers download guild-discovery login nitro oauth2 privacy register safety store support terms users',
  },
  {
    network: 'github',
    host: /^(?:gist\.)?github\.com$/,
    paths: [/^\/+(?:(?:orgs|users|sponsors)\/+)?([a-z\d][a-z\d-]{0,38})(?:[/?#]|$)/i],
    reserved:
      'about apps codespaces collections contact dashboard enterprise events explore features issues join login marketplace new notifications orgs pricing pulls search security settings signup site sponsors stars team topics trending users',
  },
]

/** Profile or domain of a text that is one address, also of a host alone and of `@handle`, which is on X; null of any other text. */
export function addresseeOf(text: string): Addressee | null {
  const address = text.trim().replace(AROUND, '')
  const handle = /^@(\w{1,15})$/.exec(address)?.[1]
  if (handle !== undefined) return { kind: 'profile', network: 'x', handle }
  const bare = address
    .replace(/^tg:\/\/resolve\/?\?(?:.*&)?domain=/i, 't.me/')
    .replace(SCHEME, '')
    .replace(/^[@#]/, '')
  const url = HAS_HOST.test(bare) ? URL.parse(`https://${bare}`) : null
  if (url === null || url.username || url.password) return null
  const host = siteHost(url.hostname)
  if (!isHost(host)) return null
  const path = `${url.pathname}${url.search}${url.hash}`
  for (const pages of PAGES) {
    if (!pages.host.test(host)) continue
    const named = pages.paths.map((form) => form.exec(path)?.[1]).find((it) => it !== undefined)
    if (named !== undefined && !pages.reserved?.split(' ').includes(named.toLowerCase()))
      return { kind: 'profile', network: pages.network, handle: decoded(named) }
  }
  return { kind: 'domain', host, domain: getDomain(host, { allowPrivateDomains: true }) ?? host }
}

/** Brackets, quotes and punctuation of the text in which an address stood. */
const AROUND = /^[<([{"'`«“‘]+|[>)\]}"'`»”’.,;:!?…]+$/g
/** Schemes, also doubled or with a slip in them, as `https//`. */
const SCHEME = /^(?:[a-z][a-z0-9+-]*:\/{1,3}|h[a-z]{2,7}\/\/|\/\/)*\.?/i

/** Dots of other scripts are a host's too. */
const HAS_HOST = /^[^\s/?#]+[.。．｡]\S+$/

/** A site's host without `www.` and the dot of the root. */
export const siteHost = (hostname: string): string =>
  hostname.replace(/\.$/, '').replace(/^(?:www\.)+(?=.+\.)/, '')

const HOST = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** True if this is a host's full name, in lower case and ASCII; an IP address is none. */
export const isHost = (hostname: string): boolean => HOST.test(hostname)

function decoded(handle: string): string {
  try {
    return decodeURIComponent(handle)
  } catch {
    return handle
  }
}
