/** Texts that a browser carries in an address: packed, and read again for the same browser alone. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Cookies } from './cookies.ts'
import { newToken } from './tokens.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Sealing = ReturnType<typeof createSealing>

/** The key comes from the cookie of forms, which is there before a session is. @param mostBytes of a text that is read again */
export function createSealing(cookies: Cookies, mostBytes = 256 * 1024) {
  const keyOf = (token: string) => createHmac('sha256', token).update('sealed').digest()
  return {
    /** @returns the sealed text, in base64url. Where the browser has no cookie yet, the answer sets `cookie`. */
    seal(request: Request, text: string): { sealed: string; cookie?: string } {
      const known = cookies.form(request)
      const token = known ?? newToken().token
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keyOf(token), nonce)
      const packed = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()])
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), packed]).toString('base64url')
      return known === undefined ? { sealed, cookie: cookies.setForm(token) } : { sealed }
    },

    /** @returns undefined for what was not sealed for this browser. */
    open(request: Request, sealed: string): string | undefined {
      const token = cookies.form(request)
      const bytes = Buffer.from(sealed, 'base64url')
      if (token === undefined || bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
      const cipher = createDecipheriv(CIPHER, keyOf(token), bytes.subarray(0, NONCE_BYTES))
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const packed = [cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]
        return inflateRawSync(Buffer.concat(packed), { maxOutputLength: mostBytes }).toString()
      } catch {
        return undefined
      }
    },
  }
}
