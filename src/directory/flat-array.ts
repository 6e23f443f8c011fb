const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]

/**
 * Cuts the JSON text of an array whose values are texts, numbers, booleans and nulls. Parsing it takes longer, and an
 * answer would make the same JSON of the values again.
 * @returns the JSON text of each value.
 */
export function cutFlatArray(text: string): string[] {
  const values: string[] = []
  let start = 1
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (code === COMMA || i === text.length - 1) {
      values.push(text.slice(start, i))
      start = i + 1
    }
  }
  return values
}

/** @param start of the string, its quotation mark. @returns the place of the one at its end. */
function endOfString(text: string, start: number): number {
  let i = start + 1
  for (; i < text.length && text.charCodeAt(i) !== QUOTE; i++) {
    if (text.charCodeAt(i) === BACKSLASH) i++
  }
  return i
}
