/** Calls over HTTP that are given up are charged once with their repeat, and connections of 2025-* are bounded. */
import { describe, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { rejection } from '../../../test/helpers/rejection.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { silentLog } from '../../log.ts'
import { fixtures, startDirectory } from '../../testing/start.ts'
import { Connections } from '../connections.ts'
import type { HttpOptions } from '../http.ts'
import { mcpServer } from '../server.ts'
import { Session } from '../session.ts'
import { ERAS, httpServer, told } from './clients.ts'

const dir = shared(
  () => startDirectory({ listen: false }),
  (started) => started.stop(),
)
const { ada } = fixtures.people

/** An API that holds back its first answer about a person until its caller is gone. */
function holding() {
  const charged = Promise.withResolvers<void>()
  const fetch: HttpOptions['fetch'] = async (url, init) => {
    const answer = await dir.fetch(url, init)
    if (!url.includes('/v1/people/')) return answer
    charged.resolve()
    const { signal } = init
    if (!isGone && !signal?.aborted) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    }
    isGone = true
    return answer
  }
  let isGone = false
  return { charged: charged.promise, fetch }
}

test.each(ERAS)(
  'protocol %s: a call that is cancelled is charged once with its repeat',
  async (era) => {
    const { charged, fetch } = holding()
    await using server = httpServer(dir, { fetch })
    const account = await dir.account({ tier: 'pro', credits: 100 })
    const client = await server.connect(account.key, { era })
    const cancelling = new AbortController()
    const call = { name: 'get_person', arguments: { id: ada.id } }
    const cancelled = rejection(client.callTool(call, { signal: cancelling.signal }))
    await charged
    cancelling.abort()
    await cancelled
    const { body } = await told(client, 'get_person', { id: ada.id })
    expect(body.meta).toMatchObject({ creditsCharged: 0, creditsBalance: 95 })
    const next = await told(client, 'get_person', { id: ada.id })
    expect(next.body.meta).toMatchObject({ creditsCharged: 5, creditsBalance: 90 })
    await client.close()
  },
)

interface Sent {
  id?: string | null | undefined
  signal?: AbortSignal | undefined
}

/** A message of 2025-11-25 as it goes over the wire. */
function messageOf(url: URL, key: string, message: object, { id, signal }: Sent = {}): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(id && { 'mcp-session-id': id }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    ...(signal && { signal }),
  })
}

const speaker =
  (url: URL, key: string) => (message: object, id?: string | null, signal?: AbortSignal) =>
    globalThis.fetch(messageOf(url, key, message, { id, signal }))

const handshake = (capabilities: object) => ({
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'test', version: '1.0.0' },
  },
})
const BALANCE = { method: 'tools/call', params: { name: 'get_balance', arguments: {} } }

describe('a connection of 2025-*', () => {
  test('whose client goes away in the middle of a call is charged once with its repeat', async () => {
    const { charged, fetch } = holding()
    await using server = httpServer(dir, { fetch })
    const account = await dir.account({ tier: 'pro', credits: 100 })
    const say = speaker(server.url, account.key)
    const id = (await say(handshake({}))).headers.get('mcp-session-id')
    const call = { method: 'tools/call', params: { name: 'get_person', arguments: { id: ada.id } } }
    const leaving = new AbortController()
    const left = rejection(say(call, id, leaving.signal).then((answer) => answer.text()))
    await charged
    leaving.abort()
    await left
    expect(await (await say(call, id)).text()).toContain('\\"creditsCharged\\":0')
    expect(await account.balance()).toBe(95)
  })

  test('whose repeat of a call comes before the word that it was cancelled pays for both once', async () => {
    const { charged, fetch } = holding()
    await using server = httpServer(dir, { fetch })
    const account = await dir.account({ tier: 'pro', credits: 100 })
    const say = speaker(server.url, account.key)
    const id = (await say(handshake({}))).headers.get('mcp-session-id')
    const call = { method: 'tools/call', params: { name: 'get_person', arguments: { id: ada.id } } }
    const leaving = new AbortController()
    const first = say({ ...call, id: 1 }, id, leaving.signal).catch(() => {})
    await charged
    const second = say({ ...call, id: 2 }, id)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await say({ ...cancel, id: undefined }, id)
    expect(await (await second).text()).toContain('\\"creditsCharged\\":0')
    leaving.abort()
    await first
    expect(await account.balance()).toBe(95)
  })

  test('is its key’s: another key does not find it, and a client that can ask begins anew', async () => {
    await using server = httpServer(dir)
    const [account, other] = [
      await dir.account({ tier: 'pro' }),
      await dir.account({ tier: 'pro' }),
    ]
    const [say, theirs] = [speaker(server.url, account.key), speaker(server.url, other.key)]
    const asking = (await say(handshake({ elicitation: {} }))).headers.get('mcp-session-id')
    expect((await say(BALANCE, asking)).status).toBe(200)
    expect((await theirs(BALANCE, asking)).status).toBe(404)
    expect((await say(BALANCE, crypto.randomUUID())).status).toBe(404)
  })

  test('that nobody knows any more is served on where nobody could be asked', async () => {
    const account = await dir.account({ tier: 'pro', credits: 5 })
    const before = httpServer(dir)
    const hello = await speaker(before.url, account.key)(handshake({}))
    const id = hello.headers.get('mcp-session-id')
    await hello.text()
    await before[Symbol.asyncDispose]()
    await using server = httpServer(dir)
    const answer = await speaker(server.url, account.key)(BALANCE, id)
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('5 credits left'),
    ])
  })

  test('that makes room ends with its calls in hand, and their repeat on another is free', async () => {
    const { charged, fetch } = holding()
    await using server = httpServer(dir, { fetch })
    const account = await dir.account({ tier: 'pro', credits: 100 })
    const say = speaker(server.url, account.key)
    const begin = async () => (await say(handshake({}))).headers.get('mcp-session-id')
    const call = { method: 'tools/call', params: { name: 'get_person', arguments: { id: ada.id } } }
    const first = say(call, await begin()).then((answer) => answer.text())
    await charged
    for (let count = 0; count < 100; count++) await begin()
    expect(await first).not.toContain('creditsCharged')
    expect(await (await say(call, await begin())).text()).toContain('\\"creditsCharged\\":0')
    expect(await account.balance()).toBe(95)
  })

  test('that was not used for too long ends, with its stream, when another begins', async () => {
    const account = await dir.account({ tier: 'pro' })
    const session = new Session({ ...dir, key: account.key, maxCredits: null })
    let ended = 0
    const newServer = () => {
      const server = mcpServer(session, { showsSamples: false, log: silentLog })
      server.server.onclose = () => ended++
      return server
    }
    const idleMs = 20
    const connections = new Connections(newServer, { idleMs, maxRequestBytes: 10_000 })
    const url = new URL('http://127.0.0.1/mcp')
    const begin = () => connections.answer(messageOf(url, account.key, handshake({})), session)
    await begin()
    await pause(2 * idleMs)
    expect(ended).toBe(0)
    await begin()
    expect(ended).toBe(1)
    connections.close()
  })

  test('is the hundred and first of its key: the one that was not used for longest ends', async () => {
    await using server = httpServer(dir)
    const { key } = await dir.account({ tier: 'pro' })
    const say = speaker(server.url, key)
    const ids: (string | null)[] = []
    const begin = async () => {
      ids.push((await say(handshake({ elicitation: {} }))).headers.get('mcp-session-id'))
    }
    for (let count = 0; count < 100; count++) await begin()
    expect((await say(BALANCE, ids[0])).status).toBe(200)
    await begin()
    expect((await say(BALANCE, ids[0])).status).toBe(200)
    expect((await say(BALANCE, ids[1])).status).toBe(404)
    expect((await say(BALANCE, ids[100])).status).toBe(200)
  })
})
