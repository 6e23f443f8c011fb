/** `sql` as an operator runs it: beside a server, without one, and on a PostgreSQL. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { get, run, start } from '../../helpers/command.ts'
import { sharedDatabase, sharedDirectory, sharedServer } from '../../helpers/shared.ts'

const directory = sharedDirectory()
const postgres = sharedDatabase()
let env: Record<string, string>
beforeAll(() => {
  env = { DATA_DIR: join(directory.path, 'data'), LOG_LEVEL: 'error' }
})
const server = sharedServer(() => env)

const sql = (statement: string, ...options: string[]) =>
  run(['sql', statement, ...options], { env })

const MAKE =
  'account create --name Ada --email ada@example.com --tier enterprise --credits 7'.split(' ')

describe('beside a server', () => {
  test('rows come as a table, and as JSON', async () => {
    await run(MAKE, { env })
    const { code, stdout, stderr } = await sql('select name, balance, null as none from accounts')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe('name | balance | none\n-----+---------+-----\nAda  | 7       |\n(1 row)\n')
    const json = (await sql('select name, balance::float8 from accounts', '--json')).json()
    expect(json).toEqual({ rows: [{ name: 'Ada', balance: 7 }] })
    expect((await sql('select name from accounts where false')).stdout).toBe(
      'name\n----\n(0 rows)\n',
    )
  })

  test('a statement that takes long holds no call up', async () => {
    const { id } = (await run([...MAKE, '--json'], { env })).json()
    const made = await run(['key', 'create', id, '--label', 'one', '--json'], { env })
    const { key } = made.json()
    const slow = sql('select count(*) from generate_series(1, 20000000) a')
    let [isOver, slowestMs, calls] = [false, 0, 0]
    const end = slow.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const beganMs = performance.now()
      expect((await get(`${server.apiUrl}/v1/me`, key)).status).toBe(200)
      slowestMs = Math.max(slowestMs, performance.now() - beganMs)
      calls++
      await Bun.sleep(250)
    }
    expect((await end).stdout).toContain('20000000')
    expect(calls).toBeGreaterThan(3)
    expect(slowestMs).toBeLessThan(2_000)
  })

  test('a copy whose command is killed goes with the next copy, or an erasure’s rewriting; one in use stays', async () => {
    const folder = join(env.DATA_DIR ?? '', 'copy')
    const copies = () => readdir(folder).catch(() => [])
    const isWhole = async () =>
      (await copies()).some((name) => existsSync(join(folder, name, 'postgres', 'base')))
    const slow = async (seconds: number) => {
      const command = start(['sql', `select pg_sleep(${seconds}), 'slept' as word`], { env })
      while (!(await isWhole())) await Bun.sleep(20)
      return command
    }
    for (const next of [
      ['sql', 'select 1'],
      ['erasures', 'scrub'],
    ]) {
      const killed = await slow(60)
      killed.child.kill('SIGKILL')
      await killed.finished
      expect(await copies()).toHaveLength(1)
      expect(await run(next, { env })).toMatchObject({ code: 0 })
      expect(await copies()).toEqual([])
    }
    const { finished } = await slow(5)
    expect((await sql('select 1')).code).toBe(0)
    expect(await finished).toMatchObject({ code: 0, stdout: expect.stringContaining('slept') })
    expect((await readdir(env.DATA_DIR ?? '')).filter((name) => name.startsWith('copy-'))).toEqual(
      [],
    )
  })
})

const REFUSED: [statement: string, reason: string][] = [
  ['delete from accounts', '25006'],
  ['select 1; delete from accounts', '42601'],
  ['commit', 'returns no rows'],
  ['copy accounts to stdout', 'returns no rows'],
  ["select set_config('transaction_read_only', 'off', true)", '25001'],
  ['selec', '42601'],
]

for (const place of ['no server runs', 'PostgreSQL'] as const) {
  describe(place, () => {
    const own = () =>
      place === 'PostgreSQL'
        ? { DATABASE_URL: postgres.url }
        : { DATA_DIR: join(directory.path, 'alone') }

    test('rows are read, and nothing else is done', async () => {
      const options = { env: own() }
      await run(MAKE, options)
      for (const [statement, reason] of place === 'PostgreSQL' ? REFUSED : REFUSED.slice(0, 2)) {
        const { code, stderr } = await run(['sql', statement], options)
        expect([statement, code, stderr]).toEqual([statement, 1, expect.stringContaining(reason)])
      }
      const { stdout } = await run(['sql', 'select name from accounts'], options)
      expect(stdout).toBe('name\n----\nAda\n(1 row)\n')
    })
  })
}

test('characters that control a terminal are written out', async () => {
  const { stdout } = await run(['sql', "select E'a\\nb\\x1b[31m' as text"], {
    env: { DATA_DIR: join(directory.path, 'alone') },
  })
  expect(stdout).toBe(`text\n${'-'.repeat(14)}\na\\nb\\u001b[31m\n(1 row)\n`)
})
