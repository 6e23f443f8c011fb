/** `/pictures/{id}?v={version}`: pictures of records. */
import { LRUCache } from 'lru-cache'
import { readPicture } from '../../../directory/pictures/store.ts'
import type { WebServices } from '../../http/page.ts'
import { secured } from '../../http/responses.ts'

type Bytes = Uint8Array<ArrayBuffer>

const CACHE_BYTES = 4 * 1024 * 1024

/** A year, in seconds: the address names the content. */
const FOR_EVER = 'public, max-age=31536000, immutable'
/** People's pictures are cached briefly, because an erasure must remove them. */
const FOR_A_DAY = 'private, max-age=86400'

/** First byte of a JPEG; a WebP starts with `R`. */
const JPEG_BEGINS = 0xff

/** Creates the handler. Records without a picture are known from memory, so they cost no statement. */
export function pictureSender({
  directory,
  application,
}: Pick<WebServices, 'directory' | 'application'>) {
  const cache = new LRUCache<string, Bytes>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (bytes) => bytes.length,
  })

  async function read(id: string, version: number, isCompany: boolean) {
    const key = `${id} ${version}`
    const cached = cache.get(key)
    if (cached) return { bytes: cached, version }
    const picture = await readPicture(application.database, id)
    // People's pictures are not cached: an erasure must not leave them in memory.
    if (picture && isCompany) cache.set(`${id} ${picture.version}`, picture.bytes)
    return picture
  }

  /** @throws DatabaseUnavailable */
  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const id = pathname.slice(pathname.lastIndexOf('/') + 1)
    const version = directory.pictureVersion({ id })
    if (version === undefined) return missing()
    const requestedVersion = searchParams.get('v')
    // An unknown record may be a person.
    const isCompany = directory.company(id) !== undefined
    const headers = (sent: number) => ({
      'cache-control':
        requestedVersion !== String(sent) ? 'no-cache' : isCompany ? FOR_EVER : FOR_A_DAY,
      etag: `"${sent}"`,
      // Sandboxed when opened by itself.
      'content-security-policy': "default-src 'none'; sandbox",
      // Keeps faces out of image search.
      ...(!isCompany && { 'x-robots-tag': 'noindex' }),
    })
    if (request.headers.get('if-none-match') === `"${version}"`) {
      return secured(new Response(null, { status: 304, headers: headers(version) }))
    }
    const picture = await read(id, version, isCompany)
    if (!picture) return missing()
    const type = picture.bytes[0] === JPEG_BEGINS ? 'image/jpeg' : 'image/webp'
    return secured(
      new Response(picture.bytes, {
        headers: { ...headers(picture.version), 'content-type': type },
      }),
    )
  }
}

const missing = () => secured(new Response(null, { status: 404 }))
