/** The records that a run of a source has met, 16 bytes each: a source may have millions. */
export class MetRecords {
  readonly #parts: Buffer[] = []

  add(ids: readonly string[]) {
    this.#parts.push(Buffer.from(ids.join('').replaceAll('-', ''), 'hex'))
  }

  /** The SQL type `uuid[]` as text. */
  asText(): string {
    const ids = this.#parts.flatMap((part) => part.toString('hex').match(/.{32}/g) ?? [])
    return `{${ids.join()}}`
  }
}
