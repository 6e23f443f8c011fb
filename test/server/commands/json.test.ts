/** `--json` for scripts: one object on stdout, however a command ends. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../../../src/server/commands/program.ts'
import {
  type Environment,
  type Program,
  run,
  start,
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../helpers/command.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import type { Ran } from './command-lines.ts'

const ID = '0190a000-0000-7000-8000-000000000001'
const NOWHERE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }

let directory: TemporaryDirectory
let database: TestDatabase
beforeAll(async () => {
  directory = await temporaryDirectory()
  await writeFile(join(directory.path, 'companies.csv'), 'name,companyType\nAcme,project\n')
  database = await testDatabase()
})
afterAll(async () => {
  await database.drop()
  await directory.remove()
})

const inDirectory = (name: string) => join(directory.path, name)

/** A value for each argument and mandatory option, by its name. */
function sample(name: string): string {
  const values: Record<string, string> = {
    row: '1',
    field: 'name',
    'field=value': 'name=Acme',
    change: '1',
    amount: '5',
    plan: 'pro',
    email: 'ada@example.com',
    what: 'compose',
    '--name': 'Ada',
    '--email': 'ada@example.com',
    '--tier': 'pro',
    '--source': 'topup',
    '--to': inDirectory('ledger'),
    file: inDirectory('absent'),
    record: 'nobody',
    keep: 'nobody',
    other: 'nobody',
    text: 'hello',
    '--reason': 'unpaid',
    '--label': 'test',
  }
  return values[name] ?? ID
}

/** Options without which a command has nothing to do, or would not end. */
const NEEDED: Readonly<Record<string, () => string[]>> = {
  import: () => ['--companies', inDirectory('companies.csv')],
  'imports add': () => ['--companies', inDirectory('companies.csv')],
  export: () => ['--companies', inDirectory('export.csv')],
  'account set': () => ['--name', 'Ada'],
  'test-server': () => ['--records', inDirectory('absent')],
}

interface Line {
  name: string
  args: string[]
}

/** A command line for every command that has `--json`. */
function everyLine(): Line[] {
  const lines = (command: Command, path: string[]): Line[] => {
    const name = path.join(' ')
    const values = command.registeredArguments.filter(({ required }) => required)
    const options = command.options.filter(({ mandatory }) => mandatory)
    const args = [
      ...path,
      ...values.map((argument) => sample(argument.name())),
      ...options.flatMap(({ long }) => [long ?? '', sample(long ?? '')]),
      ...(NEEDED[name]?.() ?? []),
      '--json',
    ]
    const own = command.options.some(({ long }) => long === '--json') ? [{ name, args }] : []
    return [...own, ...command.commands.flatMap((one) => lines(one, [...path, one.name()]))]
  }
  return lines(
    createProgram(() => {}),
    [],
  )
}

/** Runs them one after another, and reads each one's stdout, which has to be one object on one line. */
async function objectsOf(lines: readonly Line[], env: Environment) {
  const program: Program = [process.execPath, join(import.meta.dirname, 'command-lines.ts')]
  const args = [JSON.stringify(lines.map((line) => line.args))]
  const ran: Ran[] = (await run(args, { env, program })).json()
  return lines.map(({ name }, index) => {
    const { code, stdout = '', stderr } = ran[index] ?? {}
    if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`${name}: not one object: ${stdout}${stderr}`)
    return { name, code, json: JSON.parse(stdout) }
  })
}

/** Tells whether the object says why the command wasn't done. */
const saysWhy = ({ error, failure, ok, ready }: Record<string, unknown>) =>
  Boolean(error ?? failure) || ok === false || ready === false

test('--json prints one object with the error where any command has an option that it does not know', async () => {
  const lines = everyLine().map(({ name, args }) => ({ name, args: [...args, '--no-such'] }))
  expect(lines.length).toBeGreaterThan(80)
  for (const { name, code, json } of await objectsOf(lines, NOWHERE)) {
    expect([name, code, json]).toEqual([name, 2, { error: "unknown option '--no-such'" }])
  }
})

test('--json prints one object with the help of any command', async () => {
  const lines = everyLine().map(({ name, args }) => ({ name, args: [...args, '--help'] }))
  for (const { name, code, json } of await objectsOf(lines, NOWHERE)) {
    expect([name, code]).toEqual([name, 0])
    expect(json).toEqual({ text: expect.stringContaining(`Usage: chainkin ${name}`) })
  }
})

test('--json prints one object with the error where any command meets a wrong configuration', async () => {
  for (const { name, code, json } of await objectsOf(everyLine(), { PORT: 'http' })) {
    expect([name, code]).toEqual([name, saysWhy(json) ? 1 : 0])
  }
})

test('--json prints one object for whatever any command does on a database', async () => {
  const lines = everyLine().filter(({ name }) => name !== 'serve')
  const results = await objectsOf(lines, { DATABASE_URL: database.url, APP_PORT: '1' })
  const done = results.filter(({ code }) => code === 0).map(({ name }) => name)
  expect(done).toContain('account create')
  expect(done.length).toBeGreaterThan(25)
  for (const { name, code, json } of results) {
    expect([name, code]).toEqual([name, saysWhy(json) ? 1 : 0])
  }
})

test('--json is refused where stdout is a file or a protocol', async () => {
  const lines = [
    { name: 'export', args: ['export', '--rounds', '-', '--json'] },
    { name: 'mcp', args: ['mcp', '--json'] },
  ]
  const results = await objectsOf(lines, { ...NOWHERE, CHAINKIN_KEY: 'sk' })
  expect(results.map(({ code, json }) => [code, json])).toEqual([
    [2, { error: '--json prints on stdout: give a file instead of -' }],
    [1, { error: '--json goes with --port: stdout is the protocol’s' }],
  ])
})

test('--json prints one object with the error where the database fails as nobody foresaw', async () => {
  const broken = await testDatabase()
  try {
    await broken.sql`drop table accounts cascade`
    const result = await run(['account', 'list', '--json'], { env: { DATABASE_URL: broken.url } })
    expect([result.code, Object.keys(result.json())]).toEqual([1, ['error']])
  } finally {
    await broken.drop()
  }
})

/** A command with this body, in a process of its own. */
function runBody(body: string) {
  const module = join(import.meta.dirname, '../../../src/server/commands/command.ts')
  const script = `
    import { Command } from 'commander'
    import { printJson, Refusal, reporting } from ${JSON.stringify(module)}
    const run = async () => { ${body} }
    await new Command().command('it').option('--json').action(reporting(run)).parseAsync(['', '', '--json'])`
  return run([], { program: [process.execPath, '-e', script] })
}

test('--json prints one object with the error that is thrown outside of every promise', async () => {
  const result = await runBody(
    `setTimeout(() => { throw new TypeError('ada@example.com') }); await new Promise(() => setTimeout(() => {}, 60_000))`,
  )
  expect([result.code, result.json()]).toEqual([1, { error: expect.stringMatching(/^TypeError/) }])
  expect(result.stdout + result.stderr).not.toContain('ada@example.com')
})

test('--json prints no second object where a service fails that was ready', async () => {
  const result = await runBody(`printJson({ apiUrl: 'http://a' }); throw new Refusal('it ended')`)
  expect([result.code, result.json()]).toEqual([1, { apiUrl: 'http://a' }])
  expect(result.stderr).toContain('it ended')
})

test('--json prints one object where a service is stopped before it is ready', async () => {
  const { child, finished } = start(['serve', '--json'], { env: NOWHERE })
  child.stderr.on('data', (text: string) => {
    if (text.includes('waiting for the database')) child.kill('SIGTERM')
  })
  const result = await finished
  expect([result.code, result.json()]).toEqual([0, { stopped: true }])
})

test('no command makes a database but those that one may begin with', async () => {
  const first = [
    'account create',
    'company add',
    'erasures apply',
    'import',
    'imports add',
    'migrate',
    'person add',
    'restore',
    'round add',
    'serve',
  ]
  const lines = everyLine().filter(({ name }) => !first.includes(name))
  const DATA_DIR = inDirectory('no data')
  const results = await objectsOf(lines, { DATA_DIR, APP_PORT: '1' })
  const refused = results.filter(({ json }) => json.error?.includes(`no database in ${DATA_DIR}:`))
  expect(refused.length).toBeGreaterThan(70)
  const needless = [
    'config',
    'doctor',
    'grants',
    'licenses',
    'mail test',
    'mcp',
    'plan list',
    'print',
    'ready',
    'test-server',
  ]
  const names = (some: typeof results) => some.map(({ name }) => name).sort()
  expect(names(results.filter((one) => !refused.includes(one)))).toEqual(needless)
  expect(existsSync(DATA_DIR)).toBe(false)
})

test('an empty PostgreSQL stays empty where a command reads', async () => {
  const empty = await testDatabase()
  try {
    await empty.sql`drop schema public cascade`
    await empty.sql`create schema public`
    const env = { DATABASE_URL: empty.url }
    const result = await run(['account', 'list', '--json'], { env })
    expect([result.code, result.json().error]).toEqual([
      1,
      expect.stringContaining('the database of DATABASE_URL is empty: start with "serve"'),
    ])
    const [count] =
      await empty.sql`select count(*)::int as tables from pg_tables where schemaname = 'public'`
    expect(count?.tables).toBe(0)
  } finally {
    await empty.drop()
  }
})
