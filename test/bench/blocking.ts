/** How long exports and bulk searches hold the event loop at a stretch: the target is 10 ms. */
import type { Directory } from '../../src/directory/records/directory.ts'
import { bestMatches } from '../../src/site/pages/export/bulk-result.tsx'
import { EXPORTED_LISTS } from '../../src/site/pages/export/export.tsx'

/** Times the work that is done without a break: of the largest lists, and of lines that match a lot. */
export function blockingTimes(directory: Directory, names: readonly string[]) {
  const figures = [
    ['people', 'sort=name'],
    ['people', 'roles=founder'],
    ['projects', 'q=a'],
    ['investors', ''],
  ].flatMap(([name = '', query = '']) => {
    const list = EXPORTED_LISTS[name]
    if (!list) throw new Error(`no list ${name}`)
    const select = () => list.select(directory, query, Number.MAX_SAFE_INTEGER)
    const { total: rows, lines } = select()
    const units = Array.from({ length: Math.ceil(rows / 100) }, (_, unit) => unit * 100)
    return [
      {
        work: `choosing ${rows} ${name}`,
        ...spreadOf(repeated(20, select)),
      },
      {
        work: `100 rows of ${name}`,
        ...spreadOf(units.map((from) => timed(() => lines(from, Math.min(from + 100, rows))))),
      },
    ]
  })
  const lines = [
    'a',
    'a b',
    'o a e i',
    'founder at',
    'a '.repeat(100).trim(),
    'foundre cheif oficer',
  ]
  for (const [kind, searched] of Object.entries({ hostile: lines, name: names.slice(0, 200) })) {
    const times = searched.map((line) => timed(() => bestMatches(directory, line)))
    figures.push({ work: `a line of a bulk search, ${kind}`, ...spreadOf(times) })
  }
  return figures
}

function repeated(times: number, work: () => unknown): number[] {
  return Array.from({ length: times }, () => timed(work))
}

function timed(work: () => unknown): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

/** Of times in milliseconds. */
export function spreadOf(times: number[]) {
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    Math.round((times[Math.floor((times.length - 1) * part)] ?? 0) * 100) / 100
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
