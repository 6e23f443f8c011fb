/** Random values that open something: the person holds the value, the database its hash. */
import { createHash, randomBytes } from 'node:crypto'

export interface Secret {
  /** 256 random bits, as text for a cookie or a link. */
  token: string
  hash: string
}

export function newSecret(): Secret {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashSecret(token) }
}

/** SHA-256 in hexadecimal: what has 256 random bits needs no salt and no slow hash. */
export function hashSecret(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
