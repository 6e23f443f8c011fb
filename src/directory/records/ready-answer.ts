/**
 * Ready answers: a template as bytes, as it reads for a caller who has unlocked nobody in it. Joining and
 * encoding the text takes several times as long as copying it, so it is done once for many callers.
 */
import type { Channel } from '../../contract/vocabulary.ts'
import type { GzipBeginning } from '../../gzip.ts'
import { AnswerBytes } from './answer-bytes.ts'
import {
  type ContactSlot,
  contactsOf,
  isNamed,
  isSlot,
  lockedSlotText,
  slotText,
  type Template,
  type Unlocked,
} from './template.ts'

export interface ReadyAnswer {
  /** UTF-8; every slot is filled as for a contact that is locked. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** In the order in which they stand. */
  readonly slots: readonly ContactSlot[]
  /** First byte and end of each slot, in pairs. */
  readonly places: Uint32Array
  /** The ids of the slots' contacts. */
  readonly contacts: readonly string[]
  /** The bytes behind a brace, compressed, as they are kept beside an answer that is kept; absent from others. */
  readonly compressed?: () => GzipBeginning | undefined
}

export function readyAnswer(body: Template): ReadyAnswer {
  const slots: ContactSlot[] = []
  const answer = new AnswerBytes()
  for (const part of body) {
    if (typeof part === 'string') answer.add(part)
    else if (isSlot(part)) {
      slots.push(part)
      answer.addSlot(lockedSlot(part))
    } else if (isNamed(part)) answer.addNamed(part)
    else answer.addPlace(part)
  }
  return { ...answer.end(), slots, contacts: contactsOf(body) }
}

/** `lockedSlotText` in UTF-8. */
function lockedSlot(slot: ContactSlot): Uint8Array {
  const known = lockedSlots.get(slot.channels)
  if (known) return known
  const bytes = Buffer.from(lockedSlotText(slot))
  lockedSlots.set(slot.channels, bytes)
  return bytes
}

/** People with the same channels share one array of them (`person.ts`), so there are few of these. */
const lockedSlots = new WeakMap<readonly Channel[], Uint8Array>()

/** Part of a body: UTF-8 bytes or text. */
type Piece = Uint8Array<ArrayBuffer> | string

/**
 * The answer for one caller, in pieces: bytes that are shared, and texts in place of the slots of unlocked contacts.
 * @param showsChannels whether channels of unlocked contacts are shown: never on lists (contract).
 */
export function filled(
  { bytes, slots, places }: ReadyAnswer,
  unlocked: Unlocked,
  showsChannels: boolean,
): Piece[] {
  if (unlocked.size === 0) return [bytes]
  const pieces: Piece[] = []
  let end = 0
  for (const [number, slot] of slots.entries()) {
    const channels = unlocked.get(slot.id)
    if (!channels) continue
    pieces.push(bytes.subarray(end, places[number * 2]), slotText(slot, channels, showsChannels))
    end = places[number * 2 + 1] ?? 0
  }
  pieces.push(bytes.subarray(end))
  return pieces
}
