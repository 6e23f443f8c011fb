/** `chainkin export`, as an operator runs it. */
import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { PROJECT_ROOT, run } from '../../helpers/command.ts'
import { ADA, COMPANIES, fixtures, PEOPLE, PRIVATE_VALUES, ROUNDS } from '../../helpers/fixtures.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'

const t = sharedDatabase(fixtures)
const directory = sharedDirectory()

const at = (name: string) => join(directory.path, name)
const exporting = (...args: string[]) => run(['export', ...args], { env: { DATABASE_URL: t.url } })
const rowsIn = (text: string) => text.trim().split('\n')

describe.concurrent('chainkin export', () => {
  test('writes the files named, each in the format of its name, and says what is in them', async () => {
    const [companies, people, rounds] = [at('all.jsonl.gz'), at('all.csv'), at('rounds.jsonl')]
    const args = ['--rounds', rounds, '--people', people, '--companies', companies]
    const { code, stdout, stderr } = await exporting(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(rowsIn(stdout)).toEqual([
      `companies: ${COMPANIES.length} in ${companies}`,
      `people: ${PEOPLE.length} in ${people}`,
      `rounds: ${ROUNDS.length} in ${rounds}`,
    ])
    const unpacked = gunzipSync(await readFile(companies)).toString()
    expect(
      rowsIn(unpacked)
        .map((row) => JSON.parse(row).id)
        .sort(),
    ).toEqual(COMPANIES.map(({ id }) => id).sort())
    expect(await readFile(people, 'utf8')).toStartWith('id,externalId,firstName,lastName,slug,')
    expect((await stat(people)).mode & 0o777).not.toBe(0o600)
  })

  test('without --with-channels no file has a private channel; with it people have theirs, for the owner alone', async () => {
    const [open, closed] = [at('open.jsonl'), at('closed.jsonl')]
    await exporting('--people', open)
    await exporting('--people', closed, '--with-channels')
    const without = await readFile(open, 'utf8')
    for (const value of PRIVATE_VALUES) expect(without).not.toContain(value)
    expect(without).not.toMatch(/email|phone|telegram|linkedin/i)
    const ada = rowsIn(await readFile(closed, 'utf8'))
      .map((row) => JSON.parse(row))
      .find(({ id }) => id === ADA.id)
    expect(ada).toMatchObject({ email: ADA.email, telegram: ADA.telegram })
    expect((await stat(closed)).mode & 0o777).toBe(0o600)
  })

  test('- is stdout, and what is said of it goes to stderr', async () => {
    const { stdout, stderr, code } = await exporting('--companies', '-', '--format', 'csv')
    expect(rowsIn(stdout).length).toBe(COMPANIES.length + 1)
    expect(stderr).toBe(`companies: ${COMPANIES.length} in stdout\n`)
    expect(code).toBe(0)
  })

  test('--json: the counts as one object', async () => {
    const args = ['--people', at('counted.csv'), '--rounds', at('counted.jsonl'), '--json']
    const counts = { people: PEOPLE.length, rounds: ROUNDS.length, withChannels: false }
    expect((await exporting(...args)).json()).toEqual(counts)
  })

  test('a file that is there is replaced with --force only; a link to it stays a link', async () => {
    const [file, link] = [at('there.jsonl'), at('link.jsonl')]
    await writeFile(file, 'precious')
    await symlink(file, link)
    const refused = await exporting('--rounds', link, '--companies', at('unwritten.jsonl'))
    expect(refused.stderr).toBe(
      `chainkin export: ${link} exists: name another, or replace it with --force\n`,
    )
    expect(refused.code).toBe(1)
    expect(await readFile(file, 'utf8')).toBe('precious')
    expect((await exporting('--rounds', link, '--force')).code).toBe(0)
    expect(rowsIn(await readFile(file, 'utf8')).length).toBe(ROUNDS.length)
    expect((await readdir(directory.path)).filter((name) => /unwritten/.test(name))).toEqual([])
  })

  test('what is no file, a folder that is not there, and another export’s file are refused by name', async () => {
    await writeFile(at('busy.csv.partial'), '')
    expect((await exporting('--people', directory.path, '--format', 'csv', '--force')).stderr).toBe(
      `chainkin export: ${directory.path} is no file: name another, or - for stdout\n`,
    )
    expect((await exporting('--people', at('nowhere/people.csv'))).stderr).toContain(
      'nowhere/people.csv: no such file or directory',
    )
    expect((await exporting('--people', at('busy.csv'))).stderr).toContain(
      `${at('busy.csv.partial')} exists: another export is writing it, or one was killed; then delete it`,
    )
  })

  test('where stdout can’t take its file, the other files are not there either', async () => {
    const full = await open('/dev/full', 'w')
    const args = ['--people', '-', '--companies', at('beside.jsonl')]
    const { code, stderr } = await ended(started(args, full.fd))
    await full.close()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'chainkin export: stdout: the disk is full\n',
    })
    expect((await readdir(directory.path)).filter((name) => /beside/.test(name))).toEqual([])
  })

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal} half-way leaves no file, nor a part of one`, async () => {
      const name = `${signal}.jsonl`
      const isBegun = () => existsSync(at(`${name}.partial`))
      const process = await t.sql.begin(async (sql) => {
        await sql`lock table companies`
        const process = started(['--companies', at(name)], 'ignore')
        while (!isBegun() && process.exitCode === null) await setTimeout(20)
        process.kill(signal)
        await setTimeout(200)
        // `timeout` tells the process, and then its group.
        if (signal === 'SIGTERM') process.kill(signal)
        await setTimeout(100)
        return process
      })
      const { code, stderr } = await ended(process)
      expect({ code, stderr }).toEqual({
        code: exitCode,
        stderr: 'interrupted: no file was written\n',
      })
      expect((await readdir(directory.path)).filter((it) => it.startsWith(name))).toEqual([])
    })
  }
})

const started = (args: readonly string[], stdout: number | 'ignore') =>
  spawn(process.execPath, [join(PROJECT_ROOT, 'src/main.ts'), 'export', ...args], {
    env: { ...process.env, DATABASE_URL: t.url },
    stdio: ['ignore', stdout, 'pipe'],
  })

async function ended(child: ReturnType<typeof started>) {
  const [stderr, [code]] = await Promise.all([
    text(child.stderr ?? Readable.from([])),
    once(child, 'close'),
  ])
  return { stderr, code }
}
