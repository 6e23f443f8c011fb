/** CSRF protection: a form's token is bound to a cookie, and the browser's headers must not name another origin. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Cookies } from './cookies.ts'
import { newToken } from './tokens.ts'

const BYTES = 32

export type Csrf = ReturnType<typeof createCsrf>

export function createCsrf(cookies: Cookies, appUrl: string) {
  const own = new URL(appUrl)
  const secretOf = (request: Request) => cookies.session(request) ?? cookies.form(request)

  return {
    /** Whether a page of ours sent the request, as the browser says; one that says nothing is not believed. */
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
    /** Whether the form was sent from one of our pages. */
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
  const mask = randomBytes(BYTES)
  return Buffer.concat([mask, xor(mask, proofOf(secret))]).toString('base64url')
}

function isTokenOf(secret: string, token: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== 2 * BYTES) return false
  return timingSafeEqual(xor(bytes.subarray(0, BYTES), bytes.subarray(BYTES)), proofOf(secret))
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
