/**
 * The web application's cookies: the session's, one that binds CSRF tokens before there is a session,
 * one by which an account knows a browser, and one of somebody who is to show a second factor. Then what is bound to
 * them: CSRF tokens and sealed texts.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { serialize } from 'hono/utils/cookie'
import { newToken } from './tokens.ts'

const TOKEN = /^[A-Za-z0-9_-]{43}$/

export type Cookies = ReturnType<typeof createCookies>

/** A cookie's name: over https it begins with `__Host-`, which binds a cookie to this host. Browsers refuse that over plain http. */
export const cookieName = (name: string, appUrl: string): string =>
  appUrl.startsWith('https:') ? `__Host-${name}` : name

/** A value of `Set-Cookie`. @param maxAge in seconds; 0 deletes the cookie, and without it the browser's session ends it */
export function setCookie(name: string, value: string, appUrl: string, maxAge?: number): string {
  const secure = appUrl.startsWith('https:')
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'Lax' } as const
  const age = maxAge === undefined ? {} : { maxAge }
  return serialize(cookieName(name, appUrl), value, { ...attributes, ...age })
}

const SESSION = 'ck_session'
const FORM = 'ck_form'
const BROWSER = 'ck_browser'
const PENDING = 'ck_pending'

export function createCookies(appUrl: string) {
  const read = (request: Request, name: string) => readToken(request, cookieName(name, appUrl))
  const set = (name: string, token: string, lastsSeconds?: number) =>
    setCookie(name, token, appUrl, lastsSeconds)
  return {
    /** @returns the value that the browser sent, or undefined. */
    session: (request: Request) => read(request, SESSION),
    form: (request: Request) => read(request, FORM),
    browser: (request: Request) => read(request, BROWSER),
    pending: (request: Request) => read(request, PENDING),
    /** Each of the next returns a value of `Set-Cookie`. */
    setSession: (token: string, lastsSeconds: number) => set(SESSION, token, lastsSeconds),
    clearSession: () => set(SESSION, '', 0),
    setBrowser: (token: string, lastsSeconds: number) => set(BROWSER, token, lastsSeconds),
    setPending: (token: string, lastsSeconds: number) => set(PENDING, token, lastsSeconds),
    clearPending: () => set(PENDING, '', 0),
    setForm: (token: string) => set(FORM, token),
    clearForm: () => set(FORM, '', 0),
  }
}

/** The cookie's value where it has a token's form. Two cookies of one name are both ignored. */
function readToken(request: Request, name: string): string | undefined {
  const [value = '', ...others] = cookieValues(request, name)
  return others.length === 0 && TOKEN.test(value) ? value : undefined
}

/** Values of the browser's cookies of this name. */
export function cookieValues(request: Request, name: string): string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}

const CSRF_BYTES = 32

export type Csrf = ReturnType<typeof createCsrf>

/** CSRF protection: a form's token is bound to a cookie, and the browser's headers must not name another origin. */
export function createCsrf(cookies: Cookies, appUrl: string) {
  const own = new URL(appUrl)
  const secretOf = (request: Request) => cookies.session(request) ?? cookies.form(request)

  return {
    /** True if a page of ours sent the request, as the browser says; one that says nothing is not believed. */
    isOwnPage(request: Request): boolean {
      const isSaid = request.headers.has('sec-fetch-site') || request.headers.has('origin')
      return (
        isSaid && request.headers.get('sec-fetch-site') !== 'none' && isSameOrigin(request, own)
      )
    },
    /** For a form's hidden field `csrf`. Where the browser has no cookie yet, the answer sets `cookie`. */
    token(request: Request): { token: string; cookie?: string } {
      const known = secretOf(request)
      if (known) return { token: maskedToken(known) }
      const { token } = newToken()
      return { token: maskedToken(token), cookie: cookies.setForm(token) }
    },
    /** True if the form was sent from one of our pages. */
    check(request: Request, form: URLSearchParams): boolean {
      const secret = secretOf(request)
      const [token = '', ...others] = form.getAll('csrf')
      if (secret === undefined || others.length > 0) return false
      return isSameOrigin(request, own) && isTokenOf(secret, token)
    },
  }
}

/** A different text each time, so that a compressed page's size doesn't reveal the token (BREACH). */
function maskedToken(secret: string): string {
  const mask = randomBytes(CSRF_BYTES)
  return Buffer.concat([mask, xor(mask, proofOf(secret))]).toString('base64url')
}

function isTokenOf(secret: string, token: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== 2 * CSRF_BYTES) return false
  return timingSafeEqual(
    xor(bytes.subarray(0, CSRF_BYTES), bytes.subarray(CSRF_BYTES)),
    proofOf(secret),
  )
}

function proofOf(secret: string): Buffer {
  return createHmac('sha256', secret).update('csrf').digest()
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, position) => byte ^ (other[position] ?? 0)))
}

/** By Sec-Fetch-Site, else by Origin, which older browsers send. Without both, the token alone decides. */
function isSameOrigin(request: Request, own: URL): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const origin = request.headers.get('origin')
  if (origin === null) return true
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === own.host || host === request.headers.get('host')
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Sealing = ReturnType<typeof createSealing>

/**
 * Texts that a browser carries in an address: packed, and read again for the same browser alone. The key comes from the
 * cookie of forms, which is there before a session is. @param mostBytes of a text that is read again
 */
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
