/** Pictures that aren't what they seem: larger than they say, or lying on their side. */

/** Bytes of these numbers of bits, the lowest bit first. */
function bits(...fields: readonly [value: number, width: number][]): Buffer {
  const all = fields.flatMap(([value, width]) =>
    Array.from({ length: width }, (_, n) => (value >>> n) & 1),
  )
  const bytes = Buffer.alloc(Math.ceil(all.length / 8))
  for (const [n, bit] of all.entries()) bytes[n >>> 3] = (bytes[n >>> 3] ?? 0) | (bit << (n & 7))
  return bytes
}

function chunk(name: string, ...data: readonly Uint8Array[]): Buffer {
  const length = data.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from(name), bits([length, 32]), ...data, Buffer.alloc(length % 2)])
}

/** A WebP of this size whose one colour takes no bits: each of its five codes has one symbol. */
function oneColour(side: number): Buffer {
  const codes = Array.from({ length: 5 }, (): [number, number] => [1, 4])
  return chunk('VP8L', bits([0x2f, 8], [side - 1, 14], [side - 1, 14], [0, 4], [0, 3], ...codes))
}

/** A WebP that says 16 pixels a side and holds `side`. */
export function larger(side: number): Uint8Array<ArrayBuffer> {
  const says = chunk('VP8X', bits([0, 32], [15, 24], [15, 24]))
  return new Uint8Array(chunk('RIFF', Buffer.from('WEBP'), says, oneColour(side)))
}

/** The JPEG, with what EXIF says of how the camera was held. */
export function heldAs(orientation: number, jpeg: Uint8Array): Uint8Array<ArrayBuffer> {
  const exif = Buffer.from(
    'ffe100224578696600004d4d002a000000080001011200030000000100000000',
    'hex',
  )
  exif[exif.length - 3] = orientation
  return new Uint8Array(
    Buffer.concat([jpeg.subarray(0, 2), exif, Buffer.alloc(4), jpeg.subarray(2)]),
  )
}
