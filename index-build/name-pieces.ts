/**
 * Names and handles as a whole, as numbers: forms, which they have in common with what is typed for them, and pieces of three
 * letters, of which near ones share many, wherever letters, spaces or words differ.
 */
import { latinOf, lettersOf } from './fold.ts'

/** A name's and a handle's letters, the name's in Latin ones, and the consonants by which another script finds it; each once. */
export function formsOf(name: string, handle: string): string[] {
  const latin = latinOf(name)
  const [letters, key] = [lettersOf(name), lettersOf(handle)]
  const forms = letters === key || key === '' ? [letters] : [letters, key]
  if (latin !== '') forms.push(lettersOf(latin))
  for (const form of consonantsOf(name, latin)) forms.push((latin ? '>' : '<') + form)
  return letters === '' ? forms.slice(1) : forms
}

/** The same of a query; its consonants are those of names in the other kind of script. */
export function formsIn(whole: string): { latin: string; consonants: string[] } {
  const latin = latinOf(whole)
  const consonants = consonantsOf(whole, latin).map((form) => (latin ? '<' : '>') + form)
  return { latin: lettersOf(latin), consonants }
}

/** Scripts that write no vowels, or write some of them as consonants. */
const ABJAD = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
/** Fewer consonants are those of many names. */
const CONSONANTS_MIN = 4
/** Consonants, and below each the one that stands for those that sound alike. */
const CONSONANTS = 'bcdfgjklmnpqrstvxz'
const SOUNDS = 'bkdfgjklmnfkrstvks'

function consonantsOf(name: string, latin: string): string[] {
  if (latin && !ABJAD.test(name)) return []
  // A vav may be a vowel.
  const forms = latin ? [soundsOf(latin), soundsOf(latin.replaceAll('v', ''))] : [soundsOf(name)]
  return forms.filter(
    ({ length }, i) => length >= CONSONANTS_MIN && forms.indexOf(forms[i] ?? '') === i,
  )
}

/** Other letters are left out, and double ones are one. */
function soundsOf(text: string): string {
  let sounds = ''
  for (const letter of text) {
    const sound = SOUNDS[CONSONANTS.indexOf(letter)] ?? ''
    if (!sounds.endsWith(sound)) sounds += sound
  }
  return sounds
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
