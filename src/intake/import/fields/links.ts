/** Cleaners for addresses: web, X, Discord, Telegram, LinkedIn, e-mail, telephone. */
import { type Addressee, addresseeOf, isHost, siteHost } from '../../../directory/addressee.ts'
import { withAsciiHost } from '../../../directory/email-address.ts'
import { cleanText, InvalidValue, parsed } from './values.ts'

const LONGEST_URL = 2_048
/** Characters of a URL (RFC 3986); others are escaped before it is stored. */
const PLAIN_URL = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/

/** An http or https URL. One without a scheme gets `https://`, a doubled scheme is undoubled. */
export const url = parsed(LONGEST_URL, (given) => parseUrl(given).written)

/** A URL as it is stored, and its host. */
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
  if (/[^\w.:[\]-]/.test(hostname)) throw new InvalidValue('not a URL')
  const stored = PLAIN_URL.test(written) ? written : href
  if (stored.length > LONGEST_URL) throw new InvalidValue(`longer than ${LONGEST_URL} characters`)
  return { written: stored, host: hostname }
}

/** A host name in lower case (ASCII form), also where a URL is given; without `www.`. */
export const domain = parsed(LONGEST_URL, (written) => {
  const host = siteHost(parseUrl(written).host)
  if (!isHost(host)) throw new InvalidValue('not a domain')
  return host
})

/** True if an address is on one of these sites and names no profile. */
const isPageOf = (addressee: Addressee | null, ...sites: string[]) =>
  addressee?.kind === 'domain' && sites.includes(addressee.domain)

/** An X handle without `@`, also where a profile's or a post's URL is given. */
export const xHandle = parsed(LONGEST_URL, (written) => {
  const addressee = addresseeOf(written)
  if (addressee?.kind === 'profile' && addressee.network === 'x') return addressee.handle
  if (isPageOf(addressee, 'x.com', 'twitter.com'))
    throw new InvalidValue('not the address of an X profile')
  if (/^[a-z]+:\/\//i.test(written)) throw new InvalidValue('the address of another site than X')
  const handle = written.replace(/^@+ ?/, '')
  if (!/^[A-Za-z0-9_]{1,15}$/.test(handle)) throw new InvalidValue('not an X handle')
  return handle
})

/** A token symbol without the `$` in front. */
export const ticker = parsed(100, (written) => cleanText(written.replace(/^(?:\$+ ?)+/, ''), 30))

/** A URL, on Discord's own sites that of a server. A server id alone (17 to 20 digits) becomes the address of that server. */
export const discordUrl = parsed(LONGEST_URL, (given) => {
  if (/^\d{17,20}$/.test(given)) return `https://discord.com/channels/${given}`
  const { written } = parseUrl(given)
  if (isPageOf(addresseeOf(written), 'discord.gg', 'discord.com', 'discordapp.com'))
    throw new InvalidValue('a page of Discord that names no server')
  return written
})

/** A Telegram user name without `@`, also where its URL is given. */
export const telegram = parsed(LONGEST_URL, (written) => {
  const addressee = addresseeOf(written)
  if (addressee?.kind === 'profile' && addressee.network === 'telegram') return addressee.handle
  if (isPageOf(addressee, 't.me', 'telegram.me', 'telegram.dog'))
    throw new InvalidValue('not the address of a Telegram user')
  const name = written.replace(/^@+ ?/, '')
  if (!/^[A-Za-z][A-Za-z0-9_]{3,31}$/.test(name)) throw new InvalidValue('not a Telegram user name')
  return name
})

/** A person's profile on LinkedIn: callers pay to see it. */
export const linkedinProfile = parsed(LONGEST_URL, (given) => {
  const { written, host } = parseUrl(given)
  if (!/(?:^|\.)linkedin\.com$/.test(host)) throw new InvalidValue('not a LinkedIn address')
  const addressee = addresseeOf(written)
  if (addressee?.kind !== 'profile' || addressee.network !== 'linkedin person')
    throw new InvalidValue("a page of LinkedIn that is not a person's profile")
  return written
})

/** A company's page: on LinkedIn one that names a company, or a person, as an investor may be one. */
export const linkedinPage = parsed(LONGEST_URL, (given) => {
  const { written } = parseUrl(given)
  if (isPageOf(addresseeOf(written), 'linkedin.com'))
    throw new InvalidValue('a page of LinkedIn that names no company')
  return written
})

/** An e-mail address, also as `Ada <ada@example.com>`; the domain in lower case and in its ASCII form. */
export const email = parsed(300, (given) => {
  const written = given.replace(/^[^<>]*<([^<>]+)>$/, '$1').replace(/^mailto:/i, '')
  if (!written) return null
  const address = withAsciiHost(written)
  const [, host = ''] = /^[^\s@<>"(),:;\\[\]]{1,64}@([^\s@]+)$/.exec(address) ?? []
  if (!isHost(host)) throw new InvalidValue('not an e-mail address')
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
