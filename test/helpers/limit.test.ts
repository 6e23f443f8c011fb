/** A limit that a slow machine reaches reddens a whole file: every run has the suite's own. */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_ROOT } from './command.ts'
import { TIMEOUT } from './limit.ts'

test('every script that runs tests gives them the limit', async () => {
  const { scripts } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8'))
  const runs = Object.values<string>(scripts).flatMap(
    (script) => script.match(/bun test .*/g) ?? [],
  )
  expect(runs.length).toBeGreaterThan(5)
  expect(runs.filter((run) => !run.startsWith(`bun test ${TIMEOUT} `))).toEqual([])
})
