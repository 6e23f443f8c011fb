/**
 * In how much memory an import runs: 10,000 people here, 100,000 in `.ci/long models`.
 */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { importFiles } from '../../../src/intake/import/import.ts'
import { inventPeople } from '../../../src/server/demo/people.ts'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const ROWS = Number(process.env.IMPORT_ROWS ?? 10_000)

const t = sharedDatabase()

/** What is still in use once the garbage is gone, in bytes. */
function memoryInUse(): number {
  Bun.gc(true)
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** The file as it would be read: chunks of some 64 KB, made as they are asked for. */
async function* chunks(): AsyncGenerator<Buffer> {
  let chunk = ''
  for (const person of inventPeople(ROWS, 7)) {
    chunk += `${JSON.stringify(person)}\n`
    if (chunk.length < 65_536) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}

for (const [run, expected] of [
  ['new', { created: ROWS }],
  ['again', { unchanged: ROWS }],
] as const) {
  test(
    `${ROWS} people, ${run}: all are stored, in constant memory`,
    async () => {
      const inUse: number[] = []
      const started = performance.now()
      const { people } = await importFiles(
        t.database,
        { people: { stream: Readable.from(chunks()), format: 'jsonl' } },
        {
          onProgress: ({ rows }) => {
            if (rows >= ((inUse.length + 1) * ROWS) / 5) inUse.push(memoryInUse())
          },
        },
      )
      console.log(`${Math.round((ROWS * 1_000) / (performance.now() - started))} rows/s`)
      expect(people).toMatchObject(expected)
      expect(inUse.length).toBeGreaterThan(3)
      expect(Math.max(...inUse) - (inUse[0] ?? 0)).toBeLessThan(6 * 2 ** 20)
    },
    LIMIT_MS * 2,
  )
}
