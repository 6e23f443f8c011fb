/** What becomes of pictures that hold more than their header says, and of those that a camera took lying. */
import { afterAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { initPhoton, PhotonImage } from '@cf-wasm/photon/others'
import { withMemoryLimit } from '../../../src/directory/pictures/memory-limit.ts'
import { createResizer } from '../../../src/directory/pictures/resize.ts'
import { PICTURE_SIDE } from '../../../src/directory/pictures/square.ts'
import { png } from './hostile-host.ts'
import { heldAs, larger } from './hostile-pictures.ts'

const resizer = createResizer()
afterAll(() => resizer.close())

const decoder = await readFile(fileURLToPath(import.meta.resolve('@cf-wasm/photon/photon.wasm')))
const module = new Uint8Array(decoder)
initPhoton.sync({ module: new WebAssembly.Module(module) })

test('a picture that takes more memory than any should is refused, and the next one made', async () => {
  const refused = 'not whole, or not as its type demands'
  expect(await resizer.resize(larger(16_384))).toEqual({ refused })
  expect(await resizer.resize(png(20))).toMatchObject({ bytes: expect.anything() })
})

test('what has no memory to limit is not run without a limit', () => {
  for (const none of [new Uint8Array(), withMemoryLimit(module, 2 ** 29)]) {
    expect(() => withMemoryLimit(none, 2 ** 29)).toThrow('no WebAssembly with a memory to limit')
  }
})

/** A JPEG of 32 × 16 pixels, black but for its upper left quarter. */
function cornered(): Uint8Array {
  const pixels = Uint8Array.from({ length: 32 * 16 * 4 }, (_, at) => {
    const [x, y] = [(at >>> 2) % 32, (at >>> 2) >>> 5]
    return at % 4 === 3 || (x < 16 && y < 8) ? 255 : 0
  })
  return new PhotonImage(pixels, 32, 16).get_bytes_jpeg(95)
}

test.each([
  [1, 'upper left'],
  [2, 'upper right'],
  [3, 'lower right'],
  [4, 'lower left'],
  [5, 'upper left'],
  [6, 'upper right'],
  [7, 'lower right'],
  [8, 'lower left'],
  [9, 'upper left'],
])(
  'a photograph that a camera took lying stands upright: %d is light in its %s',
  async (orientation, place) => {
    const made = await resizer.resize(heldAs(orientation, cornered()))
    if ('refused' in made) throw new Error(made.refused)
    const picture = PhotonImage.new_from_byteslice(made.bytes)
    const [width, height] = [picture.get_width(), picture.get_height()]
    const pixels = picture.get_raw_pixels()
    const isLight = (x: number, y: number) => (pixels[(y * width + x) * 4] ?? 0) > 200
    const corners = [
      isLight(4, 4) && 'upper left',
      isLight(width - 5, 4) && 'upper right',
      isLight(4, height - 5) && 'lower left',
      isLight(width - 5, height - 5) && 'lower right',
    ]
    expect([width, height]).toEqual([PICTURE_SIDE, PICTURE_SIDE])
    expect(corners.filter(Boolean).join(' and ')).toBe(place)
  },
)

type Colour = readonly [red: number, green: number, blue: number, alpha: number]
const CLEAR: Colour = [0, 0, 0, 0]
const WHITE: Colour = [255, 255, 255, 255]
const BLACK: Colour = [0, 0, 0, 255]
const BLUE: Colour = [20, 30, 90, 255]
const DARK: Colour = [32, 37, 44, 255]

/** A PNG of these sides: its middle third is of one colour, what is around it of another. */
function framed(width: number, height: number, inner: Colour, outer: Colour) {
  const isInner = (at: number, length: number) => at >= length / 3 && at < (length * 2) / 3
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, at) => {
    const [x, y] = [(at >>> 2) % width, Math.floor((at >>> 2) / width)]
    return (isInner(x, width) && isInner(y, height) ? inner : outer)[at % 4] ?? 0
  })
  return new Uint8Array(new PhotonImage(pixels, width, height).get_bytes())
}

async function pixelsOf(bytes: Uint8Array<ArrayBuffer>) {
  const made = await resizer.resize(bytes)
  if ('refused' in made) throw new Error(made.refused)
  const picture = PhotonImage.new_from_byteslice(made.bytes)
  const pixels = picture.get_raw_pixels()
  return (x: number, y: number) => [...pixels.subarray((y * PICTURE_SIDE + x) * 4).subarray(0, 4)]
}

test.each<[string, Colour, Colour, Colour]>([
  ['a white logo stands on dark', WHITE, CLEAR, DARK],
  ['a black logo stands on white', BLACK, CLEAR, WHITE],
  ['a banner goes on in the colour of its edge', WHITE, BLUE, BLUE],
  ['a white picture stays as it is', BLACK, WHITE, WHITE],
])('%s, without transparency', async (_, inner, outer, ground) => {
  const pixelAt = await pixelsOf(framed(90, 45, inner, outer))
  const last = PICTURE_SIDE - 1
  for (const [x, y] of [
    [0, 0],
    [last, 0],
    [0, last],
    [100, 10],
  ] as const) {
    expect(pixelAt(x, y)).toEqual([...ground])
  }
  expect(pixelAt(100, 100)).toEqual([...inner])
})

test('a portrait fills its square: it is cut, less above than below', async () => {
  // Stripes across, so that the edge is of several colours.
  const [width, height] = [40, 80]
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : Math.floor((at >>> 2) / width) * 3,
  )
  const pixelAt = await pixelsOf(new Uint8Array(new PhotonImage(pixels, width, height).get_bytes()))
  const [top = 0, bottom = 0] = [pixelAt(100, 0)[0], pixelAt(100, PICTURE_SIDE - 1)[0]]
  expect(top).toBeWithin(25, 35)
  expect(bottom).toBeWithin(142, 152)
})

test('a photograph is kept as a JPEG of a few kilobytes, a drawing without loss', async () => {
  const wave = (at: number) => 127 + 100 * Math.sin((at % 1_600) / 130) + ((at * 7_919) % 17)
  const pixels = Uint8Array.from({ length: 400 * 400 * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : wave(at),
  )
  const photograph = new PhotonImage(pixels, 400, 400).get_bytes_jpeg(95)
  const kinds = []
  for (const bytes of [new Uint8Array(photograph), framed(90, 90, BLACK, WHITE)]) {
    const made = await resizer.resize(bytes)
    if ('refused' in made) throw new Error(made.refused)
    expect(made.bytes.length).toBeLessThan(20_000)
    kinds.push(made.bytes[0] === 0xff ? 'JPEG' : 'WebP')
  }
  expect(kinds).toEqual(['JPEG', 'WebP'])
})
