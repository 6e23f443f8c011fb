/** `test-server` in a process of its own: what it prints, what it takes, and that it ends. */
import { afterAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROJECT_ROOT, run } from '../../helpers/command.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { sharedDirectory } from '../../helpers/shared.ts'

const folder = sharedDirectory()

const children = new Set<ReturnType<typeof spawn>>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts it, and waits for its one line. */
async function start(...args: string[]) {
  const child = spawn(
    process.execPath,
    [join(PROJECT_ROOT, 'src/main.ts'), 'test-server', '--json', ...args],
    // The environment of whoever starts it is not its own.
    {
      env: { ...process.env, PORT: 'none', LOG_LEVEL: 'loud' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  children.add(child)
  const ended = once(child, 'exit').finally(() => children.delete(child))
  const [line] = await once(createInterface(child.stdout), 'line')
  const addresses: Record<'apiUrl' | 'appUrl' | 'controlUrl', string> = JSON.parse(line)
  return { ...addresses, child, ended }
}

test('prints its addresses when it is ready, serves the records that it is given, and ends with whoever started it', async () => {
  const file = join(folder.path, 'records.json')
  const companies = [{ slug: 'acme', name: 'Acme', companyType: 'project' }]
  await writeFile(file, JSON.stringify({ companies }))
  const options = ['--now', '2026-01-31T10:00:00Z', '--records', file, '--set', 'SERVICE_NAME=Acme']
  const { child, ended, ...urls } = await start(...options, '--until-stdin-ends')
  const { now } = await (await fetch(`${urls.controlUrl}/clock`)).json()
  expect(now).toBe('2026-01-31T10:00:00.000Z')
  const account = await fetch(`${urls.controlUrl}/accounts`, {
    method: 'POST',
    body: '{"tier":"pro","credits":10}',
  })
  const headers = { authorization: `Bearer ${(await account.json()).key}` }
  const { total } = await (await fetch(`${urls.apiUrl}/v1/projects`, { headers })).json()
  const me = await (await fetch(`${urls.apiUrl}/v1/me`, { headers })).json()
  expect([total, me.organization]).toEqual([1, 'Acme'])
  expect((await fetch(`${urls.appUrl}/health`)).status).toBe(200)
  child.stdin.end()
  expect(await ended).toEqual([0, null])
  for (const url of Object.values(urls)) await expectRejection(fetch(url))
})

test('says what is wrong: with a setting, a port or a file exit 1, with an option exit 2', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const notJson = join(folder.path, 'not.json')
  await writeFile(notJson, '[1]')
  const wrong: [string[], number, string][] = [
    [['--set', 'CORS_ORIGIN=*'], 1, 'environment: there is no setting CORS_ORIGIN'],
    [['--set', 'CORS_ORIGINS=app'], 1, 'CORS_ORIGINS: expected origins'],
    [['--control-port', String(port)], 1, 'the port is taken'],
    [['--records', notJson], 1, 'expected a JSON object with companies, people and rounds'],
    [['--now', 'soon'], 2, 'Expected an ISO 8601 time.'],
    [['--port', '70000'], 2, 'Expected a whole number from 0 to 65535.'],
    [['--prot', '1'], 2, 'unknown option'],
  ]
  await Promise.all(
    wrong.map(async ([args, code, message]) => {
      const result = await run(['test-server', ...args])
      expect([args, result.code]).toEqual([args, code])
      expect(result.stderr).toContain(message)
    }),
  )
  taken.close()
})
