/** Cleaners for addresses: web, X, Discord, Telegram, LinkedIn, e-mail, telephone. */
import { cleanText, InvalidValue, parsed } from './clean.ts'

const LONGEST_URL = 2_048
/** What a URL may be written with (RFC 3986); anything else is escaped before it is stored. */
const PLAIN_URL = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/

/** An http or https URL. One without a scheme gets `https://`, a doubled scheme is undoubled. */
export const url = parsed(LONGEST_URL, (written) => parseUrl(written).written)

function parseUrl(given: string): { written: string; host: string } {
  const single = given.replace(/^(?:https?:\/\/)+(?=https?:\/\/)/i, '')
  const written = /^[a-z][a-z0-9+-]*:/i.test(single)
    ? single
    : `https://${single.replace(/^\/\//, '')}`
  if (/\s/.test(written) || !URL.canParse(written)) throw new InvalidValue('not a URL')
  const { protocol, username, password, hostname, href } = new URL(written)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidValue('not an http or https URL')
  // `hello@example.com` would otherwise pass as a URL with a user name.
  if (username || password) throw new InvalidValue('not a URL')
  if (!/[^.]\.[^.]/.test(hostname)) throw new InvalidValue('not a URL (no domain in it)')
  const stored = PLAIN_URL.test(written) ? written : href
  if (stored.length > LONGEST_URL) throw new InvalidValue(`longer than ${LONGEST_URL} characters`)
  return { written: stored, host: hostname }
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

/** Also behind a scheme with a slip in it, as `hhttps://` or `https//`: the host says enough. */
const X_ADDRESS =
  /^(?:h[a-z]{2,7}(?::\/{1,3}|\/\/))*\.?(?:www\.|mobile\.|m\.)?(?:twitter|x)\.com(?:\/(?:#!\/)?|$)([^?#]*)/i
/** A button that follows a profile names it in its query. */
const X_BUTTON = /\/intent\/(?:user|follow)\/?\?(?:[^#]*&)?screen_name=@?([^&#]*)/i
/** What may follow the handle in the address of a profile or one of its posts. */
const X_TABS =
  /^(status|with_replies|media|likes|followers|following|photo|highlights|articles|lists|about)$/
/** First path segments of x.com that are no profile. */
const X_PAGES =
  /^(i|home|intent|share|search|hashtag|explore|settings|login|messages|notifications)$/i

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

/** A URL. A server id alone (17 to 20 digits) becomes the address of that server. */
export const discordUrl = parsed(LONGEST_URL, (written) =>
  /^\d{17,20}$/.test(written) ? `https://discord.com/channels/${written}` : url(written),
)

const TELEGRAM_ADDRESS =
  /^(?:https?:\/\/)*(?:www\.)?(?:t|telegram)\.(?:me|dog)\/([^/?#]*)\/?(?:[?#].*)?$/i

/** A Telegram user name without `@`, also where its URL is given. */
export const telegram = parsed(LONGEST_URL, (written) => {
  const name = (TELEGRAM_ADDRESS.exec(written)?.[1] ?? written).replace(/^@+ ?/, '')
  if (!/^[A-Za-z][A-Za-z0-9_]{3,31}$/.test(name)) throw new InvalidValue('not a Telegram user name')
  return name
})

/** Pages of LinkedIn that are no person's. */
const LINKEDIN_PAGE =
  /^https?:\/\/[^/]+\/(?:company|school|showcase|groups|jobs|feed|posts)(?:\/|$)/i

/** A URL on linkedin.com of a person: callers pay to see it. */
export const linkedinProfile = parsed(LONGEST_URL, (given) => {
  const { written, host } = parseUrl(given)
  if (!/(^|\.)linkedin\.com$/.test(host)) throw new InvalidValue('not a LinkedIn address')
  if (LINKEDIN_PAGE.test(written))
    throw new InvalidValue("a page of LinkedIn that is not a person's profile")
  return written
})

/** An e-mail address, also as `Ada <ada@example.com>`; the domain in lower case. */
export const email = parsed(300, (given) => {
  const written = given.replace(/^[^<>]*<([^<>]+)>$/, '$1').replace(/^mailto:/i, '')
  if (!written) return null
  const [, local = '', host = ''] = /^([^\s@<>"(),:;\\[\]]{1,64})@([^\s@]+)$/.exec(written) ?? []
  if (!HOST.test(host.toLowerCase())) throw new InvalidValue('not an e-mail address')
  return `${local}@${host.toLowerCase()}`
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
