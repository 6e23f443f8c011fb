/** Who does what a command does, as the audit log names them: nobody is somebody else by a variable of the environment. */
import { expect, test } from 'bun:test'
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PROJECT_ROOT, type Program, run } from '../../helpers/command.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const USER = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
/** A number that no user has. */
const NOBODYS = '34567'
const AS_NOBODY = ['setpriv', '--reuid', NOBODYS, '--clear-groups'] as const
const canBeNobody = spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), process.execPath, '--version'])

const database = sharedDatabase()

/** Makes an account. @returns its line of the audit log, read by whom it names */
async function lineOf(environment: Record<string, string>, by: string, program?: Program) {
  const env = { DATABASE_URL: database.url, ...environment }
  const fields = ['--name', 'Ada', '--email', 'ada@example.com', '--tier', 'pro', '--json']
  const made = await run(['account', 'create', ...fields], { env, ...(program && { program }) })
  expect([made.code, made.stderr]).toEqual([0, ''])
  const { lines } = (await run(['audit', '--by', by, '--limit', '1', '--json'], { env })).json()
  expect(lines[0]).toMatchObject({ act: 'account.create', accountId: made.json().id })
  return lines[0].who
}

test('a command is the system’s user’s, whatever USER says', async () => {
  expect(await lineOf({ USER: 'other', LOGNAME: 'other', USERNAME: 'other' }, USER)).toBe(USER)
})

test('who called sudo stands beside the system’s user, and both names find the line', async () => {
  const environment = { USER: 'other', SUDO_USER: 'grace' }
  expect(await lineOf(environment, 'grace')).toBe(`${USER} (sudo grace)`)
  expect(await lineOf(environment, USER)).toBe(`${USER} (sudo grace)`)
})

test.skipIf(canBeNobody.status !== 0)('a user without a name is its number', async () => {
  const program: Program = [...AS_NOBODY, process.execPath, join(PROJECT_ROOT, 'src/main.ts')]
  const who = `uid ${NOBODYS}`
  expect(await lineOf({ USER: 'root', TMPDIR: '/tmp' }, who, program)).toBe(who)
})

test('a name may have brackets of its own, in the audit log and in the journal', async () => {
  const env = { DATABASE_URL: database.url }
  const as = 'Olga (ops)'
  const added = await run(
    ['company', 'add', 'name=Brackets', 'companyType=project', '--as', as, '--json'],
    { env },
  )
  const made = await run(
    ['account', 'create', '--name', 'Ada', '--email', 'b@example.com', '--tier', 'pro', '--as', as],
    { env },
  )
  expect([added.code, made.code]).toEqual([0, 0])
  for (const name of [as, USER]) {
    const { lines } = (await run(['audit', '--by', name, '--json'], { env })).json()
    expect(lines[0]).toMatchObject({ act: 'account.create', who: `${as} (${USER})` })
    const { changes } = (await run(['journal', '--who', name, '--json'], { env })).json()
    expect(changes[0]).toMatchObject({ change: added.json().change, who: `${as} (${USER})` })
  }
  for (const part of ['Olga', 'ops', `(ops) (${USER})`]) {
    expect((await run(['audit', '--by', part, '--json'], { env })).json()).toEqual({ lines: [] })
  }
})
