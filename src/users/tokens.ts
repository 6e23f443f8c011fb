/** Random values of cookies and links: the browser holds the token, the database its hash. */
import { hash, randomBytes } from 'node:crypto'

/** 256 random bits in base64url, and their hash. */
export function newToken() {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** SHA-256 in hexadecimal. 256 random bits need no salt and no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}
