/**
 * Texts of records as bytes in pages that many share. A JavaScript string each would take some fifty bytes more
 * than its letters, and the garbage collector would look at every one.
 */

/** Bytes of many texts, one after the other. */
export interface TextPage {
  readonly bytes: Buffer
  /** True if all of them are ASCII, which is read in half the time of UTF-8. */
  readonly isAscii: boolean
}

/** Where a text stands: on a page, from one byte to another; or it is a string, of a record that changed since the load. */
export interface TextPlace {
  readonly page: TextPage | string
  readonly start: number
  readonly end: number
}

export function textAt({ page, start, end }: TextPlace): string {
  if (typeof page === 'string') return page
  return page.bytes.toString(page.isAscii ? 'latin1' : 'utf8', start, end)
}

/**
 * @param count how many lines the text has.
 * @returns where each of them stands.
 */
export function linesAt({ page, start, end }: TextPlace, count: number): TextPlace[] {
  if (typeof page === 'string') return page.split('\n').map(ownText)
  const lines: TextPlace[] = []
  for (let from = start; lines.length < count; ) {
    const to = lines.length === count - 1 ? end : page.bytes.indexOf(LINE_FEED, from)
    lines.push({ page, start: from, end: to })
    from = to + 1
  }
  return lines
}
const LINE_FEED = 0x0a

/** A text that no page has: pages are only added to, so what changes often must not stand there. */
export function ownText(text: string): TextPlace {
  return { page: text, start: 0, end: 0 }
}

/** A record whose texts stand somewhere. The place is in the record itself: an object for each would take as much memory as the rest. */
export class RecordOnPage implements TextPlace {
  readonly page: TextPlace['page']
  readonly start: number
  readonly end: number

  constructor({ page, start, end }: TextPlace) {
    this.page = page
    this.start = start
    this.end = end
  }

  get place(): TextPlace {
    const { page, start, end } = this
    return { page, start, end }
  }
}

/** Pages that are filled by a load. They go with the last record that stands on them. */
export class TextPages {
  /** The pages that have room, and how much of each is taken. */
  #ascii = { page: pageOf(0, true), used: 0 }
  #utf8 = { page: pageOf(0, false), used: 0 }

  /** @returns the place of the text, which is read back as it was given, lone surrogates excepted. */
  add(text: string): TextPlace {
    const length = Buffer.byteLength(text)
    const isAscii = length === text.length
    const open = isAscii ? this.#ascii : this.#utf8
    if (open.used + length > open.page.bytes.length) {
      open.page = pageOf(Math.max(PAGE_BYTES, length), isAscii)
      open.used = 0
    }
    const { page, used: start } = open
    page.bytes.write(text, start, length, isAscii ? 'latin1' : 'utf8')
    open.used += length
    return { page, start, end: open.used }
  }
}

const PAGE_BYTES = 2 ** 18

/** Memory of its own: a small `Buffer` would share some with others. */
const pageOf = (length: number, isAscii: boolean): TextPage => ({
  bytes: Buffer.from(new ArrayBuffer(length)),
  isAscii,
})
