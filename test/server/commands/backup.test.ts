/** `backup`, `restore` and `doctor` as an operator runs them. */
import { beforeAll, expect, test } from 'bun:test'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import postgres from 'postgres'
import { nameOfBackup } from '../../../src/database/backup/kept.ts'
import { TABLE_NAMES } from '../../../src/database/backup/tables.ts'
import { socketPathOf } from '../../../src/database/data-dir.ts'
import { MIGRATIONS } from '../../../src/database/migrations.ts'
import { interruption } from '../../../src/server/commands/command.ts'
import { databases } from '../../database/schema.ts'
import { PROJECT_ROOT, run } from '../../helpers/command.ts'
import { freePort } from '../../helpers/postgres.ts'
import { sharedDirectory, sharedServer } from '../../helpers/shared.ts'

const directory = sharedDirectory()
let env: Record<string, string>
let file: string

beforeAll(async () => {
  file = join(directory.path, 'backup.tar.gz')
  const appPort = await freePort()
  env = { DATA_DIR: join(directory.path, 'data'), APP_PORT: String(appPort), LOG_LEVEL: 'error' }
})
sharedServer(() => env)
beforeAll(async () => {
  const created = ['account', 'create', '--name', 'Ada', '--email', 'ada@example.com']
  await run([...created, '--tier', 'pro', '--credits', '40'], { env })
})

const contents = {
  tables: TABLE_NAMES.length,
  rows: expect.any(Number),
  schema: MIGRATIONS.at(-1)?.name,
}

test('a backup beside a running server, restored elsewhere, has its accounts', async () => {
  const backup = await run(['backup', file, '--json'], { env })
  expect({ code: backup.code, json: backup.json() }).toEqual({
    code: 0,
    json: { file, bytes: expect.any(Number), ...contents },
  })
  const elsewhere = { ...env, DATA_DIR: join(directory.path, 'elsewhere') }
  const restored = await run(['restore', file, '--without-erasures', '--json'], { env: elsewhere })
  expect({ code: restored.code, json: restored.json() }).toEqual({
    code: 0,
    json: {
      file,
      dataDir: elsewhere.DATA_DIR,
      ...contents,
      accounts: 1,
      wrong: [],
      unknownErasures: { since: expect.any(String), atLeast: 0 },
    },
  })
  const [here, there] = await Promise.all([
    run(['account', 'list', '--json'], { env }),
    run(['account', 'list', '--json'], { env: elsewhere }),
  ])
  expect(there.json()).toEqual(here.json())
})

const ASKED = nameOfBackup(new Date('2026-01-31T10:00:00.000Z'))

test('a backup that somebody types has a line in the audit log, one of a timer or of a page has none here', async () => {
  const kept = join(directory.path, 'noted')
  const last = async () => {
    const { lines } = (await run(['audit', '--act', 'backup.make', '--json'], { env })).json()
    return lines
  }
  const before = await last()
  expect(before[0]).toMatchObject({ via: 'command', address: null, after: { backup: file } })
  const next = ['backup', kept, '--keep', '2', '--json']
  for (const more of [
    ['--every', '1h'],
    ['--asked', ASKED],
  ]) {
    expect((await run([...next, ...more], { env })).json()).toMatchObject({ isNew: true })
  }
  expect(await last()).toEqual(before)
  // The name that the line has already.
  expect(await readdir(kept)).toContain(ASKED)
  const wrong = await run([...next, '--asked', '../elsewhere.tar'], { env })
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Expected a name like')])
})

test('a backup to one file removes what killed ones left of it days ago, and nothing else', async () => {
  const single = join(directory.path, 'single.tar')
  const left = `${single}.0123abcd.partial`
  const others = [
    `${single}.89abcdef.partial`, // being written
    `${single}.of-mine.partial`,
    join(directory.path, 'another.tar.0123abcd.partial'),
  ]
  for (const path of [left, ...others]) await writeFile(path, 'a part')
  // One that can't be removed is in nobody's way.
  others.push(`${single}.00000000.partial`)
  await mkdir(`${single}.00000000.partial`)
  for (const path of [left, ...others.slice(1)]) await utimes(path, new Date(0), new Date(0))
  expect((await run(['backup', single], { env })).code).toBe(0)
  const names = (await readdir(directory.path)).filter((name) => name.endsWith('.partial'))
  expect(names.sort()).toEqual(others.map((path) => basename(path)).sort())
})

test('what stops a service ends a backup as Ctrl-C does: neither leaves a part of one', () => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const others = process.listeners(name)
    const signal = interruption()
    const heard = process.listeners(name).filter((listener) => !others.includes(listener))
    for (const listener of heard) listener(name)
    expect([name, signal.aborted]).toEqual([name, true])
    for (const each of ['SIGINT', 'SIGTERM'] as const) {
      for (const listener of heard) process.removeListener(each, listener)
    }
  }
})

test.concurrent('restore says what it would need: a stopped server, or --force', async () => {
  const elsewhere = { ...env, DATA_DIR: join(directory.path, 'elsewhere') }
  const [running, over] = await Promise.all([
    run(['restore', file, '--force'], { env }),
    run(['restore', file], { env: elsewhere }),
  ])
  expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('stop it first') })
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })
})

test.concurrent('a database that began after the backup and has erased nobody can’t say whom a restore must not bring back', async () => {
  const fresh = { ...env, DATA_DIR: join(directory.path, 'fresh') }
  // As a service that starts on an empty disk makes one.
  const created = [
    'account',
    'create',
    '--name',
    'New',
    '--email',
    'new@example.com',
    '--tier',
    'pro',
  ]
  expect((await run(created, { env: fresh })).code).toBe(0)
  const refused = await run(['restore', file, '--force'], { env: fresh })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('began after the backup was made')
  expect(refused.stderr).toContain('--without-erasures')
  const options = ['--force', '--without-erasures']
  expect((await run(['restore', file, ...options], { env: fresh })).code).toBe(0)
})

test.concurrent('a backup of nothing is refused: a mistyped DATA_DIR does not pass for an empty database', async () => {
  const nowhere = join(directory.path, 'nowhere')
  const { code, stderr } = await run(['backup', file], { env: { DATA_DIR: nowhere } })
  expect([code, stderr]).toEqual([1, expect.stringContaining(`there is no database in ${nowhere}`)])
  expect(await readdir(directory.path)).not.toContain('nowhere')
})

test.concurrent('a file that can’t be written or read is named with the reason', async () => {
  const absent = join(directory.path, 'absent/file')
  const { code, stderr } = await run(['backup', absent], { env })
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${absent}: no such file or dir`)])
  const below = await run(['backup', join(file, 'below')], { env })
  expect(below).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("below can't be written"),
  })
  const folder = await run(['backup', directory.path], { env })
  expect(folder).toMatchObject({ code: 1, stderr: expect.stringContaining('a directory: --keep') })
})

test('a backup of the embedded database is restored into an empty PostgreSQL, whose backup is whole', async () => {
  const made = await databases()
  const onPostgres = { DATABASE_URL: await made.empty(), LOG_LEVEL: 'error' }
  const back = join(directory.path, 'back.tar')
  try {
    const forced = await run(['restore', file, '--force'], { env: onPostgres })
    expect(forced).toMatchObject({ code: 1, stderr: expect.stringContaining('an empty database') })
    const restored = await run(['restore', file, '--without-erasures'], { env: onPostgres })
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout).toContain('1 accounts, each balance is its ledger')
    const [again, backup] = await Promise.all([
      run(['restore', file, '--without-erasures'], { env: onPostgres }),
      run(['backup', back, '--json'], { env: onPostgres }),
    ])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
    expect(backup.json()).toEqual({ file: back, bytes: expect.any(Number), ...contents })
    const kept = join(directory.path, 'kept')
    const next = ['backup', kept, '--keep', '1', '--json']
    // Two servers that ask at once: one of them writes, and none fails.
    const asked = await Promise.all(
      [1, 2].map(() => run([...next, '--every', '1h'], { env: onPostgres })),
    )
    expect(asked.map(({ code }) => code)).toEqual([0, 0])
    expect(asked.map((one) => one.json().isNew).sort()).toEqual([false, true])
    const first = asked.map((one) => one.json()).find(({ isNew }) => isNew)
    const second = (await run(next, { env: onPostgres })).json()
    const notDue = (await run([...next, '--every', '1h'], { env: onPostgres })).json()
    expect(first.path).toStartWith(kept)
    expect([second.isNew, second.deleted, notDue.isNew]).toEqual([true, 1, false])
    expect(notDue).toMatchObject({ path: second.path, madeAt: second.madeAt })
    expect(await readdir(kept)).toEqual([second.path.slice(kept.length + 1)])
    const seen = await run(['doctor', '--json'], { env: { ...onPostgres, BACKUP_DIR: kept } })
    expect(seen.json().backups.state).toBe('ok')
    const [whole, none] = await Promise.all([
      run(['restore', back, '--check', '--json'], { env: {} }),
      run(['restore', join(PROJECT_ROOT, 'package.json'), '--check'], { env: {} }),
    ])
    expect(whole.json()).toMatchObject({ file: back, ...contents })
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no backup of this program'),
    })
  } finally {
    await made.drop()
  }
})

test.concurrent('doctor fails on a wrong configuration and an absent database', async () => {
  const [wrong, absent] = await Promise.all([
    run(['doctor'], { env: { PORT: 'x' } }),
    run(['doctor'], { env: { DATA_DIR: join(directory.path, 'absent') } }),
  ])
  expect(wrong).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^failed +configuration: PORT/),
  })
  expect(absent).toMatchObject({ code: 1, stdout: expect.stringMatching(/^failed +database: /m) })
})

test('doctor finds a running server well, index included', async () => {
  const { code, json } = await run(['doctor', '--json'], { env })
  const { ok, ...findings } = json()
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  const states = Object.fromEntries(
    Object.entries(findings as Record<string, { state: string }>).map(([name, { state }]) => [
      name,
      state,
    ]),
  )
  expect(states).toEqual({
    configuration: 'ok',
    disk: 'ok',
    database: 'ok',
    settings: 'ok',
    migrations: 'ok',
    clock: 'ok',
    books: 'ok',
    ledger: 'ok',
    index: 'ok',
    backups: 'skipped',
    mail: 'skipped',
    mails: 'skipped',
  })
})

test('doctor fails where a balance is not its ledger’s sum, and names the account', async () => {
  const path = socketPathOf(env.DATA_DIR ?? '')
  const sql = postgres({ path, user: 'postgres', database: 'postgres', max: 1 })
  const [account] = await sql`update accounts set balance = balance + 1 returning id`
  const { code, stdout } = await run(['doctor'], { env })
  await sql`update accounts set balance = balance - 1`
  await sql.end()
  expect(code).toBe(1)
  expect(stdout).toMatch(new RegExp(`^failed +books: .*${account?.id}`, 'm'))
})

test('a restore into an empty PostgreSQL asks whom it must not bring back, and says how many it could not know of', async () => {
  const made = await databases()
  const [from, to] = [await made.empty(), await made.empty()]
  const [of, into] = [from, to].map((DATABASE_URL) => ({ env: { DATABASE_URL } }))
  const at = (name: string) => join(directory.path, name)
  const backedUp = async () =>
    (await run(['backup', at('night'), '--keep', '5', '--json'], of)).json()
  try {
    await run(['import', '--people', '-'], { ...of, input: 'externalId,firstName\nann,Ann\n' })
    const older = (await backedUp()).path
    await run(['person', 'erase', 'ann', '--yes'], { ...of })
    await run(['erasures', 'save', at('erasures.json')], { ...of })
    const newer = (await backedUp()).path
    const told = 'is back (1 at least, as a newer backup beside it knows)'
    const refused = await run(['restore', older], into)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(told)
    expect(refused.stderr).toContain(
      'Give --erasures LIST, which "erasures save" wrote, or --without-erasures',
    )
    expect((await run(['restore', newer], into)).stderr).toMatch(
      /since the backup was made at \S+ is back after/,
    )
    const both = await run(
      ['restore', older, '--without-erasures', '--erasures', at('erasures.json')],
      into,
    )
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('not both')])
    const back = await run(['restore', older, '--without-erasures'], into)
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining(told)])
    expect((await run(['person', 'show', 'ann'], into)).code).toBe(0)
    const third = { env: { DATABASE_URL: await made.empty() } }
    const listed = await run(['restore', older, '--erasures', at('erasures.json')], third)
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringContaining('1 people, erased again'),
    ])
    expect(listed.stdout).not.toContain('is back')
    expect((await run(['person', 'show', 'ann'], third)).code).toBe(1)
  } finally {
    await made.drop()
  }
})
