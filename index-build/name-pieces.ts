/**
 * Pieces of names and handles, as numbers: names that are near as a whole share many pieces of three
 * letters, wherever letters, spaces or words differ.
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
