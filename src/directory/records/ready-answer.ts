/**
 * Ready answers: a template as bytes, as it reads for a caller who has unlocked nobody in it. Joining and
 * encoding the text takes several times as long as copying it, so it is done once for many callers.
 */
import type { Channel } from '../../contract/vocabulary.ts'
import type { GzipBeginning } from '../../gzip.ts'
import { type NamedValues, namedText, writeNamed } from './named-values.ts'
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
import type { TextPlace } from './text-pages.ts'

// An answer put together as bytes: texts are encoded, and what stands on a page is copied, because making strings of it and
// encoding them again takes longer.

/** Room that one answer is made in after the other: it is copied from there once its length is known. */
let spare: Buffer | undefined
const FIRST_BYTES = 2 ** 16
/** More is not held for the next answer. */
const SPARE_MAX = 2 ** 20
/** UTF-8 has this many bytes for a UTF-16 unit at most. */
const BYTES_A_UNIT = 3

class AnswerBytes {
  #bytes = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0
  /** Text that is not encoded yet. */
  #text = ''
  /** First byte and end of each slot, in pairs. */
  readonly #places: number[] = []

  constructor() {
    // A second answer that is begun before this one ends gets a buffer of its own.
    spare = undefined
  }

  add(text: string) {
    this.#text += text
  }

  addSlot(bytes: Uint8Array) {
    this.#endText()
    this.#hasRoomFor(bytes.length)
    this.#places.push(this.#length, this.#length + bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  addPlace({ page, start, end }: TextPlace) {
    if (typeof page === 'string') return this.add(page)
    this.#endText()
    this.#hasRoomFor(end - start)
    this.#length += page.bytes.copy(this.#bytes, this.#length, start, end)
  }

  addNamed(values: NamedValues) {
    const { page, start, end } = values.place
    if (typeof page === 'string') return this.add(namedText(values))
    this.#endText()
    this.#hasRoomFor(values.names.length + end - start)
    this.#length = writeNamed(values.names, page.bytes, start, end, this.#bytes, this.#length)
  }

  /** @returns all that was added as UTF-8, and of each slot the first byte and the one after its last. */
  end(): { bytes: Uint8Array<ArrayBuffer>; places: Uint32Array } {
    this.#endText()
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    if (this.#bytes.length <= SPARE_MAX) spare = this.#bytes
    return { bytes, places: new Uint32Array(this.#places) }
  }

  #endText() {
    if (this.#text === '') return
    this.#hasRoomFor(this.#text.length * BYTES_A_UNIT)
    this.#length += this.#bytes.write(this.#text, this.#length)
    this.#text = ''
  }

  #hasRoomFor(more: number) {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

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
