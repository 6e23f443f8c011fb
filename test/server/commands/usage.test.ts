/** command line: help, wrong usage and wrong configuration, which no database is needed for. */
import { describe, expect, test } from 'bun:test'
import { cp, mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { engines, peerDependencies } from '../../../package.json' with { type: 'json' }
import { PROJECT_ROOT, type Program, run, temporaryDirectory } from '../../helpers/command.ts'
import type { Ran } from './command-lines.ts'

/** Nothing listens there: a command that went as far as the database would fail with another exit code. */
const NOWHERE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
const ID = '0190a000-0000-7000-8000-000000000001'

/** Text for people; `json.test.ts` has the help of every command. */
const COMMANDS = [[], ['serve'], ['account'], ['account', 'create'], ['print']]

/** The first in a process of its own, as it is typed; all of them one after another in a single process. */
async function runAll(commands: readonly string[][]) {
  const script = join(import.meta.dirname, 'command-lines.ts')
  const program: Program = [process.execPath, script]
  const [first = []] = commands
  const [typed, together] = await Promise.all([
    run(first, { env: NOWHERE }),
    run([JSON.stringify(commands)], { env: NOWHERE, program }),
  ])
  const results: Ran[] = together.json()
  const { code, stdout, stderr } = typed
  expect(results[0]).toEqual({ code, stdout, stderr })
  return results
}

const isGroup = (args: readonly string[]) =>
  COMMANDS.some((other) => other.length > args.length && args.every((arg, n) => other[n] === arg))

test('command line: --help is everywhere, on stdout, with exit 0; every command of its own has --json', async () => {
  const results = await runAll(COMMANDS.map((args) => [...args, '--help']))
  for (const [position, args] of COMMANDS.entries()) {
    const result = results[position]
    expect([args, result?.code, result?.stderr]).toEqual([args, 0, ''])
    expect(result?.stdout).toContain(['Usage: chainkin', ...args].join(' '))
    expect([args, result?.stdout.includes('--json')]).toEqual([args, !isGroup(args)])
  }
  const serve = COMMANDS.findIndex(([name]) => name === 'serve')
  expect(results[serve]?.stdout).toContain('REQUEST_LOG=off')
})

describe('wrong usage', () => {
  const ACCOUNT = 'account create --name Ada --email a@example.com'
  const CASES: [name: string, line: string, message: RegExp][] = [
    ['an unknown command', 'serv', /unknown command 'serv'.*\n?.*serve/],
    ['an unknown subcommand', 'account delete', /unknown command 'delete'/],
    ['an unknown option', 'migrate --forse', /unknown option '--forse'/],
    ['a missing option', 'account create --name A', /required option '--email/],
    [
      'an unknown tier',
      `${ACCOUNT} --tier gold`,
      /'gold' is.*free, starter, pro, team, enterprise/,
    ],
    ['no e-mail address', 'account create --name A --email nope --tier pro', /e-mail/],
    [
      'credits that are no number',
      `${ACCOUNT} --tier pro --credits many`,
      /'many' is.*whole number/,
    ],
    ['negative credits', `${ACCOUNT} --tier pro --credits=-5`, /'-5' is invalid.*from 1 to/],
    ['an empty name', 'account create --name= --email a@b --tier pro', /Please fill this in/],
    ['no id', 'account show ada', /'ada' is invalid.*UUID/],
    ['nothing to set', `account set ${ID}`, /nothing to set/],
    ['an unknown source', `credits grant ${ID} 5 --source gift`, /plan, trial, topup, referral/],
    ['an amount of 0', `credits grant ${ID} 0 --source topup`, /'0' is invalid.*from 1 to/],
    ['no expiry', `credits grant ${ID} 5 --source topup --expires soon`, /'soon' is invalid.*7d/],
    [
      'an unknown scope',
      `key create ${ID} --label x --scopes write`,
      /read:metadata,read:contacts/,
    ],
    ['a missing label', `key create ${ID}`, /required option '--label/],
    ['an unknown plan', `plan start ${ID} gold`, /'gold' is.*essential, pro, team, enterprise/],
    ['an unknown group', `usage ${ID} --by moon`, /'moon' is invalid.*day, endpoint, key/],
    ['nothing to import', 'import', /at least one of --companies, --people, --rounds/],
    ['two files from stdin', 'import --companies - --people -', /only one file can be stdin/],
    ['nothing to export', 'export', /at least one of --companies, --people, --rounds/],
    ['channels of nobody', 'export --rounds r.csv --with-channels', /give --people too/],
    ['one file for two', 'export --rounds r.csv --people ./r.csv', /r\.csv: name each differently/],
    ['a file of no format', 'export --people people.xlsx', /let the name end in \.jsonl or \.csv/],
    ['a format against the name', 'export --people p.csv.gz --format jsonl', /another format than/],
    ['an unknown format', 'export --people - --format xlsx', /'xlsx' is invalid.*jsonl, csv/],
    ['too many arguments', `account show ${ID} ${ID}`, /too many arguments/],
  ]

  test('command line: wrong usage is exit 2, the wrong value is named on stderr, and stdout is empty', async () => {
    const results = await runAll(CASES.map(([, line]) => line.split(' ')))
    for (const [position, [name, , message]] of CASES.entries()) {
      const result = results[position]
      expect([name, result?.code, result?.stdout]).toEqual([name, 2, ''])
      expect(result?.stderr).toMatch(message)
    }
  })

  test('no command at all shows the help on stderr, exit 2', async () => {
    const { code, stdout, stderr } = await run([])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('Usage: chainkin')
  })
})

describe.concurrent('wrong configuration', () => {
  test('command line: with --json a refusal is one JSON object on stdout, and the reason on stderr', async () => {
    const result = await run(['account', 'list', '--json'], { env: { PORT: 'http' } })
    expect([result.code, Object.keys(result.json())]).toEqual([1, ['error']])
    expect(result.json().error).toContain('PORT')
    expect(result.stderr).toContain('PORT')
  })

  test('command line: a database that does not answer is exit 1 with a reason, without its password', async () => {
    const env = {
      DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none',
      DATABASE_WAIT_SECONDS: '1',
    }
    const commands = [['migrate'], ['serve'], ['account', 'list', '--json']]
    const results = await Promise.all(commands.map((args) => run(args, { env })))
    for (const [position, { code, stderr }] of results.entries()) {
      const args = commands[position] ?? []
      expect([args.join(' '), code]).toEqual([args.join(' '), 1])
      expect(stderr).toContain('the database is unavailable')
      expect(stderr).not.toContain('hunter2')
    }
  })

  test('Database: a DATA_DIR that can’t be used is exit 1 and named', async () => {
    for (const [dataDir, reason] of [
      [`/tmp/${'d'.repeat(150)}`, 'choose a shorter one'],
      ['/proc/nowhere', '/proc/nowhere'],
      ['/dev/null/data', '/dev/null'],
    ] as const) {
      const { code, stderr } = await run(['migrate'], { env: { DATA_DIR: dataDir } })
      expect([dataDir, code]).toEqual([dataDir, 1])
      expect(stderr).toContain(reason)
      expect(stderr).not.toContain('    at ')
    }
  })

  test('a data directory that the user may not enter is permission denied, for commands that read and that make', async () => {
    const { path, remove } = await temporaryDirectory()
    const dataDir = join(path, 'of another user')
    await mkdir(dataDir, { mode: 0 })
    const program = join(PROJECT_ROOT, 'src/server/commands/program.ts')
    // Root may enter any directory, so it becomes nobody once the program is loaded.
    const script = `
      import { runCommandLine } from ${JSON.stringify(program)}
      if (process.getuid() === 0) process.setuid(65534)
      process.argv = ['', ...JSON.parse(process.env.ARGUMENTS)]
      await runCommandLine()`
    try {
      for (const args of [
        ['account', 'list'],
        ['migrate', '--json'],
        ['doctor', '--json'],
      ]) {
        const env = { DATA_DIR: dataDir, ARGUMENTS: JSON.stringify(args) }
        const typed: Program = [process.execPath, '-e', script]
        const { code, stdout, stderr } = await run([], { env, program: typed })
        expect([args, code]).toEqual([args, 1])
        expect(stdout + stderr).toContain(`the data directory ${dataDir}: permission denied.`)
      }
    } finally {
      await rmdir(dataDir)
      await remove()
    }
  })
})

test('an older Bun is told the version that is needed, before it loads what it may not be able to read', async () => {
  const { path, remove } = await temporaryDirectory()
  try {
    // Nothing else of the program is there to be loaded.
    for (const file of ['package.json', 'src/main.ts']) {
      await cp(join(PROJECT_ROOT, file), join(path, file), { recursive: true })
    }
    const older = join(path, 'older.ts')
    await writeFile(
      older,
      `const versions = { ...process.versions, bun: '1.3.11' }
       Object.defineProperty(process, 'versions', { value: versions })`,
    )
    const program: Program = [process.execPath, '--preload', older, join(path, 'src/main.ts')]
    const result = await run(['account', 'list', '--json'], { program })
    const error = `this is Bun 1.3.11, and ${engines.bun.slice('>='.length)} or newer is needed`
    expect([result.code, result.json()]).toEqual([1, { error: expect.stringContaining(error) }])
    expect(result.stderr).toContain(error)
    expect(peerDependencies.bun).toBe(engines.bun)
  } finally {
    await remove()
  }
})
