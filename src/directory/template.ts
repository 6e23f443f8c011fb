/**
 * Templates: an answer as text that is ready before the charge, with a slot for each contact in it (D3,
 * D41). The charge decides only what fills the slots: whether the contact is unlocked, and its channels.
 */
import type { Channel, PrivateChannels } from '../contract/vocabulary.ts'

/** The place of one contact's lock, flags and channels. */
export interface ContactSlot {
  /** The person's id. */
  readonly contact: string
  /** The private channels on file when the directory was read. */
  readonly channels: readonly Channel[]
}

/** JSON text and contact slots, in the order in which they are written. */
export type Template = readonly (string | ContactSlot)[]

/** The contacts that the calling account has unlocked, by id. */
export type Unlocked = ReadonlyMap<string, PrivateChannels>

/** Tag of a template literal whose values are texts, numbers and other templates. */
export function template(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Template)[]
): Template {
  return texts.flatMap((text, position) => {
    const value = values[position] ?? ''
    return typeof value === 'object' ? [text, ...value] : `${text}${value}`
  })
}

/** A JSON array of the items. */
export function arrayOf(items: readonly (string | Template)[]): Template {
  const separated = items.flatMap((item, position) => (position === 0 ? item : [',', item].flat()))
  return ['[', ...separated, ']']
}

/** Ids of the contacts that have a slot, so exactly those that are rendered. */
export function contactsOf(body: Template): string[] {
  return body.flatMap((part) => (typeof part === 'string' ? [] : [part.contact]))
}

/**
 * The text with every slot filled in.
 * @param showsChannels whether channels of unlocked contacts are shown: never on lists (contract).
 */
export function fill(body: Template, unlocked: Unlocked, showsChannels: boolean): string {
  let text = ''
  for (const part of body) {
    if (typeof part === 'string') text += part
    else
      text += slotText(
        part,
        unlocked.has(part.contact),
        showsChannels && unlocked.get(part.contact),
      )
  }
  return text
}

/** The text for a caller who has unlocked nobody. */
export function lockedText(body: Template): string {
  return fill(body, new Map(), false)
}

/** The flags of a contact whose channels are shown are read from these, so that they never disagree. */
function slotText(
  { channels: onFile }: ContactSlot,
  isUnlocked: boolean,
  shown: PrivateChannels | false | undefined,
): string {
  const { email, phone, telegram, linkedinUrl } = shown || NO_CHANNELS
  const has = (channel: Channel, value: string | null) =>
    shown ? Boolean(value) : onFile.includes(channel)
  return (
    `"isLocked":${!isUnlocked},"hasEmail":${has('email', email)},"hasPhone":${has('phone', phone)},` +
    `"hasTelegram":${has('telegram', telegram)},"hasLinkedin":${has('linkedin', linkedinUrl)},` +
    `"email":${JSON.stringify(email)},"phone":${JSON.stringify(phone)},` +
    `"telegram":${JSON.stringify(telegram)},"linkedinUrl":${JSON.stringify(linkedinUrl)}`
  )
}

const NO_CHANNELS: PrivateChannels = { email: null, phone: null, telegram: null, linkedinUrl: null }
