/** The server of the Model Context Protocol over stdin and stdout, in a process of its own as a model's program starts it. */
import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { PROJECT_ROOT, run, start } from '../../../test/helpers/command.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { fixtures, startDirectory } from '../../testing/start.ts'
import { type ClientOptions, newClient, told } from './clients.ts'

const dir = shared(
  () => startDirectory(),
  (started) => started.stop(),
)
const { ada } = fixtures.people

/** @param args of the command */
async function connect(key: string, args: readonly string[], options: ClientOptions) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['src/main.ts', 'mcp', ...args],
    cwd: PROJECT_ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      CHAINKIN_URL: dir.url,
      CHAINKIN_KEY: key,
      LOG_LEVEL: 'debug',
    },
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', (chunk) => said.push(String(chunk)))
  const client = newClient(options)
  await client.connect(transport)
  return { client, stderr: () => said.join('') }
}

test('a session in either family of versions: it reads, asks, reveals, and stops at its limit; the key is nowhere', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const asked: string[] = []
  const answers = (message: string) => {
    asked.push(message)
    return { action: 'accept', content: { reveal: true } } as const
  }
  const limit = ['--max-credits', '15']
  const old = await connect(account.key, limit, { era: '2025-11-25', answers })
  const texts = []
  texts.push((await told(old.client, 'list_people', { q: 'ada', limit: 1 })).text)
  const revealed = await told(old.client, 'reveal_contact', { id: ada.slug })
  expect(revealed.body).toMatchObject({
    status: 'revealed',
    credits: 10,
    person: { email: ada.email },
  })
  const refused = await told(old.client, 'search', { q: 'ada' })
  expect(refused.text).toContain('credit_limit_reached')
  await old.client.close()

  // A new process is a new session.
  const modern = await connect(account.key, limit, { answers })
  const { person } = (await told(modern.client, 'get_person', { id: ada.slug })).body.data
  expect([person.isLocked, person.email]).toEqual([undefined, ada.email])
  await modern.client.close()

  expect(asked).toHaveLength(1)
  expect(await account.balance()).toBe(100 - 5 - 10 - 5)
  for (const text of [...texts, revealed.text, refused.text, old.stderr(), modern.stderr()]) {
    expect(text).not.toContain(account.key)
  }
})

test('where each call starts a process, a confirmed reveal is made and charged once, and the key’s cap is the limit', async () => {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const key = await account.newKey({ cap: { credits: 12, period: 'day' } })
  const call = async (name: string, args: Record<string, unknown>) => {
    const { client } = await connect(key, ['--max-credits', '10'], {})
    const answer = await told(client, name, args)
    await client.close()
    return answer
  }
  const { confirm } = (await call('reveal_contact', { id: ada.slug })).body
  const confirmed = { id: ada.slug, confirm }
  const revealed = await call('reveal_contact', confirmed)
  expect(revealed.body).toMatchObject({ status: 'revealed', person: { email: ada.email } })
  expect((await call('reveal_contact', confirmed)).body).toMatchObject({ status: 'revealed' })
  expect(await account.balance()).toBe(90)
  const over = await call('get_person', { id: ada.slug })
  expect(over.text).toContain('key_cap_exceeded')
  expect(await account.balance()).toBe(90)
})

test('lines that are no messages are passed over; one that has no end ends the process, though stdin stays open', async () => {
  const env = { CHAINKIN_URL: dir.url, CHAINKIN_KEY: 'ck_live_a' }
  const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })}\n`
  const { child, output, finished } = start(['mcp'], { env })
  child.stdin.on('error', () => {})
  child.stdin.write(`hello\n{"a":\n[]\n\u0000\n${ping}`)
  while (!output.stdout.includes('\n')) await once(child.stdout, 'data')
  expect(JSON.parse(output.stdout)).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
  child.stdin.write('a'.repeat(12_000_000))
  expect((await finished).code).toBe(0)
})

test('a start without a key, or with an address that is none, says so and ends with 1', async () => {
  const url = 'https://somebody:secret@api.example/v1'
  const refusals = await Promise.all([
    run(['mcp']),
    run(['mcp'], { env: { CHAINKIN_KEY: 'ck_live_a b' } }),
    run(['mcp'], { env: { CHAINKIN_KEY: 'ck_live_a', CHAINKIN_URL: url } }),
    run(['mcp', '--host', '0.0.0.0'], { env: { CHAINKIN_KEY: 'ck_live_a' } }),
    run(['mcp'], { env: { CHAINKIN_KEY_FILE: '/nowhere/key' } }),
  ])
  const [none, spaces, address, host, file] = refusals.map(({ stderr }) => stderr)
  expect(refusals.map(({ code, stdout }) => [code, stdout])).toEqual([
    [1, ''],
    [1, ''],
    [1, ''],
    [1, ''],
    [1, ''],
  ])
  expect(file).toContain("/nowhere/key can't be read (ENOENT)")
  expect(none).toContain('CHAINKIN_KEY is not set')
  expect(spaces).toContain('CHAINKIN_KEY: expected an API key')
  expect(spaces).not.toContain('ck_live_a')
  expect(address).toContain('expected the http or https address of the API, without /v1')
  expect(address).not.toContain('secret')
  expect(host).toContain('go with --port')
})
