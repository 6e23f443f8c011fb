/** A picture's pixels as a square without transparency, on a ground on which it can be seen. */

/** The side of what is kept: what previews of links want at least, and dense screens for the largest place on a page. */
export const PICTURE_SIDE = 200

export interface Pixels {
  /** Red, green, blue and alpha of each pixel, row by row. */
  data: Uint8Array
  width: number
  height: number
}

type Colour = readonly [red: number, green: number, blue: number]

/** Share of brightness above which a shape can hardly be seen on white. */
const LIGHT = 0.75
const WHITE: Colour = [255, 255, 255]
const DARK: Colour = [32, 37, 44]
/** Alpha from which a pixel counts as seen, and from which it hides what is behind it. */
const SEEN = 32
const OPAQUE = 250
/** How far a channel may be from the mean of an edge that counts as one colour, as a camera or JPEG makes it. */
const NEAR = 24
/** This share of an edge's pixels is one colour where the edge is. */
const ALIKE = 0.95
/** Longer ones are never cut: too little would be left. */
const CUT_RATIO_MAX = 3

/**
 * True if a picture fills a square by being cut, as a photograph does: it has no transparency, and its edge no one colour that
 * could go on beyond it.
 */
export function isCut(picture: Pixels): boolean {
  const { width, height } = picture
  const ratio = Math.max(width, height) / Math.min(width, height)
  return ratio <= CUT_RATIO_MAX && isOpaque(picture) && edgeColour(picture) === null
}

/**
 * Places a picture on a square. What is longer than the square is cut, above less than below, because faces are there; what is
 * shorter stands in the middle: on the colour of its edge, or where it has transparency on white, or on dark where most of
 * what is seen is light.
 */
export function squareOf(picture: Pixels, side: number): Pixels {
  const { data, width, height } = picture
  const ground = groundOf(picture)
  const left = Math.floor((side - width) / 2)
  const top = Math.floor((side - height) * (height > side ? 0.25 : 0.5))
  const square = new Uint8Array(side * side * 4)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const to = (y * side + x) * 4
      const [fromX, fromY] = [x - left, y - top]
      const isInside = fromX >= 0 && fromX < width && fromY >= 0 && fromY < height
      const from = (fromY * width + fromX) * 4
      const alpha = isInside ? (data[from + 3] ?? 0) / 255 : 0
      for (const [channel, behind] of ground.entries()) {
        const seen = data[from + channel] ?? 0
        square[to + channel] = Math.round(alpha > 0 ? seen * alpha + behind * (1 - alpha) : behind)
      }
      square[to + 3] = 255
    }
  }
  return { data: square, width: side, height: side }
}

function groundOf(picture: Pixels): Colour {
  return (isOpaque(picture) && edgeColour(picture)) || (isLight(picture) ? DARK : WHITE)
}

function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 0) < OPAQUE) return false
  return true
}

/** True if most of what is seen of a picture with transparency is light. */
function isLight(picture: Pixels): boolean {
  const { data } = picture
  let [light, seen] = [0, 0]
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4)
    if (alpha < SEEN) continue
    seen += alpha
    if ((0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255 > LIGHT) light += alpha
  }
  return !isOpaque(picture) && light > seen / 2
}

/** The colour of a picture's edge; null where it has several. */
function edgeColour({ data, width, height }: Pixels): Colour | null {
  const edge: Colour[] = []
  for (let y = 0; y < height; y++) {
    const step = y === 0 || y === height - 1 ? 1 : Math.max(1, width - 1)
    for (let x = 0; x < width; x += step) {
      const [red = 0, green = 0, blue = 0] = data.subarray((y * width + x) * 4)
      edge.push([red, green, blue])
    }
  }
  const middle = ([0, 1, 2] as const).map((channel) => {
    const values = edge.map((colour) => colour[channel]).sort((a, b) => a - b)
    return values[values.length >>> 1] ?? 255
  })
  const [red = 0, green = 0, blue = 0] = middle
  const isNear = (colour: Colour) => colour.every((it, i) => Math.abs(it - (middle[i] ?? 0)) < NEAR)
  return edge.filter(isNear).length >= ALIKE * edge.length ? [red, green, blue] : null
}
