/**
 * An answer put together as bytes: texts are joined and encoded, and what stands on a page is copied, because making
 * strings of it and encoding them again takes longer (D148).
 */
import type { TextPage, TextPlace } from './text-pages.ts'

type OnPage = TextPlace & { readonly page: TextPage }

export class AnswerBytes {
  /** What the answer consists of, except `#text`; and how many bytes that takes. */
  readonly #pieces: (string | OnPage)[] = []
  #length = 0
  /** What was added since the last piece. */
  #text = ''
  /** Where slots begin and end: in `#text`, and in the answer's bytes. */
  #marks: number[] = []
  readonly #places: number[] = []

  add(text: string) {
    this.#text += text
  }

  addSlot(text: string) {
    this.#marks.push(this.#text.length, this.#text.length + text.length)
    this.#text += text
  }

  addPlace({ page, start, end }: TextPlace) {
    if (typeof page === 'string') this.add(page)
    else {
      this.#endText()
      this.#pieces.push({ page, start, end })
      this.#length += end - start
    }
  }

  /** @returns all that was added as UTF-8, and of each slot the first byte and the one after its last. */
  end(): { bytes: Uint8Array<ArrayBuffer>; places: Uint32Array } {
    this.#endText()
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    let length = 0
    for (const piece of this.#pieces) {
      length +=
        typeof piece === 'string'
          ? bytes.write(piece, length)
          : piece.page.bytes.copy(bytes, length, piece.start, piece.end)
    }
    return { bytes, places: new Uint32Array(this.#places) }
  }

  #endText() {
    if (this.#text === '') return
    const text = this.#text
    const length = Buffer.byteLength(text)
    const isAscii = length === text.length
    let [seen, encoded] = [0, this.#length]
    for (const mark of this.#marks) {
      encoded += isAscii ? mark - seen : Buffer.byteLength(text.slice(seen, mark))
      seen = mark
      this.#places.push(encoded)
    }
    this.#pieces.push(text)
    this.#length += length
    this.#text = ''
    this.#marks = []
  }
}
