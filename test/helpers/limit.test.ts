/** A limit that a slow machine reaches reddens a whole file: nobody sets one below the suite's own. */
import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_ROOT } from './command.ts'
import { TIMEOUT } from './limit.ts'

const ROOT = join(PROJECT_ROOT, 'test')

test('every script that runs tests gives them the limit', async () => {
  const { scripts } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8'))
  const runs = Object.values<string>(scripts).flatMap(
    (script) => script.match(/bun test .*/g) ?? [],
  )
  expect(runs.length).toBeGreaterThan(5)
  expect(runs.filter((run) => !run.startsWith(`bun test ${TIMEOUT} `))).toEqual([])
})

test('no file, test or hook names a shorter limit', async () => {
  const names = (await readdir(ROOT, { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !/^(bench|example|tools)\//.test(name),
  )
  const shortest = Number(TIMEOUT.split('=')[1])
  const short: string[] = []
  for (const name of names) {
    const text = await readFile(join(ROOT, name), 'utf8')
    // As a file's own, or as the last argument of a test or a hook.
    for (const [, own, last] of text.matchAll(
      /setDefaultTimeout\(([\d_]+)|^ *\},? ?\n? *([\d_]{5,}),?\n? *\)$/gm,
    )) {
      if (Number((own ?? last)?.replaceAll('_', '')) < shortest)
        short.push(`${name}: ${own ?? last}`)
    }
  }
  expect(short).toEqual([])
})
