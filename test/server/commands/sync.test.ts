/** `import --source --sync`, `sources` and `unpin`, as an operator runs them. */
import { expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../helpers/command.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'

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
    [['--sync'], ['--source', 'a', '--yes'], ['--max-removed', '5'], ['--confirm-columns']].map(
      (options) => chainkin('import', '--people', file, ...options),
    ),
  )
  expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2])
})

test('a renamed column of 300 people is exit 1, also with --strict, until --map says it once', async () => {
  const file = async (email: string, host: string) => {
    const path = join(directory.path, 'crm.csv')
    const rows = Array.from({ length: 300 }, (_, n) => `p${n},P${n},p${n}@${host}\n`)
    await writeFile(path, `externalId,firstName,${email}\n${rows.join('')}`)
    return path
  }
  const sync = (path: string, ...more: string[]) =>
    chainkin('import', '--source', 'crm', '--sync', '--people', path, ...more)
  expect((await sync(await file('Email', 'old.example'))).code).toBe(0)
  const renamed = await file('Contact address', 'new.example')
  for (const options of [[], ['--strict'], ['--dry-run']]) {
    const { code, stderr } = await sync(renamed, ...options)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('people: "Email" (email) is missing, "Contact address" is new'),
    ])
  }
  expect((await chainkin('sources')).stdout).toContain(
    'refused for its columns  people: "Email" (email) is missing, "Contact address" is new',
  )
  const mapped = await sync(renamed, '--map', 'Contact address=email', '--json')
  expect(mapped.json()).toMatchObject({ people: { updated: 300 } })
  const again = await sync(renamed, '--json')
  expect([again.code, again.json().people.unchanged]).toEqual([0, 300])
  const fewer = await sync(await file('Fax', 'new.example'), '--confirm-columns')
  expect(fewer.code).toBe(0)
  expect((await chainkin('sources')).stdout).not.toContain('refused')
})
