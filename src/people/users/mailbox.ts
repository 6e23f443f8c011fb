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
  /** Separator of tags, beside `+`. */
  tag?: string
  /** Set where `tag@name.domain` arrives in the mailbox of `name@domain`. */
  hasSubdomains?: true
}

/** Fastmail's own domains, which it offers for addresses. Their mailboxes are apart from each other. */
const FASTMAIL = `
  123mail.org 150mail.com 150ml.com 16mail.com 2-mail.com 4email.net 50mail.com airpost.net allmail.net bestmail.us
  cluemail.com elitemail.org emailcorner.net emailengine.net emailengine.org emailgroups.net emailplus.org
  emailuser.net eml.cc f-m.fm fast-email.com fast-mail.org fastem.com fastemail.us fastemailer.com fastest.cc
  fastimap.com fastmail.cn fastmail.co.uk fastmail.com fastmail.com.au fastmail.de fastmail.es fastmail.fm fastmail.fr
  fastmail.im fastmail.in fastmail.jp fastmail.mx fastmail.net fastmail.nl fastmail.org fastmail.se fastmail.to
  fastmail.tw fastmail.uk fastmail.us fastmailbox.net fastmessaging.com fea.st fmail.co.uk fmailbox.com fmgirl.com
  fmguy.com ftml.net h-mail.us hailmail.net imap-mail.com imap.cc imapmail.org inoutbox.com internet-e-mail.com
  internet-mail.org internetemails.net internetmailing.net jetemail.net justemail.net letterboxes.org mail-central.com
  mail-page.com mailandftp.com mailas.com mailbolt.com mailc.net mailcan.com mailforce.net mailftp.com mailhaven.com
  mailingaddress.org mailite.com mailmight.com mailnew.com mailsent.net mailservice.ms mailup.net mailworks.org ml1.net
  mm.st myfastmail.com mymacmail.com nospammail.net ownmail.net petml.com postinbox.com postpro.net proinbox.com
  promessage.com realemail.net reallyfast.biz reallyfast.info rushpost.com sent.as sent.at sent.com speedpost.net
  speedymail.org ssl-mail.com swift-mail.com the-fastest.net the-quickest.com theinternetemail.com veryfast.biz
  veryspeedy.net warpmail.net xsmail.com yepmail.net your-mail.com`

const domainsOf = (list: string) =>
  new RegExp(`^(${list.trim().replaceAll('.', '\\.').split(/\s+/).join('|')})$`)

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
  { domains: domainsOf(FASTMAIL), hasSubdomains: true },
]

/** @param email as `validEmail` gives it. @returns the address of its mailbox without tags and spellings. */
export function mailboxOf(email: string): string {
  const [local, domain] = withoutSubdomain(...partsOf(email))
  const provider = PROVIDERS.find(({ domains }) => domains.test(domain))
  let name = local
  for (const tag of ['+', provider?.tag]) {
    // Nothing would be left of an address that begins with its tag.
    if (tag !== undefined) name = name.split(tag)[0] || name
  }
  if (provider?.ignored) name = name.replace(provider.ignored, '') || name
  return `${name}@${provider?.name ?? domain}`
}

/** Turns `tag@name.domain` into `name@domain` where the provider delivers both to one mailbox. */
function withoutSubdomain(local: string, domain: string): [local: string, domain: string] {
  for (const { domains, hasSubdomains } of PROVIDERS) {
    if (!hasSubdomains) continue
    const labels = domain.split('.')
    const start = labels.findIndex((_, at) => domains.test(labels.slice(at).join('.')))
    const name = labels[start - 1]
    if (name) return [name, labels.slice(start).join('.')]
  }
  return [local, domain]
}

/** The mailbox as the database keeps it: hashed, so that the table of newcomers names nobody. */
export function mailboxHash(email: string): string {
  return hashToken(mailboxOf(email))
}

/** True if the address is of a known service for addresses to throw away. Its list is loaded when first asked for. */
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
