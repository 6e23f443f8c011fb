/** Ids of new records. */
import { randomBytes } from 'node:crypto'

/** A UUID of version 7 (RFC 9562): milliseconds since 1970, then 74 random bits. */
export function uuidV7(nowMs = Date.now(), random: Uint8Array = randomBytes(10)): string {
  const bytes = Buffer.concat([Buffer.alloc(6), random])
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
