/** `import --source --sync`, `sources` and `unpin`, as an operator runs them. */
import { expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../helpers/command.ts'
import { sharedDatabase, sharedDirectory } from '../helpers/shared.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

const chainkin = (...args: string[]) => run(args, { env: { DATABASE_URL: t.url } })

async function people(...names: string[]): Promise<string> {
  const path = join(directory.path, 'people.csv')
  await writeFile(
    path,
    `externalId,firstName\n${names.map((name) => `${name},${name}\n`).join('')}`,
  )
  return path
}

test('a nightly file is followed, a cut one is not without a yes, and a corrected field stays', async () => {
  const sync = (file: string, ...more: string[]) =>
    chainkin('import', '--source', 'night', '--sync', '--people', file, ...more)
  expect((await sync(await people('ann', 'ben'))).code).toBe(0)
  await chainkin('person', 'set', 'ann', 'firstName=Anna')

  const refused = await sync(await people('ann'), '--json')
  const message =
    'people: 1 of 2 records of source night (50 %) are no longer in the file; --max-removed allows 10 %: nothing was removed. If they are to go, repeat it with --yes'
  expect(refused.json()).toMatchObject({ people: { removed: 0, pinned: 1 }, error: message })
  expect(refused.stderr).toContain(`chainkin import: ${message}`)
  expect(refused.code).toBe(1)

  const tried = await sync(await people('ann'), '--yes', '--dry-run')
  expect(tried.stdout.trim().split('\n').slice(1)).toEqual([
    'people: 1 read, 0 created, 0 updated, 1 unchanged, 0 refused; 1 pinned values kept; 1 removed',
    '  removed: ben',
  ])
  const done = await sync(await people('ann'), '--yes', '--json')
  // With what it said, should it fail.
  expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 })
  expect(done.json().people?.removed).toBe(1)

  const listed = await chainkin('sources', '--json')
  expect(listed.json()).toMatchObject({
    sources: [{ source: 'night', people: 1, lastRun: { synced: ['person'] } }],
  })
  const unpinned = await chainkin('person', 'unpin', 'ann', 'firstName', '--json')
  expect(unpinned.json()).toMatchObject({ pins: [] })
})

test('options that need each other are wrong usage alone', async () => {
  const file = await people('ann')
  const ended = await Promise.all(
    [['--sync'], ['--source', 'a', '--yes'], ['--max-removed', '5']].map((options) =>
      chainkin('import', '--people', file, ...options),
    ),
  )
  expect(ended.map(({ code }) => code)).toEqual([2, 2, 2])
})
