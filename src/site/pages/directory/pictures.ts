/** Sends the pictures of records: to whoever asks for one that a page names. */
import { LRUCache } from 'lru-cache'
import { readPicture } from '../../../directory/pictures/store.ts'
import type { WebServices } from '../../http/page.ts'
import { secured } from '../../http/responses.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Those of companies that lists show first, which many ask for. */
const CACHE_BYTES = 4 * 1024 * 1024

/** A year, in seconds: the address names the content. */
const FOR_EVER = 'public, max-age=31536000, immutable'
/** A person's is nobody's to keep for long: it may have to go. */
const FOR_A_DAY = 'private, max-age=86400'

/** The first byte of a JPEG, which no WebP has. */
const JPEG_BEGINS = 0xff

/** Answers `/pictures/{id}?v={version}`. Which records have a picture is known from memory, so nobody asks the database in vain. */
export function pictureSender({
  directory,
  application,
}: Pick<WebServices, 'directory' | 'application'>) {
  const kept = new LRUCache<string, Bytes>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (bytes) => bytes.length,
  })

  async function read(id: string, version: number, isCompany: boolean) {
    const key = `${id} ${version}`
    const known = kept.get(key)
    if (known) return { bytes: known, version }
    const found = await readPicture(application.database, id)
    // Not a person's: what an erasure deletes must not stay in memory.
    if (found && isCompany) kept.set(`${id} ${found.version}`, found.bytes)
    return found
  }

  /** @throws DatabaseUnavailable */
  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const id = pathname.slice(pathname.lastIndexOf('/') + 1)
    const version = directory.pictureVersion({ id })
    if (version === undefined) return missing()
    const asked = searchParams.get('v')
    // Of a record that isn't known yet the picture may be a person's.
    const isCompany = directory.company(id) !== undefined
    const headers = (sent: number) => ({
      'cache-control': asked !== String(sent) ? 'no-cache' : isCompany ? FOR_EVER : FOR_A_DAY,
      etag: `"${sent}"`,
      // Opened by itself it is in a place of its own, without scripts.
      'content-security-policy': "default-src 'none'; sandbox",
      // Faces are not for a search of pictures.
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
