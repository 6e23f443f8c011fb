/** Fetches a picture from a host that nobody trusts, within limits of time, bytes and places. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { API_VERSION } from '../../contract/version.ts'
import { errorCode } from '../../database/client.ts'
import { addressesOf, HostRefused, PUBLIC_INTERNET, portOf, type Reach } from './addresses.ts'
import type { DuePicture } from './store.ts'

/** Answer of a host. Its bytes may be anything. */
export type Fetched =
  | { end: 'got'; bytes: Uint8Array<ArrayBuffer>; etag: string | null; lastModified: string | null }
  | { end: 'same' }
  | { end: 'gone'; error: string }
  /** `isSilent`: the host doesn't answer, or asks to be left alone: others of its pictures had better wait. */
  | { end: 'failed'; error: string; isSilent: boolean }

export interface FetchOptions {
  reach?: Reach
  /** Ends it early; it rejects then. */
  signal?: AbortSignal
  /** For all of it, redirections included. */
  limitMs?: number
}

export const PICTURE_BYTES_MAX = 2 * 1024 * 1024
/** Limit of bytes that a host may send beside the picture. */
const AROUND_BYTES_MAX = 64 * 1024
const LIMIT_MS = 10_000
const REDIRECTS_MAX = 3
/** Addresses of a host that are tried: one of each family. */
const ADDRESSES_MAX = 2
/** Longer ones are not kept. */
const VALIDATOR_MAX = 200

const REDIRECTIONS = new Set([301, 302, 303, 307, 308])
const GONE = new Set([404, 410])
const BUSY = new Set([429, 503])

/** A picture that can't be fetched, for a reason that the operator may read. */
class NotFetched extends Error {
  override name = 'NotFetched'
}

/** Never rejects but where `signal` ends it. */
export async function fetchPicture(
  { url, etag, lastModified }: Omit<DuePicture, 'id'>,
  { reach = PUBLIC_INTERNET, signal, limitMs = LIMIT_MS }: FetchOptions = {},
): Promise<Fetched> {
  const limit = AbortSignal.timeout(limitMs)
  const headers = {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
  try {
    const ends = signal ? AbortSignal.any([signal, limit]) : limit
    return await follow(url, headers, reach, ends)
  } catch (error) {
    if (signal?.aborted) throw error
    if (limit.aborted) {
      return { end: 'failed', error: `not whole in ${limitMs / 1_000} s`, isSilent: true }
    }
    if (error instanceof HostRefused || error instanceof NotFetched) {
      return { end: 'failed', error: error.message, isSilent: false }
    }
    const code = errorCode(error) ?? 'unknown'
    return { end: 'failed', error: `can't be reached (${code})`, isSilent: true }
  }
}

type Headers = Readonly<Record<string, string>>

async function follow(
  address: string,
  headers: Headers,
  reach: Reach,
  signal: AbortSignal,
): Promise<Fetched> {
  let url = parsed(address)
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const answer = await request(url, headers, reach, signal)
    const { statusCode: status = 0, headers: sent } = answer
    if (REDIRECTIONS.has(status) && sent.location !== undefined) {
      answer.destroy()
      url = parsed(sent.location, url)
      continue
    }
    if (status === 200) {
      const bytes = await bytesOf(answer, signal)
      const { etag, 'last-modified': lastModified } = sent
      return { end: 'got', bytes, etag: short(etag), lastModified: short(lastModified) }
    }
    answer.destroy()
    if (status === 304 && Object.keys(headers).length > 0) return { end: 'same' }
    const error = `answered ${status}`
    if (GONE.has(status)) return { end: 'gone', error }
    return { end: 'failed', error, isSilent: BUSY.has(status) }
  }
  throw new NotFetched(`led on more than ${REDIRECTS_MAX} times`)
}

/** @throws NotFetched for what is no address on the web */
function parsed(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new NotFetched('no address with http or https')
  if (url.username || url.password) throw new NotFetched('an address with a password')
  return url
}

/** Asks the host at one of its addresses that were checked, by its name. */
async function request(
  url: URL,
  headers: Headers,
  reach: Reach,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await untilEnd(addressesOf(url, reach), signal)
  let failure: unknown
  for (const address of oneOfEachFamily(addresses)) {
    try {
      return await requestAt(address, url, headers, signal)
    } catch (error) {
      if (signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

function oneOfEachFamily(addresses: readonly string[]): string[] {
  const families = new Map<boolean, string>()
  for (const address of addresses) {
    const isSix = address.includes(':')
    if (!families.has(isSix)) families.set(isSix, address)
  }
  return [...families.values()].slice(0, ADDRESSES_MAX)
}

function requestAt(
  address: string,
  url: URL,
  headers: Headers,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const asked = (isSecure ? https : http).request({
    // The address, not the name: nothing asks for the name again. The certificate is still the name's.
    host: address,
    // A server is told a name, never an address.
    ...(isSecure && isName(url) && { servername: url.hostname }),
    port: portOf(url),
    path: url.pathname + url.search,
    agent: false,
    headers: {
      host: url.host,
      'user-agent': `Chainkin/${API_VERSION} (pictures)`,
      accept: 'image/png, image/webp, image/jpeg, image/gif, image/x-icon',
      'accept-encoding': 'identity',
      ...headers,
    },
  })
  const cut = () => {
    asked.destroy()
    reject(signal.reason)
  }
  asked.on('socket', (socket) => {
    // Heads that are no answers yet are counted too, and what stands between the parts of one.
    socket.on('data', () => {
      if (socket.bytesRead > PICTURE_BYTES_MAX + AROUND_BYTES_MAX) asked.destroy(tooMany())
    })
  })
  asked.on('response', resolve)
  asked.on('error', reject)
  // Until the answer is whole: whoever reads it, or drops it, ends the connection.
  asked.on('close', () => {
    signal.removeEventListener('abort', cut)
    // Where no answer came, and no error: a host may go over to another protocol.
    reject(new NotFetched('broke off before it answered'))
  })
  signal.addEventListener('abort', cut)
  if (signal.aborted) cut()
  else asked.end()
  return promise
}

const tooMany = () => new NotFetched(`more than ${PICTURE_BYTES_MAX} bytes`)

/** @throws NotFetched where there are more than `PICTURE_BYTES_MAX` */
async function bytesOf(
  answer: IncomingMessage,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
  const chunks: Uint8Array[] = []
  let length = 0
  answer.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    if (length > PICTURE_BYTES_MAX) return reject(tooMany())
    chunks.push(chunk)
  })
  answer.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))))
  answer.on('error', reject)
  answer.on('close', () => reject(new NotFetched('broke off')))
  try {
    if (Number(answer.headers['content-length'] ?? 0) > PICTURE_BYTES_MAX) throw tooMany()
    return await untilEnd(promise, signal)
  } finally {
    // A promise that nobody waits for any more.
    promise.catch(() => {})
    answer.destroy()
  }
}

/** Resolves with the promise, or rejects with the signal's reason if that comes first. */
async function untilEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    return await Promise.race([promise, ended])
  } finally {
    signal.removeEventListener('abort', end)
    ended.catch(() => {})
  }
}

const short = (value: string | undefined) =>
  value !== undefined && value.length <= VALIDATOR_MAX ? value : null

/** True if the host is named, not given by its address. */
const isName = ({ hostname }: URL) => !hostname.startsWith('[') && isIP(hostname) === 0
