/**
 * Codes of a second factor: those of an app, as RFC 6238 has them; recovery codes, each of which lets somebody who has lost
 * their app in once; and limits on wrong ones.
 */
import { randomInt } from 'node:crypto'
import type { Database } from '../../database/client.ts'
import type { Limited } from './answers.ts'
import { countWindows, firstOver, refundWindows, type Window } from './rate-limiter.ts'
import { hashToken } from './tokens.ts'

/** Every app knows this form; longer codes and other hashes not all of them. */
const DIGITS = 6
const STEP_SECONDS = 30
/** Steps by which a clock may be ahead or behind. */
const TOLERANCE = 1
/** Length recommended by RFC 4226: 160 bits. */
const SECRET_BYTES = 20
/** Characters of a name in an app's list; more would make a picture that is hard to scan. */
const MAX_NAME = 60

/** Loaded when first asked for: a start doesn't need it. */
const otpauth = () => import('otpauth')

/** A new secret in base32. */
export async function newSecret(): Promise<string> {
  const { Secret } = await otpauth()
  return new Secret({ size: SECRET_BYTES }).base32
}

/** Content of the QR code: an `otpauth:` URI. */
export async function uriOf(
  secret: string,
  { serviceName, email }: { serviceName: string; email: string },
): Promise<string> {
  const { TOTP } = await otpauth()
  const [issuer, label] = [serviceName, email].map((name) => [...name].slice(0, MAX_NAME).join(''))
  const kind = { algorithm: 'SHA1', digits: DIGITS, period: STEP_SECONDS } as const
  return new TOTP({ ...kind, issuer: issuer ?? '', label: label ?? '', secret }).toString()
}

/**
 * The time step whose code this is, now or a step before or after.
 * @param digits six digits 0 to 9 @param now the database's time, epoch milliseconds
 * @returns steps since 1970; undefined where the code is another
 */
export async function stepOf(
  secret: string,
  digits: string,
  now: number,
): Promise<number | undefined> {
  const { TOTP, Secret } = await otpauth()
  const offset = TOTP.validate({
    token: digits,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
    timestamp: now,
    window: TOLERANCE,
  })
  return offset === null ? undefined : Math.floor(now / 1_000 / STEP_SECONDS) + offset
}

/** Recovery codes of a user. */
export const RECOVERY_CODES = 10

/** Crockford's base32, in which no two characters look alike: 16 of them are 80 random bits, too many to guess. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16
const GROUP = /.{4}(?=.)/g

/** New codes as they are shown, `7k3f-…`, with the hashes that the database keeps. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const unique = new Set<string>()
  while (unique.size < RECOVERY_CODES) unique.add(randomCode())
  const codes = [...unique]
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

const QUARTER_SECONDS = 900
const DAY_SECONDS = 86_400

/** Wrong codes. Right ones don't count. */
const WRONG_CODES = {
  /** From one client address, whomever they are of, in 15 minutes. Browsers that the account knows don't count here. */
  address: 30,
  /** Codes for one person from all strangers, in 15 minutes and in a day. */
  strangers: 10,
  strangersDay: 30,
  /** Codes for one person from one known browser or session in 15 minutes, and from all of them in a day. */
  known: 10,
  knownDay: 30,
} as const

interface CodeAttempt {
  userId: string
  /** The client's, as `limitedAs` gives it. */
  address: string
  /** Known browser or session, hashed or an id; undefined for strangers. */
  knownAs: string | undefined
  isRecovery: boolean
}

/** @returns how to take the attempt back, because the code was right. */
type Allowed = { outcome: 'allowed'; refund(): Promise<void> }

/**
 * Counts an attempt before its code is looked at. A code has six digits, so a limit holds for all who try one person's,
 * unlike with passwords: strangers get here by that person's password alone. Browsers that the account knows have a limit
 * of their own, which strangers can't use up: one that has signed in to it, or has reset its password by a link. A recovery
 * code is too long to be guessed, so it counts for its client address alone, and gets in whatever others have tried.
 * @throws DatabaseUnavailable
 */
export async function countCodeAttempt(
  database: Database,
  attempt: CodeAttempt,
): Promise<Allowed | Limited> {
  const windows = windowsOf(attempt)
  const over = firstOver(windows, await countWindows(database, windows))
  if (over) return { outcome: 'limited', retryAfter: over.endsIn }
  const subjects = windows.map(({ subject }) => subject)
  return { outcome: 'allowed', refund: () => refundWindows(database, subjects) }
}

function windowsOf({ userId, address, knownAs, isRecovery }: CodeAttempt): Window[] {
  const ofAddress = {
    subject: `code address ${address}`,
    limit: WRONG_CODES.address,
    seconds: QUARTER_SECONDS,
  }
  if (isRecovery) return [ofAddress]
  if (knownAs) {
    return [
      { subject: `code known ${knownAs}`, limit: WRONG_CODES.known, seconds: QUARTER_SECONDS },
      { subject: `code known day ${userId}`, limit: WRONG_CODES.knownDay, seconds: DAY_SECONDS },
    ]
  }
  return [
    ofAddress,
    { subject: `code strangers ${userId}`, limit: WRONG_CODES.strangers, seconds: QUARTER_SECONDS },
    {
      subject: `code strangers day ${userId}`,
      limit: WRONG_CODES.strangersDay,
      seconds: DAY_SECONDS,
    },
  ]
}
