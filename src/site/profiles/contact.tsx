/** @jsxImportSource hono/jsx */
/** The private channels of an unlocked contact. */
import type { UnlockedContact } from '../../money/charge/call.ts'
import type { Child } from '../http/html.ts'
import { ExternalLink } from '../ui/badges.tsx'

/** Label and link of each channel; falsy links are not on file. */
function linksOf({ email, phone, telegram, linkedinUrl }: UnlockedContact) {
  const links: Readonly<Record<string, Child>> = {
    email: email && (
      <a href={`mailto:${encodeURIComponent(email)}`}>
        <Email address={email} />
      </a>
    ),
    phone: phone && <a href={`tel:${phone.replace(/[^\d+]/g, '')}`}>{phone}</a>,
    telegram: telegram && (
      <ExternalLink href={`https://t.me/${encodeURIComponent(telegram.replace(/^@/, ''))}`}>
        {telegram}
      </ExternalLink>
    ),
    linkedin: linkedinUrl && (
      <ExternalLink href={linkedinUrl}>
        <Address url={linkedinUrl} />
      </ExternalLink>
    ),
  }
  return Object.entries(CHANNEL_NAMES).map(([name, { label }]) => ({ label, link: links[name] }))
}

/** Address that may break before its host. */
function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  )
}

/** URL whose scheme and `www.` are hidden in narrow columns but copied. */
function Address({ url }: { url: string }) {
  const [beginning = ''] = /^https:\/\/(www\.)?/.exec(url) ?? []
  return (
    <>
      {beginning === '' ? null : <span class="beginning">{beginning}</span>}
      {url.slice(beginning.length)}
    </>
  )
}

/** Labels are for screen readers, but a Telegram handle needs a visible one. */
const ChannelLabel = ({ of: label }: { of: string }) => (
  <span class={label === CHANNEL_NAMES.telegram.label ? 'note' : 'unseen'}>{label}: </span>
)

export function ContactList({ contact }: { contact: UnlockedContact }) {
  return (
    <dl class="facts contact">
      {linksOf(contact).map(({ label, link }) => (
        <div>
          <dt>{label}</dt>
          {link ? (
            <dd data-copy={label}>{link}</dd>
          ) : (
            <dd>
              <span class="quiet">not on file</span>
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

/** Channels on file, each with a copy button. */
export function ContactLines({ contact }: { contact: UnlockedContact }) {
  const onFile = linksOf(contact).filter(({ link }) => link)
  if (onFile.length === 0) return <NoChannels />
  return (
    <ul class="contact lines">
      {onFile.map(({ label, link }) => (
        <li data-copy={label}>
          <ChannelLabel of={label} />
          {link}
        </li>
      ))}
    </ul>
  )
}

/** Channels on file in one line; on phones one line each. */
export function ContactLine({ contact }: { contact: UnlockedContact }) {
  const onFile = linksOf(contact).filter(({ link }) => link)
  if (onFile.length === 0) return <NoChannels />
  return (
    <p class="contact">
      {onFile.map(({ label, link }) => (
        <span class="channel">
          <ChannelLabel of={label} />
          {link}{' '}
        </span>
      ))}
    </p>
  )
}

/** Shown for an unlocked contact without any channel left. */
const NoChannels = () => <p class="quiet">No channels on file any more</p>

/** Private channels by filter value, with their flag on records and their label. */
export const CHANNEL_NAMES = {
  email: { flag: 'hasEmail', label: 'Email' },
  phone: { flag: 'hasPhone', label: 'Phone' },
  telegram: { flag: 'hasTelegram', label: 'Telegram' },
  linkedin: { flag: 'hasLinkedin', label: 'LinkedIn' },
} as const

type ChannelFlag = (typeof CHANNEL_NAMES)[keyof typeof CHANNEL_NAMES]['flag']

export function hasChannels(person: Readonly<Record<ChannelFlag, boolean>>): boolean {
  return Object.values(CHANNEL_NAMES).some(({ flag }) => person[flag])
}
