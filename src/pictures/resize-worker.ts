/** The thread of `resize.ts`: bytes from anywhere to a small WebP, or the reason why not. */
import { parentPort } from 'node:worker_threads'
import { initPhoton, PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/others'
import wasm from '@cf-wasm/photon/photon.wasm' with { type: 'bytes' }
import { imageSize } from 'image-size'
import { readImported } from '../runtime.ts'
import type { FromResizeWorker } from './resize.ts'

/** By their first bytes. SVG is a document with scripts, and others are rare. */
const TYPES = ['png', 'jpg', 'webp', 'gif', 'ico']
/** A side of what is decoded, in pixels: 64 MB at most, four bytes each. */
const SIDE_MAX = 4_096

/** The longer side of what is kept: twice the pixels of the largest place on a page, for dense screens. */
const PICTURE_SIDE = 144

const ready = readImported(wasm).then((bytes) =>
  initPhoton.sync({ module: new WebAssembly.Module(bytes) }),
)

parentPort?.on('message', async (bytes: Uint8Array) => {
  parentPort?.postMessage(await answerTo(bytes))
})

async function answerTo(bytes: Uint8Array): Promise<FromResizeWorker> {
  await ready
  const refused = problemOf(bytes)
  if (refused !== undefined) return { refused, isBroken: false }
  try {
    return { bytes: small(bytes) }
  } catch {
    return { refused: 'not whole, or not as its type demands', isBroken: true }
  }
}

/** What is wrong with bytes as far as their first ones say: nothing is decoded for it. */
function problemOf(bytes: Uint8Array): string | undefined {
  try {
    const { type = '', width, height } = imageSize(bytes)
    if (!TYPES.includes(type)) return `its type is ${type}: PNG, JPEG, WebP, GIF and ICO are taken`
    const isSized = width >= 1 && height >= 1 && width <= SIDE_MAX && height <= SIDE_MAX
    return isSized ? undefined : `${width} × ${height} pixels: ${SIDE_MAX} a side are taken`
  } catch {
    return 'no picture: PNG, JPEG, WebP, GIF and ICO are taken'
  }
}

/** The picture as a WebP without loss, its longer side `PICTURE_SIDE` at most. Nothing else of the file is in it. */
function small(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const picture = PhotonImage.new_from_byteslice(bytes)
  const [width, height] = [picture.get_width(), picture.get_height()]
  const share = Math.min(1, PICTURE_SIDE / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * share))
  const fitted = resize(picture, side(width), side(height), SamplingFilter.Lanczos3)
  picture.free()
  try {
    return new Uint8Array(fitted.get_bytes_webp())
  } finally {
    fitted.free()
  }
}
