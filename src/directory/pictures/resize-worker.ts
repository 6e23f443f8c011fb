/** The thread of `resize.ts`: bytes from anywhere to a small square picture, or the reason why not. */
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
import { readImported } from '../../runtime.ts'
import { withMemoryLimit } from './memory-limit.ts'
import type { FromResizeWorker } from './resize.ts'
import { isCut, PICTURE_SIDE, type Pixels, squareOf } from './square.ts'

/** By their first bytes. SVG is a document with scripts, and others are rare. */
const TYPES = ['png', 'jpg', 'webp', 'gif', 'ico']
/** A side of what is decoded, in pixels: 64 MB at most, four bytes each. */
const SIDE_MAX = 4_096
/** Enough for the largest. A file may hold more than its header says: frames, or pictures of another size. */
const MEMORY_MAX = 512 * 1024 * 1024

/** Percent, of a JPEG. */
const JPEG_QUALITY = 85
/** A JPEG is kept where it takes less than this share of the WebP without loss: a photograph, not a drawing. */
const JPEG_SHARE = 0.5

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

/** The picture, upright, as a square of `PICTURE_SIDE`. Nothing else of the file is in it. */
function small(bytes: Uint8Array, orientation: number): Uint8Array<ArrayBuffer> {
  const picture = PhotonImage.new_from_byteslice(bytes)
  try {
    const whole = scaled(picture, orientation, Math.max)
    const fitted = isCut(whole) ? scaled(picture, orientation, Math.min) : whole
    return encoded(squareOf(fitted, PICTURE_SIDE))
  } finally {
    picture.free()
  }
}

/** The pixels of the picture, upright, of which the longer or the shorter side has the length of the square's. */
function scaled(
  picture: PhotonImage,
  orientation: number,
  sideOf: (width: number, height: number) => number,
): Pixels {
  const [width, height] = [picture.get_width(), picture.get_height()]
  const share = PICTURE_SIDE / sideOf(width, height)
  const side = (length: number) => Math.max(1, Math.round(length * share))
  const turned = upright(
    resize(picture, side(width), side(height), SamplingFilter.Lanczos3),
    orientation,
  )
  const pixels = {
    data: turned.get_raw_pixels(),
    width: turned.get_width(),
    height: turned.get_height(),
  }
  turned.free()
  return pixels
}

/** Drawings as a WebP without loss, photographs as a JPEG: that would be several times as large. */
function encoded({ data, width, height }: Pixels): Uint8Array<ArrayBuffer> {
  const picture = new PhotonImage(data, width, height)
  try {
    const [webp, jpeg] = [picture.get_bytes_webp(), picture.get_bytes_jpeg(JPEG_QUALITY)]
    return new Uint8Array(jpeg.length < webp.length * JPEG_SHARE ? jpeg : webp)
  } finally {
    picture.free()
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
