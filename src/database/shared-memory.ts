/** Modules of WebAssembly that are made to use memory which several threads share. */

/** In pages of 64 kB, as PGlite asks for its own memory. */
export const MAX_PAGES = 32_768

/** The first bytes of a module: a mark, and the version. */
const MAGIC_BYTES = 8
const IMPORT_SECTION = 2
/** Flags of a memory's limits: it has a maximum, and is shared. */
const SHARED_LIMITS = 3

/** Kinds of imports, as the standard numbers them. */
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3]

/** @returns the module with its imported memory declared as shared. @throws Error where it imports none */
export function withSharedMemory(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new Reader(wasm, MAGIC_BYTES)
  while (reader.at < wasm.length) {
    const isImports = reader.byte() === IMPORT_SECTION
    const sizeAt = reader.at
    const size = reader.integer()
    const start = reader.at
    if (isImports) {
      const limits = findMemory(reader)
      const declared = [SHARED_LIMITS, ...encoded(limits.pages), ...encoded(MAX_PAGES)]
      const imports = joined(
        wasm.subarray(start, limits.start),
        declared,
        wasm.subarray(limits.end, start + size),
      )
      const before = wasm.subarray(0, sizeAt)
      return joined(before, encoded(imports.length), imports, wasm.subarray(start + size))
    }
    reader.at = start + size
  }
  throw new Error('a module of PGlite imports nothing: its statements could not be interrupted')
}

/** @returns where the limits of the imported memory are, and its smallest size. */
function findMemory(reader: Reader): { start: number; end: number; pages: number } {
  for (let left = reader.integer(); left > 0; left--) {
    // The module's name and the import's.
    reader.skip(reader.integer())
    reader.skip(reader.integer())
    const kind = reader.byte()
    const start = reader.at
    if (kind === MEMORY) return { start, pages: reader.limits(), end: reader.at }
    if (kind === FUNCTION) reader.integer()
    else if (kind === GLOBAL) reader.skip(2)
    else {
      // A table's type, or the attribute of a tag.
      reader.byte()
      if (kind === TABLE) reader.limits()
      else reader.integer()
    }
  }
  throw new Error('a module of PGlite imports no memory: its statements could not be interrupted')
}

class Reader {
  readonly #bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  byte(): number {
    return this.#bytes[this.at++] ?? 0
  }

  /** In LEB128. */
  integer(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }

  skip(bytes: number) {
    this.at += bytes
  }

  /** @returns the smaller limit. */
  limits(): number {
    const hasMaximum = this.integer() & 1
    const minimum = this.integer()
    if (hasMaximum) this.integer()
    return minimum
  }
}

/** An integer in LEB128. */
function encoded(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encoded(value >>> 7)]
}

function joined(...parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((bytes, { length }) => bytes + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
