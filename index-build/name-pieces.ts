/**
 * By pieces of three letters, the records whose name or handle holds them: names that are near as a whole
 * share many, wherever letters, spaces or words differ (D51).
 */
import type { SearchDocument } from './documents.ts'
import { lettersOf } from './fold.ts'
import { NumberLists, type NumbersPart } from './number-lists.ts'

/** Lists: a piece has the one of its hash. Two pieces that share one make a candidate more, no answer. */
const LISTS = 2 ** 16

/**
 * The pieces of these texts, each once, as numbers below `LISTS`. Two spaces stand before a text and one
 * behind it, so that its beginning counts most.
 * @param texts of `lettersOf`.
 */
export function piecesOf(...texts: string[]): number[] {
  const pieces: number[] = []
  for (const letters of texts) {
    if (letters === '') continue
    let [first, second] = [SPACE, SPACE]
    for (let i = 0; i <= letters.length; i++) {
      const third = i < letters.length ? letters.charCodeAt(i) : SPACE
      const piece = Math.imul((first * 961 + second * 31) ^ third, 0x9e3779b1) >>> 16
      if (isKnown[piece] === 0) pieces.push(piece)
      isKnown[piece] = 1
      first = second
      second = third
    }
  }
  for (const piece of pieces) isKnown[piece] = 0
  return pieces
}
const SPACE = 0x20
/** All zero between calls. */
const isKnown = new Uint8Array(LISTS)

const piecesOfNames = (document: SearchDocument | null) =>
  piecesOf(lettersOf(document?.name ?? ''), lettersOf(document?.handle ?? ''))

export class NamePieces {
  readonly #lists = new NumberLists()

  /** How many records hold the piece in their name or handle. */
  count(piece: number): number {
    return this.#lists.length(piece)
  }

  /** Copies the slots of these records to the front of `into`. @returns how many. */
  read(piece: number, into: Uint32Array): number {
    return this.#lists.read(piece, into)
  }

  /** Takes a record's new name and handle in. @param before null where it is new. @param after null where it goes. */
  replace(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    for (const piece of piecesOfNames(before)) this.#lists.remove(piece, slot)
    for (const piece of piecesOfNames(after)) this.#lists.add(piece, slot)
  }

  /** As `NumberLists.parts`. */
  parts(): Generator<NumbersPart> {
    return this.#lists.parts()
  }

  take(part: NumbersPart) {
    this.#lists.take(part)
  }
}
