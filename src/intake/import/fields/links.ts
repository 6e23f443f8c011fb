/** Cleaners for addresses: web, X, Discord, Telegram, LinkedIn, e-mail, telephone. */
import { withAsciiHost } from '../../../directory/email-address.ts'
import { cleanText, InvalidValue, parsed } from './values.ts'

const LONGEST_URL = 2_048
/** Characters of a URL (RFC 3986); others are escaped before it is stored. */
const PLAIN_URL = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/

/** An http or https URL. One without a scheme gets `https://`, a doubled scheme is undoubled. */
export const url = parsed(LONGEST_URL, (written) => parseUrl(written).written)

/** A URL as it is stored, its host, and path with query. */
interface Address {
  written: string
  host: string
  path: string
}

function parseUrl(given: string): Address {
  const single = given.replace(/^(?:https?:\/\/)+(?=https?:\/\/)/i, '')
  const written = /^[a-z][a-z0-9+-]*:/i.test(single)
    ? single
    : `https://${single.replace(/^\/\//, '')}`
  if (/\s/.test(written) || !URL.canParse(written)) throw new InvalidValue('not a URL')
  const { protocol, username, password, hostname, pathname, search, href } = new URL(written)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidValue('not an http or https URL')
  // `hello@example.com` would otherwise pass as a URL with a user name.
  if (username || password) throw new InvalidValue('not a URL')
  if (!/[^.]\.[^.]/.test(hostname)) throw new InvalidValue('not a URL (no domain in it)')
  if (/[^\w.:[\]-]/.test(hostname)) throw new InvalidValue('not a URL')
  const stored = PLAIN_URL.test(written) ? written : href
  if (stored.length > LONGEST_URL) throw new InvalidValue(`longer than ${LONGEST_URL} characters`)
  return { written: stored, host: hostname, path: pathname + search }
}

const HOST = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** A host name in lower case (ASCII form), also where a URL is given; without `www.`. */
export const domain = parsed(LONGEST_URL, (written) => {
  const host = parseUrl(written)
    .host.replace(/\.$/, '')
    .replace(/^(?:www\.)+(?=.+\.)/, '')
  if (!HOST.test(host)) throw new InvalidValue('not a domain')
  return host
})

/** An address of X, also behind a scheme with a slip in it, as `hhttps://` or `https//`: the host says enough. */
const X_ADDRESS =
  /^(?:h[a-z]{2,7}(?::\/{1,3}|\/\/))*\.?(?:www\.|mobile\.|m\.)?(?:twitter|x)\.com(?:\/(?:#!\/)?|$)([^?#]*)/i
/** A button that follows a profile names it in its query. */
const X_BUTTON = /\/intent\/(?:user|follow)\/?\?(?:[^#]*&)?screen_name=@?([^&#]*)/i
/** Paths behind the handle in the address of a profile or post. */
const X_TABS =
  /^(status|with_replies|media|likes|followers|following|photo|highlights|articles|lists|about)$/
/** First path segments of x.com that are no profile. */
const X_PAGES =
  /^(?:i|home|intent|share|search|hashtag|explore|settings|account|login|logout|signup|oauth|messages|notifications|compose|who_to_follow|tos|privacy|download)$/i

/** An X handle without `@`, also where a profile's or a post's URL is given. */
export const xHandle = parsed(LONGEST_URL, (written) => {
  const path = X_ADDRESS.exec(written)?.[1]
  const followed = path === undefined ? undefined : X_BUTTON.exec(written)?.[1]
  if (followed !== undefined) return handleOf(followed)
  const [first = '', second] = path === undefined ? [written] : path.split('/').filter(Boolean)
  if (path !== undefined && (X_PAGES.test(first) || (second && !X_TABS.test(second)))) {
    throw new InvalidValue('not the address of an X profile')
  }
  if (path === undefined && /^[a-z]+:\/\//i.test(written)) {
    throw new InvalidValue('the address of another site than X')
  }
  return handleOf(first)
})

function handleOf(written: string): string {
  const handle = written.replace(/^@+ ?/, '')
  if (!/^[A-Za-z0-9_]{1,15}$/.test(handle)) throw new InvalidValue('not an X handle')
  return handle
}

/** A token symbol without the `$` in front. */
export const ticker = parsed(100, (written) => cleanText(written.replace(/^(?:\$+ ?)+/, ''), 30))

/** Addresses on Discord's own sites, from the path on, that are no server's. */
const DISCORD_PAGE =
  /^\/*(?:(?:channels(?:\/@me.*)?|invite|servers)?|(?:app|blog|developers|download|guild-discovery|login|nitro|oauth2|privacy|register|safety|store|support|terms|users)(?:\/.*)?)\/*(?:\?.*)?$/i

/** A URL, on Discord's own sites that of a server. A server id alone (17 to 20 digits) becomes the address of that server. */
export const discordUrl = parsed(LONGEST_URL, (given) => {
  if (/^\d{17,20}$/.test(given)) return `https://discord.com/channels/${given}`
  const { written, host, path } = parseUrl(given)
  if (/(?:^|\.)discord(?:\.gg|(?:app)?\.com)$/.test(host) && DISCORD_PAGE.test(path))
    throw new InvalidValue('a page of Discord that names no server')
  return written
})

const TELEGRAM_ADDRESS =
  /^(?:https?:\/\/)*(?:www\.)?(?:t|telegram)\.(?:me|dog)\/([^/?#]*)\/?(?:[?#].*)?$/i

/** First path segments of t.me that are no user name. */
const TELEGRAM_PAGES =
  /^(?:add(?:emoji|list|stickers|theme)|boost|confirmphone|contact|giftcode|invoice|joinchat|login|proxy|setlanguage|share|socks)$/i

/** A Telegram user name without `@`, also where its URL is given. */
export const telegram = parsed(LONGEST_URL, (written) => {
  const page = TELEGRAM_ADDRESS.exec(written)?.[1]
  const name = (page ?? written).replace(/^@+ ?/, '')
  if (!/^[A-Za-z][A-Za-z0-9_]{3,31}$/.test(name)) throw new InvalidValue('not a Telegram user name')
  if (page !== undefined && TELEGRAM_PAGES.test(page))
    throw new InvalidValue('not the address of a Telegram user')
  return name
})

/**
 * Addresses on linkedin.com, from the path on, that name a person. `erasure_form` in `drizzle/functions/intake/erasures.sql` takes from them
 * what tells the person, and a test holds that none is taken here which tells an erasure nobody.
 */
const LINKEDIN_PERSON = [
  // `/in/me` is whoever looks at it, and a blank is nobody's name.
  /^\/+(?:(?:comm|m|mwlite)\/)?in\/[/@]*(?!(?:me|(?:%20)+)(?:[/?&]|$)|in\/)[^/?&@]/i,
  /^\/+pub\/(?!dir(?:[/?]|$))[^/?]/i,
  /^\/+profile\/view\/?\?(?:.*&)?id=[^&]/i,
  /^\/+(?:sales\/(?:people|lead)|(?:recruiter|talent)\/profile)\/[^/?,]/i,
]
const LINKEDIN_COMPANY =
  /^\/+(?:(?:comm|m|mwlite)\/)?(?:company|company-beta|school|showcase)\/[^/?]/i

const isLinkedin = (host: string) => /(?:^|\.)linkedin\.com$/.test(host)
const isPerson = (path: string) => LINKEDIN_PERSON.some((page) => page.test(path))

/** A person's profile on LinkedIn: callers pay to see it. */
export const linkedinProfile = parsed(LONGEST_URL, (given) => {
  const { written, host, path } = parseUrl(given)
  if (!isLinkedin(host)) throw new InvalidValue('not a LinkedIn address')
  if (!isPerson(path)) throw new InvalidValue("a page of LinkedIn that is not a person's profile")
  return written
})

/** A company's page: on LinkedIn one that names a company, or a person, as an investor may be one. */
export const linkedinPage = parsed(LONGEST_URL, (given) => {
  const { written, host, path } = parseUrl(given)
  if (isLinkedin(host) && !LINKEDIN_COMPANY.test(path) && !isPerson(path))
    throw new InvalidValue('a page of LinkedIn that names no company')
  return written
})

/** An e-mail address, also as `Ada <ada@example.com>`; the domain in lower case and in its ASCII form. */
export const email = parsed(300, (given) => {
  const written = given.replace(/^[^<>]*<([^<>]+)>$/, '$1').replace(/^mailto:/i, '')
  if (!written) return null
  const address = withAsciiHost(written)
  const [, host = ''] = /^[^\s@<>"(),:;\\[\]]{1,64}@([^\s@]+)$/.exec(address) ?? []
  if (!HOST.test(host)) throw new InvalidValue('not an e-mail address')
  return address
})

/** A telephone number as written: 5 to 15 digits, an optional `+` and the usual separators. */
export const phone = parsed(100, (given) => {
  const written = given.replace(/^tel:/i, '')
  if (!written) return null
  const digits = written.replace(/\D/g, '').length
  if (!/^\+?[\d ()./-]+$/.test(written) || digits < 5 || digits > 15) {
    throw new InvalidValue('not a telephone number')
  }
  return written
})
