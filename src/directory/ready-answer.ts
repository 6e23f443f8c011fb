/**
 * Ready answers: a template as bytes, as it reads for a caller who has unlocked nobody in it. Joining and
 * encoding the text takes several times as long as copying it, so it is done once for many callers.
 */
import {
  type ContactSlot,
  contactsOf,
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
  /** Of each slot the first byte and the one after its last: two numbers for each. */
  readonly places: Uint32Array
  /** The ids of the slots' contacts. */
  readonly contacts: readonly string[]
}

const encoder = new TextEncoder()

export function readyAnswer(body: Template): ReadyAnswer {
  const slots: ContactSlot[] = []
  const ends: number[] = []
  let text = ''
  for (const part of body) {
    if (typeof part === 'string') text += part
    else {
      slots.push(part)
      text += lockedSlotText(part)
      ends.push(text.length)
    }
  }
  const bytes = encoder.encode(text)
  return { bytes, slots, places: placesOf(slots, ends, text, bytes), contacts: contactsOf(body) }
}

/** @param ends where each slot ends in the text, which is where it ends in the bytes if all of it is ASCII. */
function placesOf(
  slots: readonly ContactSlot[],
  ends: readonly number[],
  text: string,
  bytes: Uint8Array,
): Uint32Array {
  const places = new Uint32Array(slots.length * 2)
  const isAscii = bytes.length === text.length
  let [seen, encoded] = [0, 0]
  for (const [number, slot] of slots.entries()) {
    const end = ends[number] ?? 0
    encoded += isAscii ? end - seen : Buffer.byteLength(text.slice(seen, end))
    seen = end
    places[number * 2] = encoded - lockedSlotText(slot).length
    places[number * 2 + 1] = encoded
  }
  return places
}

/** What stands in a row in a body: bytes in UTF-8, or a text. */
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
