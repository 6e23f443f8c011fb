/**
 * Templates: an answer as text that is ready before the charge, with a slot for each contact in it. The charge decides only what fills the slots: whether the contact is unlocked, and its channels.
 */
import type { Channel, PrivateChannels } from '../../contract/vocabulary.ts'
import { type NamedValues, namedText } from './named-values.ts'
import { type TextPlace, textAt } from './text-pages.ts'

/** The place of one contact's lock, flags and channels. */
export interface ContactSlot {
  /** The person's. */
  readonly id: string
  /** The private channels on file when the directory was read. */
  readonly channels: readonly Channel[]
}

/** A text as it is or by its place, values with their names, or a slot. */
type Part = string | TextPlace | NamedValues | ContactSlot

/** JSON text and contact slots, in the order in which they are written. */
export type Template = readonly Part[]

/** A person's record is a slot, and has a place as well: that of all its texts, which isn't meant here. */
export function isSlot(part: Exclude<Part, string>): part is ContactSlot {
  return 'channels' in part
}

/** The contacts that the calling account has unlocked, by id. */
export type Unlocked = ReadonlyMap<string, PrivateChannels>

export function isNamed(part: TextPlace | NamedValues): part is NamedValues {
  return 'names' in part
}

/** Tag of a template literal whose values are texts, numbers and other templates. */
export function template(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Template)[]
): Template {
  const parts: Part[] = []
  for (const [position, text] of texts.entries()) {
    parts.push(text)
    append(parts, values[position] ?? '')
  }
  return parts
}

/** A JSON array of the items. */
export function arrayOf(items: readonly (string | Template)[]): Template {
  const parts: Part[] = ['[']
  for (const [position, item] of items.entries()) {
    if (position > 0) parts.push(',')
    append(parts, item)
  }
  parts.push(']')
  return parts
}

/** One by one: a long team has more parts than a function takes arguments. */
function append(parts: Part[], value: string | number | Template) {
  if (typeof value === 'object') for (const part of value) parts.push(part)
  else parts.push(String(value))
}

/** Ids of the contacts that have a slot, so exactly those that are rendered. */
export function contactsOf(body: Template): string[] {
  const contacts: string[] = []
  for (const part of body) if (typeof part !== 'string' && isSlot(part)) contacts.push(part.id)
  return contacts
}

/**
 * The text with every slot filled in.
 * @param showsChannels whether channels of unlocked contacts are shown: never on lists (contract).
 */
export function fill(body: Template, unlocked: Unlocked, showsChannels: boolean): string {
  let text = ''
  for (const part of body) {
    if (typeof part === 'string') text += part
    else if (!isSlot(part)) text += isNamed(part) ? namedText(part) : textAt(part)
    else {
      const channels = unlocked.get(part.id)
      text += channels ? slotText(part, channels, showsChannels) : lockedSlotText(part)
    }
  }
  return text
}

/** The text for a caller who has unlocked nobody. */
export function lockedText(body: Template): string {
  return fill(body, new Map(), false)
}

/** A slot's text for a caller who has not unlocked the contact. ASCII. */
export function lockedSlotText({ channels }: ContactSlot): string {
  const known = lockedTexts.get(channels)
  if (known !== undefined) return known
  const text = `"isLocked":true,${onFile(channels)}`
  lockedTexts.set(channels, text)
  return text
}

/** People with the same channels share one array of them (`person.ts`), so there are few of these texts. */
const lockedTexts = new WeakMap<readonly Channel[], string>()

/** A slot's text for a caller who has. The flags beside channels are read from these, so that they never disagree. */
export function slotText(
  { channels }: ContactSlot,
  unlocked: PrivateChannels,
  showsChannels: boolean,
): string {
  if (!showsChannels) return `"isLocked":false,${onFile(channels)}`
  const { email, phone, telegram, linkedinUrl } = unlocked
  const flags = `"hasEmail":${Boolean(email)},"hasPhone":${Boolean(phone)},"hasTelegram":${Boolean(telegram)},"hasLinkedin":${Boolean(linkedinUrl)}`
  const shown = JSON.stringify({ email, phone, telegram, linkedinUrl }).slice(1, -1)
  return `"isLocked":false,${flags},${shown}`
}

/** The flags of what was on file, without the channels. */
function onFile(channels: readonly Channel[]): string {
  const has = (channel: Channel) => channels.includes(channel)
  return `"hasEmail":${has('email')},"hasPhone":${has('phone')},"hasTelegram":${has('telegram')},"hasLinkedin":${has('linkedin')},"email":null,"phone":null,"telegram":null,"linkedinUrl":null`
}
