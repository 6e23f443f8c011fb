/** `person erase` beside a running server on the embedded database: what lies beside the tables forgets, too. */
import { beforeAll, expect, test } from 'bun:test'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openBackup } from '../../src/database/backup/file.ts'
import { get } from '../helpers/command.ts'
import { within } from '../helpers/given-time.ts'
import { sharedDirectory, sharedServer } from '../helpers/shared.ts'
import { commandsIn } from '../server/commands/cli.ts'

const MARK = 'tracequux'
const PERSON = {
  externalId: `ext-${MARK}`,
  slug: `slug-${MARK}`,
  firstName: `First${MARK}`,
  lastName: `Last${MARK}`,
  jobTitle: `Chief ${MARK}`,
  twitterHandle: `x${MARK}`,
  avatarUrl: `https://people.example/${MARK}.png`,
  email: `mail.${MARK}@people.example`,
  phone: '+1 555 730 4418',
  telegram: `tg_${MARK}`,
  linkedinUrl: `https://www.linkedin.com/in/li-${MARK}`,
}
/** Values of the erased person that are looked for in files. */
const TRACES = [MARK, PERSON.phone]

const directory = sharedDirectory()
const path = (name: string) => join(directory.path, name)
const env = () => ({
  DATA_DIR: path('data'),
  LOG_LEVEL: 'debug',
})
const { done, refused, chainkin } = commandsIn(env)
const server = sharedServer(env)
let key: string
let url: string

beforeAll(async () => {
  await writeFile(path('people.jsonl'), JSON.stringify(PERSON))
  await done('import', '--source', 'crm', '--people', path('people.jsonl'), '--fast')
  await done('person', 'set', PERSON.slug, `jobTitle=Chair ${MARK}`)
  const { id } = await done(
    'account',
    'create',
    '--name',
    'A',
    '--email',
    'a@example.com',
    '--tier',
    'pro',
    '--credits',
    '1000',
  )
  const created = await done(
    'key',
    'create',
    id,
    '--label',
    'test',
    '--scopes',
    'read:metadata,read:contacts',
  )
  key = created.key
  url = `${server.apiUrl}/v1/people/${(await done('person', 'show', PERSON.slug)).id}`
  await found()
  await get(`${url}?include=private`, key)
  await done('backup', path('before.tar'))
})

/** Waits until the server has the person. */
async function found() {
  while ((await get(url, key)).status !== 200) await Bun.sleep(50)
}

/** The files in a folder, itself a file or not, in which a trace stands. */
async function filesWith(...at: string[]): Promise<string[]> {
  const files = (await readdir(join(...at), { recursive: true, withFileTypes: true })).flatMap(
    (one) => (one.isFile() ? join(one.parentPath, one.name) : []),
  )
  const having: string[] = []
  for (const file of files)
    if (holds(await readFile(file))) having.push(file.slice(directory.path.length + 1))
  return having
}
/** Whether a trace is in any table of a backup. */
async function rowsHold(file: string): Promise<boolean> {
  await using backup = await openBackup(file)
  const parts = backup.manifest.tables.flatMap((table) => table.parts)
  const texts = await Promise.all(parts.map(async (part) => gunzipSync(await backup.part(part))))
  return texts.some(holds)
}
const holds = (bytes: Buffer) => TRACES.some((trace) => bytes.includes(trace))

test('a name is no yes: an erasure has to be confirmed', async () => {
  expect(await refused('person', 'erase', PERSON.slug)).toBe(
    'an erasure can’t be undone: repeat it with --yes',
  )
})

test('no file, later backup or log holds a trace, and the server answers 404 within two seconds', async () => {
  expect(await filesWith(directory.path, 'data')).not.toEqual([])
  const { number, records, marks } = await done('person', 'erase', PERSON.slug, '--yes')
  expect({ records, marks }).toEqual({ records: 1, marks: 7 })
  await within(2_000, async () => (await get(url, key)).status === 404)

  expect(await filesWith(directory.path, 'data')).toEqual([])
  await done('backup', path('after.tar'))
  expect(await rowsHold(path('before.tar'))).toBe(true)
  expect(await rowsHold(path('after.tar'))).toBe(false)
  expect(server.output.stderr + server.output.stdout).not.toContain(MARK)
  const { erasures } = await done('erasures', 'list')
  expect(erasures).toEqual([{ id: number, at: expect.any(String) }])
})

test('the next nightly import does not bring them back, and does not fail for them', async () => {
  const night = [
    'import',
    '--source',
    'crm',
    '--sync',
    '--people',
    path('people.jsonl'),
    '--report',
    path('report.csv'),
  ]
  const { people } = (await chainkin([...night, '--json'])).json()
  expect(people).toMatchObject({ refused: 1, erased: 1, created: 0 })
  expect(await readFile(path('report.csv'), 'utf8')).toContain("erased at the person's request")
  expect(holds(await readFile(path('report.csv')))).toBe(false)
})

test('nobody is there for a second erasure, and the first can’t be undone', async () => {
  expect(await refused('person', 'erase', PERSON.slug, '--yes')).toBe(
    `there is no person ${PERSON.slug}`,
  )
  const { changes } = await done('journal', '--limit', '1')
  expect(await refused('undo', String(changes[0].change))).toContain('erased')
})

test('an older backup that is put back brings nobody back; without a list or a database to ask it says so', async () => {
  await done('erasures', 'save', path('erasures.json'))
  const elsewhere = commandsIn(() => ({ DATA_DIR: path('elsewhere') }))
  // A database that knows the erasures is replaced.
  expect(await elsewhere.refused('restore', path('after.tar'))).toContain('--without-erasures')
  await elsewhere.done('restore', path('after.tar'), '--erasures', path('erasures.json'))
  const again = await elsewhere.done('restore', path('before.tar'), '--force')
  expect(again).toMatchObject({ erased: 1 })
  expect(await filesWith(directory.path, 'elsewhere')).toEqual([])
  expect(await elsewhere.refused('person', 'show', PERSON.slug)).toBe(
    `there is no person ${PERSON.slug}`,
  )
  // It can't be asked.
  await rm(path('elsewhere/postgres/global'), { recursive: true })
  expect(await elsewhere.refused('restore', path('before.tar'), '--force')).toContain(
    '--erasures FILE',
  )
  const listed = ['restore', path('before.tar'), '--force', '--erasures']
  expect(await elsewhere.done(...listed, path('erasures.json'))).toMatchObject({ erased: 1 })
  expect(await elsewhere.done(...listed, 'none')).not.toHaveProperty('erased')
  // And for one that is there already.
  expect(await elsewhere.done('erasures', 'apply', path('erasures.json'))).toMatchObject({
    records: 1,
  })
  expect(await filesWith(directory.path, 'elsewhere')).toEqual([])
  expect((await chainkin(['erasures', 'apply', path('people.jsonl')])).stderr).toContain(
    'not a list',
  )
})
