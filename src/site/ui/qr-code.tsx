/** @jsxImportSource hono/jsx */
/** A text as a picture to scan. */
import { encode } from 'uqr'

/** Light modules around the picture, which scanners need. */
const BORDER = 4

/** @param text what a scanner reads @param label what screen readers say instead of it */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: BORDER })
  const runs = data.flatMap((row, y) =>
    darkRuns(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  )
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={runs.join('')} />
    </svg>
  )
}

/** Runs of dark modules in a row, each with its start and length. */
function darkRuns(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = []
  for (const [x, isDark] of row.entries()) {
    if (!isDark) continue
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  }
  return runs
}
