/** @jsxImportSource hono/jsx */
/** The private channels of an unlocked contact. */
import type { UnlockedContact } from '../../money/charge/call.ts'
import type { Child } from '../http/html.ts'
import { ExternalLink } from '../ui/badges.tsx'

/** Links that open each channel; null for a channel that is not on file. */
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

/** It breaks before its host where a line is too short for all of it. */
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

/** An address whose beginning is known by the rest: it is copied with it, and shown where there is room. */
function Address({ url }: { url: string }) {
  const [beginning = ''] = /^https:\/\/(www\.)?/.exec(url) ?? []
  return (
    <>
      {beginning === '' ? null : <span class="beginning">{beginning}</span>}
      {url.slice(beginning.length)}
    </>
  )
}

/** A handle alone says less than an address or a number: its label is seen. */
const ChannelLabel = ({ of: label }: { of: string }) => (
  <span class={label === CHANNEL_NAMES.telegram.label ? 'note' : 'unseen'}>{label}: </span>
)

/** All four channels as a list. */
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

/** The channels on file side by side, each with its copy button. */
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

/** The channels on file, in one line; on a phone in one line each. */
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

/** Instead of the channels of a contact that was unlocked, where the directory has none of them any more. */
const NoChannels = () => <p class="quiet">No channels on file any more</p>

/** The private channels by their names in the filter, each with its flag on records and its label. */
export const CHANNEL_NAMES = {
  email: { flag: 'hasEmail', label: 'Email' },
  phone: { flag: 'hasPhone', label: 'Phone' },
  telegram: { flag: 'hasTelegram', label: 'Telegram' },
  linkedin: { flag: 'hasLinkedin', label: 'LinkedIn' },
} as const

type ChannelFlag = (typeof CHANNEL_NAMES)[keyof typeof CHANNEL_NAMES]['flag']

/** Whether a private channel of this person is on file, so that there is something to reveal. */
export function hasChannels(person: Readonly<Record<ChannelFlag, boolean>>): boolean {
  return Object.values(CHANNEL_NAMES).some(({ flag }) => person[flag])
}
