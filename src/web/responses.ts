/** Responses of the application host and the headers that each one carries. */
import { contentHash } from './assets.ts'

/** Something that stays the same while the process runs. */
export interface Content {
  text: string
  /** Content type. */
  type: string
  /** Its address names the content, so that it never changes. */
  immutable?: boolean
  status?: number
  headers?: Readonly<Record<string, string>>
}

/** Answers a GET or HEAD. */
export type Answer = (request: Request) => Promise<Response>

/** Pages load from this host alone, and nothing may frame them. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference alone runs scripts, and reads the OpenAPI document. */
export const SCRIPTED_POLICY = `${POLICY}; script-src 'self'; connect-src 'self'`

const COMMON = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const A_YEAR_S = 31_536_000

/** Texts below this are as fast to send as to unpack. */
const MIN_COMPRESSED_CHARACTERS = 1_024

/** Makes content ready to be sent often: with an entity tag, compressed once when it is first asked for. */
export function serve({ text, type, immutable, status = 200, headers }: Content): Answer {
  // Weak: the same tag names the text and its compressed form.
  const etag = `W/"${contentHash(text)}"`
  let compressed: Promise<ArrayBuffer> | undefined

  return async (request) => {
    const sent: Record<string, string> = {
      ...COMMON,
      'content-type': type,
      'cache-control': immutable ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache',
      vary: 'Accept-Encoding',
      ...headers,
    }
    if (status === 200) {
      sent.etag = etag
      if (isKnown(request, etag)) return new Response(null, { status: 304, headers: sent })
    }
    const isHead = request.method === 'HEAD'
    if (text.length < MIN_COMPRESSED_CHARACTERS || !takesGzip(request)) {
      return new Response(isHead ? null : text, { status, headers: sent })
    }
    sent['content-encoding'] = 'gzip'
    compressed ??= gzip(text)
    return new Response(isHead ? null : await compressed, { status, headers: sent })
  }
}

function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  return known.some((tag) => tag.trim() === etag)
}

function takesGzip(request: Request): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers.get('accept-encoding') ?? '')
}

function gzip(text: string): Promise<ArrayBuffer> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Response(packed).arrayBuffer()
}
