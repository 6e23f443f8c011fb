/**
 * The value of the cookie by which an account knows a browser: one that has signed in to it, or has set its password by a
 * link from a mail. It opens nothing; it only lets the browser past the limits on strangers.
 *
 * It is signed with the hash of the account's password. So it speaks for one account, ends with the password, and leaves
 * nothing in the database that could be stolen.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Half a year after the browser last signed in. */
export const KNOWN_BROWSER_SECONDS = 180 * 86_400

/** When it ends in epoch milliseconds, what tells one browser from another, and the signature: 32 bytes together. */
const END_BYTES = 6
const NONCE_BYTES = 6
const SIGNATURE_BYTES = 20

export interface KnownUser {
  id: string
  /** The hash of the password. */
  password: string
}

/** @param now the database's time, epoch milliseconds */
export function knownBrowserToken(user: KnownUser, now: number): string {
  const end = Buffer.alloc(END_BYTES)
  end.writeUIntBE(now + KNOWN_BROWSER_SECONDS * 1_000, 0, END_BYTES)
  const body = Buffer.concat([end, randomBytes(NONCE_BYTES)])
  return Buffer.concat([body, signatureOf(user, body)]).toString('base64url')
}

/** Whether the user's account knows the browser that sent this token. @param now as above */
export function isKnownBrowser(user: KnownUser, token: string, now: number): boolean {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== END_BYTES + NONCE_BYTES + SIGNATURE_BYTES) return false
  const body = bytes.subarray(0, END_BYTES + NONCE_BYTES)
  const signature = bytes.subarray(END_BYTES + NONCE_BYTES)
  return timingSafeEqual(signature, signatureOf(user, body)) && body.readUIntBE(0, END_BYTES) > now
}

function signatureOf({ id, password }: KnownUser, body: Buffer): Buffer {
  const signature = createHmac('sha256', password).update(`known browser ${id} `).update(body)
  return signature.digest().subarray(0, SIGNATURE_BYTES)
}
