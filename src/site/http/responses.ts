/** Responses of the application host and the headers that each one carries. */
import { createHash } from 'node:crypto'
import { GZIP_MIN_LENGTH, gzipFile, gzipOnce, takesGzip } from '../../gzip.ts'
import { once } from '../../once.ts'
import { bodyOf } from '../../runtime.ts'

export interface Content {
  /** Bytes are of a picture, which is compressed already. */
  text: string | Uint8Array<ArrayBuffer>
  /** Content type. */
  type: string
  status?: number
  headers?: Readonly<Record<string, string>>
  /**
   * The lifetime of a copy: `forever` where the address names the content, `checked` for what everybody
   * gets who isn't signed in, `never` for what one person gets.
   */
  kept: 'forever' | 'checked' | 'never'
  /** True if it was made for one request, as pages are. */
  isSentOnce?: boolean
}

/** Answers a GET or HEAD; the host removes the body of a HEAD. */
export type Answer = (request: Request) => Promise<Response>

/** Pages load from this host alone, without inline code, and may not be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** On every response of this host. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // `no-referrer` would hide the origin of a form from this host too.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

const CACHE_CONTROL = {
  // A year, in seconds.
  forever: 'public, max-age=31536000, immutable',
  checked: 'no-cache',
  never: 'no-store',
}

/** Makes content ready to be sent, also often: it has one entity tag and is compressed once, when first asked for. */
export function answerOf({
  text,
  type,
  status = 200,
  headers,
  kept,
  isSentOnce = false,
}: Content): Answer {
  // Weak, because the same tag names the text and its compressed form.
  const etag = status === 200 && kept !== 'never' ? `W/"${contentHash(text)}"` : undefined
  const compressed = once(() => (isSentOnce ? gzipOnce : gzipFile)(text))

  return async (request) => {
    const sent: Record<string, string> = {
      ...SECURITY_HEADERS,
      'content-type': type,
      'cache-control': CACHE_CONTROL[kept],
      vary: kept === 'forever' ? 'Accept-Encoding' : 'Accept-Encoding, Cookie',
      ...headers,
    }
    if (etag) {
      sent.etag = etag
      if (isKnown(request, etag)) return new Response(null, { status: 304, headers: sent })
    }
    const isSmall = typeof text !== 'string' || text.length < GZIP_MIN_LENGTH
    if (isSmall || !takesGzip(request)) {
      return new Response(bodyOf([text]), { status, headers: sent })
    }
    sent['content-encoding'] = 'gzip'
    return new Response(bodyOf([await compressed()]), { status, headers: sent })
  }
}

/** A short hash of a content, for paths and entity tags. */
export function contentHash(text: Content['text']): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  return known.some((tag) => tag.trim() === etag)
}

/** Adds to a response of a page's own the headers of every page, and that nobody may keep it. */
export function secured(response: Response): Response {
  const headers = new Headers({ 'cache-control': 'no-store', ...SECURITY_HEADERS })
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers.set(name, value)
  }
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}

/** The answer to a HEAD: no body, nor the length that the framework gave it. */
export function headOf({ status, headers }: Response): Response {
  const head = new Headers(headers)
  head.delete('content-length')
  return new Response(null, { status, headers: head })
}
