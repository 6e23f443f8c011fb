/** The demo, Database: the command line without DATABASE_URL, on a data directory of its own. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import {
  get,
  greetingIn,
  PROJECT_ROOT,
  run,
  type Server,
  serve,
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../helpers/command.ts'

let directory: TemporaryDirectory
let server: Server
let key: string
let env: Record<string, string>

beforeAll(async () => {
  directory = await temporaryDirectory()
  // Commands that are printed to be pasted have to quote it.
  env = { DATA_DIR: `${directory.path}/somebody's data` }
  server = await serve(env, ['--demo'])
  await server.said('include=private')
  key = /ck_live_[0-9A-Za-z]{38}/.exec(server.output.stderr)?.[0] ?? ''
})
afterAll(async () => {
  await server.stop()
  await directory.remove()
})

/** The addresses of the printed curl lines. */
const curls = () => [
  ...greetingIn(server.output.stderr).matchAll(
    /^ +curl -H "Authorization: Bearer (\S+)" "(\S+)"$/gm,
  ),
]

describe('the first start', () => {
  test('The demo: prints one key once, with curl lines for a search, a list and a reveal', () => {
    expect(key).toStartWith('ck_live_')
    expect(server.output.stdout).not.toContain('ck_live_')
    const urls = curls().map(([, sent, url]) => [sent, new URL(url ?? '').pathname])
    expect(urls.map(([sent]) => sent)).toEqual([key, key, key])
    expect(urls.map(([, path]) => path?.split('/')[2])).toEqual(['search', 'projects', 'people'])
  })

  test('The demo: each printed line works as pasted: found, billed, revealed', async () => {
    const [search, list, reveal] = await Promise.all(
      curls().map(([, , url]) => get(url ?? '', key)),
    )
    expect(search?.body.projects.length).toBeGreaterThan(0)
    expect(list?.body.data.length).toBe(3)
    expect(reveal?.body.data.person.email).toBeString()
    const charged = [search, list, reveal].map((answer) => answer?.body.meta.creditsCharged)
    expect(charged).toEqual([5, 5, 10])
  })

  test('The demo: at least 300 companies of all six types and 1,000 people, on a free trial', async () => {
    const [people, me] = await Promise.all([
      get(`${server.apiUrl}/v1/people?limit=1`, key),
      get(`${server.apiUrl}/v1/me`, key),
    ])
    expect(people.body.total).toBeGreaterThanOrEqual(1_000)
    expect([me.body.tier, me.body.sampleMode]).toEqual(['free', false])
    const totals = await Promise.all(
      ['projects', 'investors', 'services'].map(async (name) => {
        const { body } = await get(`${server.apiUrl}/v1/${name}?limit=100`, key)
        const types: string[] = body.data.map((one: { companyType: string }) => one.companyType)
        return { total: Number(body.total), types }
      }),
    )
    expect(totals.reduce((sum, { total }) => sum + total, 0)).toBeGreaterThanOrEqual(300)
    expect([...new Set(totals.flatMap(({ types }) => types))].sort()).toEqual([
      'institution',
      'investor',
      'launchpad',
      'platform',
      'project',
      'service',
    ])
  })
})

describe.concurrent('beside a running server', () => {
  test('Database: a second server on the same directory says so and ends with exit 1', async () => {
    const { code, stdout, stderr } = await run(['serve', '--json'], { env })
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { error: expect.stringContaining(directory.path) },
    ])
    expect(stderr).toContain('another server already runs on the data directory')
    expect(stderr).toContain('DATA_DIR')
    expect((await get(`${server.apiUrl}/v1/me`, key)).status).toBe(200)
  })

  test('Database: commands work, several at once, and the server sees what they did', async () => {
    const line = 'account create --name B --email b@example.com --tier pro --credits 15 --json'
    const made = (await run(line.split(' '), { env })).json()
    const keys = await Promise.all(
      ['one', 'two', 'three'].map((label) =>
        run(['key', 'create', made.id, '--label', label, '--json'], { env }),
      ),
    )
    for (const created of keys) {
      expect(created.code).toBe(0)
      const { status, body } = await get(`${server.apiUrl}/v1/people?limit=1`, created.json().key)
      expect([status, body.meta.creditsCharged]).toEqual([200, 5])
    }
    const last = await get(`${server.apiUrl}/v1/people`, keys[0]?.json().key)
    expect(last.status).toBe(402)
    const shown = (await run(['account', 'show', made.id, '--json'], { env })).json()
    expect(shown.creditsBalance).toBe(0)
  })
})

/** Runs a printed command as it would be pasted into a shell. */
const pasted = (command: string) =>
  execFileSync('sh', ['-c', command], { cwd: PROJECT_ROOT, encoding: 'utf8' })

test('a first start on a taken port makes no credentials: the next start makes and shows them', async () => {
  const own = await temporaryDirectory()
  const { port } = new URL(server.apiUrl)
  const first = await run(['serve', '--demo'], { env: { DATA_DIR: own.path, PORT: port } })
  expect([first.code, first.stderr.includes('the port is taken')]).toEqual([1, true])
  const second = await serve({ DATA_DIR: own.path }, ['--demo'])
  await second.said('Your key, shown this once')
  const [shown] = /ck_live_[0-9A-Za-z]{38}/.exec(second.output.stderr) ?? []
  expect((await get(`${second.apiUrl}/v1/me`, shown)).status).toBe(200)
  await second.stop()
  await own.remove()
})

describe('later starts', () => {
  test('The demo: after a stop the next start has the same directory and key, makes no second demo and prints no key', async () => {
    const before = (await get(`${server.apiUrl}/v1/me`, key)).body
    const stopped = await server.stop()
    expect([stopped.code, stopped.signal]).toEqual([0, null])
    server = await serve(env, ['--demo'])
    expect(server.output.stderr).not.toContain('ck_live_')
    const after = (await get(`${server.apiUrl}/v1/me`, key)).body
    expect([after.id, after.creditsBalance]).toEqual([before.id, before.creditsBalance])
    const { accounts } = (await run(['account', 'list', '--json'], { env })).json()
    expect(accounts.filter(({ name }: { name: string }) => name === 'Demo').length).toBe(1)
  })

  test('the printed commands work as pasted: another key, and a link that sets a password', async () => {
    await server.said('--label')
    const printed =
      greetingIn(server.output.stderr).match(/^ {2}\S.*(?:user reset|key create).*$/gm) ?? []
    const [reset = '', create = ''] = printed.map((command) => pasted(command))
    expect(reset).toContain('/reset?token=')
    const made = /ck_live_[0-9A-Za-z]{38}/.exec(create)?.[0]
    expect((await get(`${server.apiUrl}/v1/me`, made)).status).toBe(200)
  })

  test('Database: after kill -9 the next start works at once, and no charge is lost', async () => {
    const { body } = await get(`${server.apiUrl}/v1/people?limit=1`, key)
    server.kill('SIGKILL')
    expect((await server.finished).signal).toBe('SIGKILL')
    server = await serve(env, ['--demo'])
    const after = (await get(`${server.apiUrl}/v1/me`, key)).body
    expect(after.creditsBalance).toBe(body.meta.creditsBalance)
  })
})

test('import --dry-run beside the server says what the import then does, and writes nothing', async () => {
  const input = '{"name":"Dry Run Labs","companyType":"project"}\n'
  const imported = async (...options: string[]) =>
    (await run(['import', '--companies', '-', '--json', ...options], { env, input })).json()
  const tried = await imported('--dry-run')
  expect(tried).toMatchObject({ dryRun: true, companies: { created: 1 } })
  expect((await imported()).companies).toMatchObject({ created: 1 })
})
