/** Ids for what the service makes itself (D24). */
import { randomBytes } from 'node:crypto'

/** A UUID of version 7 (RFC 9562): milliseconds since 1970, then 74 random bits. */
export function uuidV7(nowMs = Date.now(), random: Uint8Array = randomBytes(10)): string {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(nowMs / 2 ** 32))
  view.setUint32(2, nowMs >>> 0)
  bytes.set(random.subarray(0, 10), 6)
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f))
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
