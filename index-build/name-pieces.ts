/**
 * Names and handles as a whole, as numbers: forms, which they have in common with what is typed for them, and pieces of three
 * letters, of which near ones share many, wherever letters, spaces or words differ.
 */
import { latinOf, lettersOf } from './fold.ts'

/** A name's and a handle's letters, the name's in Latin ones, and the consonants by which another script finds it. */
export function formsOf(name: string, handle: string): Set<string> {
  const letters = lettersOf(name)
  const latin = latinOf(name)
  const consonants = consonantsOf(name, latin).map((form) => (latin ? `>${form}` : `<${form}`))
  return new Set([letters, lettersOf(handle), lettersOf(latin), ...consonants]).difference(NO_FORM)
}
const NO_FORM = new Set([''])

/** The same of a query; its consonants are those of names in the other kind of script. */
export function formsIn(whole: string): { latin: string; consonants: string[] } {
  const latin = latinOf(whole)
  const consonants = consonantsOf(whole, latin).map((form) => (latin ? `<${form}` : `>${form}`))
  return { latin: lettersOf(latin), consonants }
}

/** Scripts that write no vowels, or write some of them as consonants. */
const ABJAD = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
/** Fewer consonants are those of many names. */
const CONSONANTS_MIN = 4

function consonantsOf(name: string, latin: string): string[] {
  if (latin && !ABJAD.test(name)) return []
  const plain = (latin || name)
    .replace(/[^b-df-gj-np-tvxz]/g, '')
    .replace(/[cqx]/g, 'k')
    .replace(/z/g, 's')
    .replace(/p/g, 'f')
  const forms = latin ? [plain, plain.replaceAll('v', '')] : [plain]
  return forms
    .map((form) => form.replace(/(.)\1+/g, '$1'))
    .filter(({ length }) => length >= CONSONANTS_MIN)
}

/** Bits of a form's number that say which list it stands in; others beside the slot tell most forms of one list apart. */
const LIST_BITS = 16

/** Where a form stands: its list, and a number that most others of that list don't have. @param bits of that number */
export function placeOfForm(form: string, bits: number): [list: number, check: number] {
  let hash = 0x811c9dc5
  for (let i = 0; i < form.length; i++) hash = Math.imul(hash ^ form.charCodeAt(i), 0x01000193)
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 0
  return [mixed >>> (32 - LIST_BITS), mixed & ((1 << bits) - 1)]
}

/**
 * The pieces of these texts, each once, as a number of 16 bits. Two spaces stand before a text and one
 * behind it, so that its beginning counts most.
 * @param texts of `lettersOf`.
 */
export function piecesOf(...texts: string[]): number[] {
  const pieces: number[] = []
  for (const letters of texts) {
    if (letters === '') continue
    const text = `  ${letters} `
    for (let i = 2; i < text.length; i++) {
      const before = text.charCodeAt(i - 2) * 961 + text.charCodeAt(i - 1) * 31
      // Two pieces that share a number make a candidate more, no answer.
      const piece = Math.imul(before ^ text.charCodeAt(i), 0x9e3779b1) >>> 16
      if (!pieces.includes(piece)) pieces.push(piece)
    }
  }
  return pieces
}
