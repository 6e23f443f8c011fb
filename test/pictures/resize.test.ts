/** D150, D151: what becomes of pictures that hold more than their header says, and of those that a camera took lying. */
import { afterAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { initPhoton, PhotonImage } from '@cf-wasm/photon/others'
import { withMemoryLimit } from '../../src/pictures/memory-limit.ts'
import { createResizer } from '../../src/pictures/resize.ts'
import { png } from './hostile-host.ts'
import { heldAs, larger } from './hostile-pictures.ts'

const resizer = createResizer()
afterAll(() => resizer.close())

const decoder = await readFile(fileURLToPath(import.meta.resolve('@cf-wasm/photon/photon.wasm')))
const module = new Uint8Array(decoder)
initPhoton.sync({ module: new WebAssembly.Module(module) })

test('D151: a picture that takes more memory than any should is refused, and the next one made', async () => {
  const refused = 'not whole, or not as its type demands'
  expect(await resizer.resize(larger(16_384))).toEqual({ refused })
  expect(await resizer.resize(png(20))).toMatchObject({ bytes: expect.anything() })
})

test('D151: what has no memory to limit is not run without a limit', () => {
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
  [1, '32 × 16, upper left'],
  [2, '32 × 16, upper right'],
  [3, '32 × 16, lower right'],
  [4, '32 × 16, lower left'],
  [5, '16 × 32, upper left'],
  [6, '16 × 32, upper right'],
  [7, '16 × 32, lower right'],
  [8, '16 × 32, lower left'],
  [9, '32 × 16, upper left'],
])('a photograph that a camera took lying stands upright: %d is %s', async (orientation, place) => {
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
  expect(`${width} × ${height}, ${corners.filter(Boolean).join(' and ')}`).toBe(place)
})
