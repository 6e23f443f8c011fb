/**
 * The person behind an e-mail address, as mail providers see them: many addresses lead to one mailbox, and some
 * mailboxes are thrown away soon. Why no library: those that exist know the tags of some providers only.
 */
import { domainToASCII } from 'node:url'
import { hashToken } from './tokens.ts'

/** How a provider reads addresses, beside what all do: letter case, and a tag after `+`. */
interface Provider {
  domains: RegExp
  /** The one name of all its domains, where they share their mailboxes. */
  name?: string
  /** Characters of the local part that mean nothing. */
  ignored?: RegExp
  /** What begins a tag, beside `+`. */
  tag?: string
}

const PROVIDERS: readonly Provider[] = [
  { domains: /^(gmail|googlemail)\.com$/, name: 'gmail.com', ignored: /\./g },
  { domains: /^(proton\.me|protonmail\.com|pm\.me)$/, name: 'proton.me', ignored: /[._-]/g },
  {
    domains: /^(ya\.ru|yandex\.(ru|com|by|kz|ua|uz|com\.tr))$/,
    name: 'yandex.ru',
    ignored: /[.-]/g,
  },
  { domains: /^(icloud|me|mac)\.com$/, name: 'icloud.com' },
  { domains: /^(yahoo\.[a-z.]+|ymail\.com|rocketmail\.com)$/, tag: '-' },
]

/** @param email as `validEmail` gives it. @returns the address of its mailbox without tags and spellings. */
export function mailboxOf(email: string): string {
  const [local, domain] = partsOf(email)
  const provider = PROVIDERS.find(({ domains }) => domains.test(domain))
  let name = local
  for (const tag of ['+', provider?.tag]) {
    // Nothing would be left of an address that begins with its tag.
    if (tag !== undefined) name = name.split(tag)[0] || name
  }
  if (provider?.ignored) name = name.replace(provider.ignored, '') || name
  return `${name}@${provider?.name ?? domain}`
}

/** The mailbox as the database keeps it: hashed, so that the table of newcomers names nobody. */
export function mailboxHash(email: string): string {
  return hashToken(mailboxOf(email))
}

/** Whether the address is of a known service for addresses to throw away. Its list is loaded when first asked for. */
export async function isThrowaway(email: string): Promise<boolean> {
  const { isValid } = await import('mailchecker')
  const [, domain] = partsOf(email)
  // The list's own check of the address knows fewer forms than mail has, so it is asked about the domain alone.
  return !isValid(`somebody@${domain}`)
}

/** The local part, and the domain as DNS writes it. */
function partsOf(email: string): [local: string, domain: string] {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  return [email.slice(0, at), domainToASCII(domain) || domain]
}
