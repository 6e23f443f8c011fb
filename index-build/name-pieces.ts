/**
 * What names and handles are made of, as numbers: names that are near as a whole share many pieces of three
 * letters, wherever letters, spaces or words differ (D51).
 */

/**
 * The pieces of these texts, each once, as a number of 16 bits. Two spaces stand before a text and one
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
      const piece = hashed((first * 961 + second * 31) ^ third)
      if (!pieces.includes(piece)) pieces.push(piece)
      first = second
      second = third
    }
  }
  return pieces
}
const SPACE = 0x20

/** Two pieces that share a number make a candidate more, no answer. */
const hashed = (number: number) => Math.imul(number, 0x9e3779b1) >>> 16
