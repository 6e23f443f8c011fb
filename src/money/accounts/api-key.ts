/** API keys: `ck_live_`, 32 random characters and a checksum of 6, so that a mistyped key never reaches the database. */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'ck_live_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 32
const CHECKSUM_CHARACTERS = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`)

/** Length of the prefix that lists show. */
const SHOWN_CHARACTERS = PREFIX.length + 6

/** @returns the full `key`, which is shown once and never stored, with its `prefix` and `hash`. */
export function generateApiKey() {
  const body = PREFIX + randomCharacters(RANDOM_CHARACTERS)
  const key = body + checksum(body)
  return { key, prefix: key.slice(0, SHOWN_CHARACTERS), hash: hashApiKey(key) }
}

/** Checks form and checksum of a key. */
export function isWellFormed(key: string): boolean {
  if (!FORM.test(key)) return false
  const body = key.slice(0, -CHECKSUM_CHARACTERS)
  return checksum(body) === key.slice(-CHECKSUM_CHARACTERS)
}

/** SHA-256 in hexadecimal. A key has 190 random bits, so it needs no salt and no slow hash. */
export function hashApiKey(key: string): string {
  return hash('sha256', key)
}

function randomCharacters(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let characters = ''
  for (let position = 0; position < CHECKSUM_CHARACTERS; position++) {
    characters = ALPHABET[rest % 62] + characters
    rest = Math.floor(rest / 62)
  }
  return characters
}
