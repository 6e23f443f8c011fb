/** command line: single records and the journal, with the real process. */
import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startOnTerminal } from '../../helpers/command.ts'
import { ADA, BEN, fixtures } from '../../helpers/fixtures.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { commandsIn } from './cli.ts'

/** Who runs the tests, as the system knows them. */
const USER = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()

const database = sharedDatabase(fixtures)
const directory = sharedDirectory()
const { chainkin, done, refused } = commandsIn(() => ({ DATABASE_URL: database.url }))

test('show, set, delete, journal and undo print one object each, and --as says who it was', async () => {
  const set = await done('person', 'set', ADA.slug, 'jobTitle=CTO', '--as', 'Olga')
  expect(await done('person', 'show', ADA.id)).toMatchObject({ id: ADA.id, jobTitle: 'CTO' })
  const { change } = await done('person', 'delete', BEN.slug)
  expect(await refused('person', 'show', BEN.slug)).toBe(`there is no person ${BEN.slug}`)
  await done('undo', String(change))
  expect(await done('person', 'show', BEN.slug)).toMatchObject({ id: BEN.id })
  const { changes } = await done('journal', ADA.id, '--limit', '1')
  expect(changes).toMatchObject([{ change: set.change, who: `Olga (${USER})`, what: 'set' }])
  expect((await done('journal', ADA.id, '--who', 'Olga')).changes).toEqual(changes)
})

test('add makes a record once, and another of its name where that is meant; unpin has its line in the audit log', async () => {
  const fields = ['name=New Labs', 'companyType=project', 'domain=new.example']
  const { id, change } = await done('company', 'add', ...fields, '--as', 'Olga')
  expect(await refused('company', 'add', ...fields)).toContain(`of this name already: ${id}`)
  const other = await done('company', 'add', ...fields, '--namesake', '--no-pin')
  expect((await done('company', 'show', other.id)).pins).toEqual([])
  const { pins } = await done('company', 'unpin', id, 'domain', 'name', '--as', 'Pat')
  expect(pins).toEqual(['companyType'])
  const { lines } = await done('audit', '--subject', id)
  expect(lines).toMatchObject([
    { act: 'directory.unpin', who: `Pat (${USER})`, after: { pins } },
    { act: 'directory.add', who: `Olga (${USER})`, after: { change } },
  ])
})

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
  ['n', 'n\r'],
])('%s is a no to the question of a terminal', async (_, keys) => {
  const { child, shown, said } = startOnTerminal(['person', 'erase', BEN.slug], {
    DATABASE_URL: database.url,
  })
  await said('[y/N]')
  child.terminal?.write(keys)
  expect(await child.exited).toBe(1)
  expect(shown()).toEndWith('\nchainkin erase: nothing was erased\n')
})

test('erase takes a yes, can’t be undone, and no set brings back what was the person’s', async () => {
  expect(await refused('person', 'erase', ADA.slug)).toContain('--yes')
  const { number, change } = await done('person', 'erase', ADA.slug, '--yes', '--as', 'Olga')
  expect(await refused('undo', String(change))).toContain('erased')
  expect(await refused('person', 'set', BEN.slug, `email=${ADA.email}`)).toBe(
    "erased at the person's request",
  )
  const { erasures } = await done('erasures', 'list')
  expect(erasures).toMatchObject([{ id: number }])
})

test('a list of erasures is its operator’s alone, also over a file that others may read', async () => {
  const file = join(directory.path, 'erasures.json')
  await writeFile(file, 'of yesterday', { mode: 0o644 })
  const { erasures } = await done('erasures', 'save', file)
  const { mode } = await stat(file)
  expect([mode & 0o777, JSON.parse(await readFile(file, 'utf8')).erasures.length]).toEqual([
    0o600,
    erasures,
  ])
  expect(await readdir(directory.path)).toEqual(['erasures.json'])
  expect(await refused('erasures', 'save', directory.path)).toBe(`${directory.path}: a directory`)
})

test('wrong usage is exit 2 and names what is expected', async () => {
  const wrong = await Promise.all([
    chainkin(['person', 'set', ADA.id, 'jobTitle']),
    chainkin(['company', 'add', 'name=New', 'project']),
    chainkin(['undo', 'last']),
    chainkin(['journal', '--limit', '0']),
  ])
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  expect(wrong.map(({ stderr }) => /[Ee]xpected [^\n.]*/.exec(stderr)?.[0])).toEqual([
    'expected field=value after the record',
    'expected field=value',
    'Expected a whole number from 1',
    'Expected a whole number from 1 to 1000',
  ])
})
