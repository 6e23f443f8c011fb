/**
 * By pieces of three letters, the records whose name or handle holds them: names that are near as a whole
 * share many, wherever letters, spaces or words differ (D51).
 */
import type { SearchDocument } from './documents.ts'
import { lettersOf } from './fold.ts'

/** Lists: a piece has the one of its hash. Two pieces that share one make a candidate more, no answer. */
const LISTS = 2 ** 16

/**
 * The pieces of a name, as numbers below `LISTS`. Two spaces stand before it and one behind, so that
 * its beginning counts most.
 * @param letters of `lettersOf`.
 */
export function piecesOf(letters: string): Set<number> {
  const pieces = new Set<number>()
  if (letters === '') return pieces
  const text = `  ${letters} `
  for (let i = 2; i < text.length; i++) {
    const code = (text.charCodeAt(i - 2) * 961 + text.charCodeAt(i - 1) * 31) ^ text.charCodeAt(i)
    pieces.add(Math.imul(code, 0x9e3779b1) >>> 16)
  }
  return pieces
}

function piecesOfNames(document: SearchDocument | null): Set<number> {
  const [name, handle] = [document?.name ?? '', document?.handle ?? ''].map(lettersOf).map(piecesOf)
  return new Set([...(name ?? []), ...(handle ?? [])])
}

export class NamePieces {
  readonly #lists: Uint32Array[] = Array.from({ length: LISTS }, () => NO_SLOTS)
  readonly #lengths = new Uint32Array(LISTS)

  /** The slots of the records whose name or handle holds the piece: a view, valid until the next change. */
  slots(piece: number): Uint32Array {
    return (this.#lists[piece] ?? NO_SLOTS).subarray(0, this.#lengths[piece])
  }

  /** Takes a record's new name and handle in. @param before null where it is new. @param after null where it goes. */
  replace(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    for (const piece of piecesOfNames(before)) this.#take(piece, slot)
    for (const piece of piecesOfNames(after)) this.#insert(piece, slot)
  }

  #insert(piece: number, slot: number) {
    const length = this.#lengths[piece] ?? 0
    let list = this.#lists[piece] ?? NO_SLOTS
    if (length === list.length) {
      list = new Uint32Array(length + (length >>> 2) + 2)
      list.set(this.slots(piece))
      this.#lists[piece] = list
    }
    list[length] = slot
    this.#lengths[piece] = length + 1
  }

  #take(piece: number, slot: number) {
    const slots = this.slots(piece)
    const place = slots.indexOf(slot)
    if (place < 0) return
    slots[place] = slots.at(-1) ?? 0
    this.#lengths[piece] = slots.length - 1
  }
}

const NO_SLOTS = new Uint32Array(0)
