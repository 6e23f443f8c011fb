/** Recovery codes: each lets somebody who has lost their app in once. */
import { randomInt } from 'node:crypto'
import { hashToken } from './tokens.ts'

/** Codes of a user. */
export const RECOVERY_CODES = 10

/** Crockford's base32, in which no two characters look alike: 16 of them are 80 random bits, too many to guess. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16
const GROUP = /.{4}(?=.)/g

/** New codes as they are shown, `7k3f-…`, with the hashes that the database keeps. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const made = new Set<string>()
  while (made.size < RECOVERY_CODES) made.add(randomCode())
  const codes = [...made]
  return {
    codes: codes.map((code) => code.replace(GROUP, '$&-')),
    hashes: codes.map(hashToken),
  }
}

function randomCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Typed code: digits of an app, or the hash of a recovery code. */
export type TypedCode = { digits: string } | { recovery: string }

/** Reads a code as people type it, with spaces, dashes or capitals. @returns undefined where it has the form of neither. */
export function readCode(typed: string): TypedCode | undefined {
  const text = typed
    .normalize('NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toLowerCase()
  if (/^[0-9]{6}$/.test(text)) return { digits: text }
  const code = text.replaceAll('o', '0').replace(/[il]/g, '1')
  const isCode = code.length === LENGTH && [...code].every((each) => ALPHABET.includes(each))
  return isCode ? { recovery: hashToken(code) } : undefined
}
