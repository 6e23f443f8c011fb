/** The thread of `resize.ts`: bytes from anywhere to a small WebP, or the reason why not. */
import { parentPort } from 'node:worker_threads'
import {
  fliph,
  initPhoton,
  PhotonImage,
  resize,
  rotate,
  SamplingFilter,
} from '@cf-wasm/photon/others'
import wasm from '@cf-wasm/photon/photon.wasm' with { type: 'bytes' }
import { imageSize } from 'image-size'
import { readImported } from '../runtime.ts'
import { withMemoryLimit } from './memory-limit.ts'
import type { FromResizeWorker } from './resize.ts'

/** By their first bytes. SVG is a document with scripts, and others are rare. */
const TYPES = ['png', 'jpg', 'webp', 'gif', 'ico']
/** A side of what is decoded, in pixels: 64 MB at most, four bytes each. */
const SIDE_MAX = 4_096
/** Enough for the largest. A file may hold more than its header says: frames, or pictures of another size. */
const MEMORY_MAX = 512 * 1024 * 1024

/** The longer side of what is kept: twice the pixels of the largest place on a page, for dense screens. */
const PICTURE_SIDE = 144

/** How a camera was held, by the number that EXIF has for it: the picture is mirrored, then turned clockwise. */
const TURNS: Readonly<Record<number, { isMirrored: boolean; degrees: number }>> = {
  2: { isMirrored: true, degrees: 0 },
  3: { isMirrored: false, degrees: 180 },
  4: { isMirrored: true, degrees: 180 },
  5: { isMirrored: true, degrees: 270 },
  6: { isMirrored: false, degrees: 90 },
  7: { isMirrored: true, degrees: 90 },
  8: { isMirrored: false, degrees: 270 },
}

const ready = readImported(wasm).then((bytes) =>
  initPhoton.sync({ module: new WebAssembly.Module(withMemoryLimit(bytes, MEMORY_MAX)) }),
)

parentPort?.on('message', async (bytes: Uint8Array) => {
  parentPort?.postMessage(await answerTo(bytes))
})

async function answerTo(bytes: Uint8Array): Promise<FromResizeWorker> {
  await ready
  const head = headOf(bytes)
  if ('refused' in head) return { ...head, isBroken: false }
  try {
    return { bytes: small(bytes, head.orientation) }
  } catch {
    return { refused: 'not whole, or not as its type demands', isBroken: true }
  }
}

/** How a picture is turned, or what is wrong with bytes, as far as their first ones say: nothing is decoded for it. */
function headOf(bytes: Uint8Array): { refused: string } | { orientation: number } {
  try {
    const { type = '', width, height, orientation = 1 } = imageSize(bytes)
    if (!TYPES.includes(type)) {
      return { refused: `its type is ${type}: PNG, JPEG, WebP, GIF and ICO are taken` }
    }
    const isSized = width >= 1 && height >= 1 && width <= SIDE_MAX && height <= SIDE_MAX
    if (isSized) return { orientation }
    return { refused: `${width} × ${height} pixels: ${SIDE_MAX} a side are taken` }
  } catch {
    return { refused: 'no picture: PNG, JPEG, WebP, GIF and ICO are taken' }
  }
}

/** The picture, upright, as a WebP without loss, its longer side `PICTURE_SIDE` at most. Nothing else of the file is in it. */
function small(bytes: Uint8Array, orientation: number): Uint8Array<ArrayBuffer> {
  const picture = PhotonImage.new_from_byteslice(bytes)
  const [width, height] = [picture.get_width(), picture.get_height()]
  const share = Math.min(1, PICTURE_SIDE / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * share))
  const fitted = resize(picture, side(width), side(height), SamplingFilter.Lanczos3)
  picture.free()
  const turned = upright(fitted, orientation)
  try {
    return new Uint8Array(turned.get_bytes_webp())
  } finally {
    turned.free()
  }
}

/** Takes the picture, and gives it as it was seen. */
function upright(picture: PhotonImage, orientation: number): PhotonImage {
  const { isMirrored = false, degrees = 0 } = TURNS[orientation] ?? {}
  if (isMirrored) fliph(picture)
  if (degrees === 0) return picture
  const turned = rotate(picture, degrees)
  picture.free()
  return turned
}
