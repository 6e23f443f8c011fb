/** A limit that a slow machine reaches fails a whole file, so every run has the suite's own. */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_ROOT, testFiles } from './command.ts'
import { TIMEOUT } from './limit.ts'

test('every script that runs tests gives them the limit', async () => {
  const { scripts } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8'))
  const lines = [
    ...Object.values<string>(scripts),
    await readFile(join(PROJECT_ROOT, '.ci/long'), 'utf8'),
  ]
  const runs = lines.flatMap((line) => line.match(/bun test --?\S*/g) ?? [])
  expect(runs.length).toBeGreaterThan(2)
  expect(runs.filter((run) => run !== `bun test ${TIMEOUT}`)).toEqual([])
})

/** A limit as the formatter leaves it: behind the end of the test's function, there or on a line of its own. */
const OWN_LIMIT =
  /^\s*\}, ([A-Z\d][^()\n]*(?:\(.*\))?)\)$|^\s*\},\n\s*([A-Z\d][^\n]*),\n\s*\)$|\bsetDefaultTimeout\((.+)\)$/gm

test('a limit of a test’s own is longer than the suite’s: LIMIT_MS and more, or times', async () => {
  const root = PROJECT_ROOT
  const names = (await testFiles()).filter(
    (name) => !/^test\/(bench|example|helpers|clients\/test-server)\//.test(name),
  )
  const limits = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(root, name), 'utf8')
      const found = [...text.matchAll(OWN_LIMIT)]
      return found.map(([, inline, alone, all]) => ({ name, limit: inline ?? alone ?? all ?? '' }))
    }),
  )
  const all = limits.flat()
  expect(all.length).toBeGreaterThan(10)
  expect(all.filter(({ limit }) => !/^LIMIT_MS [*+] /.test(limit))).toEqual([])
})
