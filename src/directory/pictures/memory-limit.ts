/** A bound for the memory of a WebAssembly module that has none: its decoders believe what files say of their size. */

/** The section of a module that says how much memory it has. */
const MEMORY_SECTION = 5
/** Start of the sections, after the module's mark and version. */
const SECTIONS_AT = 8
const PAGE_BYTES = 65_536

/**
 * Returns the module with a bound on its memory: growing beyond it fails.
 * @throws Error if the bytes are no module with one unbounded memory
 */
export function withMemoryLimit(
  module: Uint8Array<ArrayBuffer>,
  bytes: number,
): Uint8Array<ArrayBuffer> {
  let start = SECTIONS_AT
  while (start < module.length) {
    const size = readNumber(module, start + 1)
    const end = size.next + size.value
    if (module[start] !== MEMORY_SECTION) {
      start = end
      continue
    }
    const [memories, hasBound] = module.subarray(size.next)
    if (memories !== 1 || hasBound !== 0) break
    const least = module.subarray(size.next + 2, end)
    const content = [1, 1, ...least, ...numberBytes(bytes / PAGE_BYTES)]
    const section = [MEMORY_SECTION, ...numberBytes(content.length), ...content]
    const whole = [module.subarray(0, start), Buffer.from(section), module.subarray(end)]
    return new Uint8Array(Buffer.concat(whole))
  }
  throw new Error('no WebAssembly with a memory to limit')
}

/** Reads a number as WebAssembly writes it: seven bits a byte, the lowest first. */
function readNumber(bytes: Uint8Array, at: number): { value: number; next: number } {
  const byte = bytes[at] ?? 0
  if (byte < 0x80) return { value: byte, next: at + 1 }
  const { value, next } = readNumber(bytes, at + 1)
  return { value: (byte & 0x7f) + value * 0x80, next }
}

function numberBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(value >>> 7)]
}
