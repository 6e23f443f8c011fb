/**
 * How fast, in how much memory: 20,000 people here, or as many as IMPORT_ROWS says
 * (`IMPORT_ROWS=100000 bun test test/import/speed.test.ts`).
 */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { inventPeople } from '../../src/demo/people.ts'
import { importFiles } from '../../src/import/import.ts'
import { sharedDatabase } from '../helpers/shared.ts'

const ROWS = Number(process.env.IMPORT_ROWS ?? 20_000)

const t = sharedDatabase()

/**
 * How much slower than its processor this process runs beside others: the time that a piece of work takes,
 * in terms of the processor's time that it needs. 1 on a quiet machine.
 */
function busyFactor(): number {
  const started = performance.now()
  const before = process.cpuUsage()
  while (performance.now() - started < 300);
  const { user, system } = process.cpuUsage(before)
  return Math.max(1, ((performance.now() - started) * 1_000) / (user + system))
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
  test(`${ROWS} people, ${run}: 100,000 in under a minute, in constant memory`, async () => {
    let peak = 0
    const before = process.memoryUsage().rss
    const busyBefore = busyFactor()
    const started = performance.now()
    const { people } = await importFiles(
      t.database,
      { people: { stream: Readable.from(chunks()), format: 'jsonl' } },
      {
        onProgress: () => {
          peak = Math.max(peak, process.memoryUsage().rss - before)
        },
      },
    )
    const seconds = (performance.now() - started) / 1_000
    console.log(
      `${Math.round(ROWS / seconds)} rows/s, ${Math.round(peak / 2 ** 20)} MB more at most`,
    )
    expect(people).toMatchObject(expected)
    const patience = Math.max(busyBefore, busyFactor())
    expect(seconds / ROWS / patience).toBeLessThan(60 / 100_000)
    expect(peak).toBeLessThan(200 * 2 ** 20)
  }, 300_000)
}
