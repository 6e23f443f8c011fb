/** `serve` on PostgreSQL: the ready line, what only a real connection shows, signals, ports. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newCaller } from '../../helpers/caller.ts'
import { get, run, serve, start, startOnTerminal } from '../../helpers/command.ts'
import { ADA, fixtures } from '../../helpers/fixtures.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { sharedDatabase, sharedDirectory, sharedServer } from '../../helpers/shared.ts'

const database = sharedDatabase(fixtures)
const directory = sharedDirectory()
const server = sharedServer(() => ({ DATABASE_URL: database.url }))
let account: string
let key: string

beforeAll(async () => {
  const caller = await newCaller(database.database, { credits: 1_000 })
  account = caller.id
  key = caller.key
})

/** Sends a request as written and gives everything that comes back. */
function raw(url: string, lines: readonly string[]): Promise<string> {
  return exchange(url, [...lines, 'Host: x', 'Connection: close', '', ''].join('\r\n'))
}

/** Sends bytes in one write and gives everything that comes back until the server hangs up. */
async function exchange(url: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  let answer = ''
  socket.on('data', (data) => {
    answer += String(data)
  })
  socket.on('error', () => {})
  socket.write(sent)
  await once(socket, 'close')
  return answer
}

/** Resolves once somebody waits for a lock in the test's database. */
async function untilWaiting() {
  for (;;) {
    const waiting = await database.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length > 0) return
  }
}

const bearer = (value: string) => `Authorization: Bearer ${value}`
const statusOf = (answer: string) => Number(answer.split(' ')[1])
const bodyOf = (answer: string) =>
  JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))

describe('ready', () => {
  test('command line: serve --json prints {apiUrl, appUrl} on one line, nothing else on stdout; PORT=0 takes free ports', () => {
    const { apiUrl, appUrl, output } = server
    expect(output.stdout).toBe(`${JSON.stringify({ apiUrl, appUrl })}\n`)
    expect(apiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(new URL(apiUrl).port).not.toBe(new URL(appUrl).port)
  })

  test('command line: once the line is there, both listeners answer, at the addresses that /v1/me names', async () => {
    const { body } = await get(`${server.apiUrl}/v1/me`, key)
    expect([body.baseUrl, body.docs]).toEqual([server.apiUrl, `${server.appUrl}/docs`])
    expect((await get(body.docs)).status).toBe(200)
    const misplaced = await get(`${server.appUrl}/v1/me`, key)
    expect([misplaced.status, misplaced.headers.get('content-type')?.split(';')[0]]).toEqual([
      404,
      'text/html',
    ])
  })

  test('the log is JSON lines on stderr, without keys', async () => {
    await get(`${server.apiUrl}/v1/people?q=ada`, key)
    const lines = server.output.stderr.trimEnd().split('\n')
    for (const line of lines) expect(Object.keys(JSON.parse(line))).toContain('level')
    expect(server.output.stderr).not.toContain(key)
  })

  test('The demo: with DATABASE_URL nothing is ever seeded, not even with --demo on an empty database', async () => {
    const empty = await testDatabase()
    const other = await serve({ DATABASE_URL: empty.url }, ['--demo'])
    await other.stop()
    const [row] = await empty.sql`
      select (select count(*) from accounts) + (select count(*) from companies) + (select count(*) from people) as n`
    await empty.drop()
    expect(row?.n).toBe('0')
    expect(other.output.stderr).not.toContain('ck_live_')
  })
})

test('a link of the first operator that can’t be made is in the log, with the command that makes one, and the service goes on', async () => {
  const broken = await testDatabase()
  await broken.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create trigger refuse before insert on operator_link execute function refuse()`)
  const { child, shown, said } = startOnTerminal(['serve'], { DATABASE_URL: broken.url })
  await said('first operator')
  const line = shown()
    .split('\n')
    .find((one) => one.includes('first operator'))
  expect(JSON.parse(line ?? '')).toMatchObject({
    level: 'warn',
    reason: expect.stringContaining('P0001'),
    instead: 'chainkin user operator EMAIL',
  })
  const docs = /at (\S+\/docs)/.exec(shown())?.[1]
  expect((await get(docs ?? '')).status).toBe(200)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await broken.drop()
})

/** Lines of a log, which holds nothing else. */
const entriesOf = (log: string): Record<string, unknown>[] =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('off a terminal, as under systemd', () => {
  test('all that serve prints is JSON; it names likely mistakes and the command for the first operator, and no link', async () => {
    const empty = await testDatabase()
    const url = join(directory.path, 'database-url')
    await writeFile(url, `${empty.url}\n`)
    const { child, output, finished } = start(['serve'], {
      env: { DATABASE_URL_FILE: url, TRUSTED_PROXY: '10.0.0.1', HOST: '0.0.0.0' },
    })
    const ended = new AbortController()
    finished.then(() => ended.abort())
    while (!output.stderr.includes('user operator') && !ended.signal.aborted) await pause(20)
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await finished
    const [row] = await empty.sql`select count(*)::integer as links from operator_link`
    await empty.drop()
    expect([code, row?.links]).toEqual([0, 0])
    expect(entriesOf(stdout)).toEqual([{ apiUrl: expect.any(String), appUrl: expect.any(String) }])
    const entries = entriesOf(stderr)
    expect(entries.every((entry) => 'level' in entry && 'time' in entry)).toBe(true)
    expect(entries).toContainEqual(
      expect.objectContaining({ variable: 'TRUSTED_PROXY', setting: 'TRUSTED_PROXIES' }),
    )
    const named = expect.arrayContaining([expect.stringContaining('APP_URL')])
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 'warn', host: '0.0.0.0', expected: named }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({ command: 'chainkin user operator EMAIL' }),
    )
    expect(stderr).not.toContain('token=')
  })

  test('why it did not start is a line of the log as well', async () => {
    const { code, stdout, stderr } = await run(['serve'], { env: { PORT: 'x', APP_PORT: 'y' } })
    expect([code, stdout]).toEqual([1, ''])
    const [{ level, message } = {}, ...others] = entriesOf(stderr)
    expect([level, others]).toEqual(['error', []])
    expect(message).toMatch(/^chainkin serve: PORT: .*\nAPP_PORT: /)
  })

  test('what packages and the runtime print is a line of the log', async () => {
    const { stderr, stdout } = await run([], {
      program: [
        process.execPath,
        '-e',
        `const { createLog } = await import('./src/log.ts')
         const { logWhatIsPrinted } = await import('./src/server/commands/process.ts')
         logWhatIsPrinted(createLog('info'))
         console.warn('%d of\\n%s', 1, 'two')
         process.emitWarning('old')
         console.log({ a: 1 })`,
      ],
    })
    expect(stdout).toBe('')
    expect(entriesOf(stderr)).toMatchObject([
      { level: 'warn', message: '1 of\ntwo' },
      { level: 'warn', message: 'old' },
      { level: 'info', message: '{ a: 1 }' },
    ])
  })
})

describe('over a real connection', () => {
  test('requests that come in one write are answered in order, or none of them is charged', async () => {
    const ledger = async () => {
      const [row] = await database.sql`
        select count(*)::int as entries from ledger where account_id = ${account}`
      return row?.entries
    }
    const before = await ledger()
    const { host } = new URL(server.apiUrl)
    const request = (end: string) =>
      [`GET /v1/people?limit=1 HTTP/1.1`, `Host: ${host}`, bearer(key), end, '', ''].join('\r\n')
    const open = 'Connection: keep-alive'
    const closing = 'Connection: close'
    for (const requests of [
      [open, closing],
      [open, open, closing],
      [...Array(8).fill(open), closing],
    ]) {
      const answer = await exchange(server.apiUrl, requests.map(request).join(''))
      const answered = answer.match(/HTTP\/1\.1 200 /g)?.length ?? 0
      expect([0, requests.length]).toContain(answered)
      expect(await ledger()).toBe(before + answered)
    }
    expect((await get(`${server.apiUrl}/v1/people`, key)).status).toBe(200)
  })

  test('a call whose connection closes before its charge is sent costs nothing: a pipelined one, and one whose client leaves', async () => {
    const other = await serve({ DATABASE_URL: database.url })
    const { hostname, port, host } = new URL(other.apiUrl)
    const request = [
      'GET /v1/people?limit=1 HTTP/1.1',
      `Host: ${host}`,
      bearer(key),
      'X-Request-Id: nobody-hears',
      ...['', ''],
    ].join('\r\n')
    const held = await database.sql.reserve()
    await held`begin`
    await held`lock table api_keys in access exclusive mode`
    // The key's look-up waits for this lock, so both calls are in hand.
    const [pipelining, leaving] = ['', ''].map(() => {
      const socket = createConnection({ host: hostname, port: Number(port) })
      socket.on('error', () => {})
      socket.write(request)
      return socket
    })
    await untilWaiting()
    pipelining?.write(request)
    if (pipelining) await once(pipelining, 'close')
    leaving?.destroy()
    await held`commit`
    held.release()
    // Calls are charged in their order: when this one is, those before it would be.
    expect((await get(`${other.apiUrl}/v1/people?limit=1`, key)).status).toBe(200)
    await other.stop()
    const charged = await database.sql`select from ledger where request_id = 'nobody-hears'`
    expect(charged.length).toBe(0)
  })

  test('two Authorization headers are a 401, whichever of them is good', async () => {
    for (const pair of [
      [key, 'x'],
      ['x', key],
      [key, key],
    ] as const) {
      const answer = await raw(server.apiUrl, ['GET /v1/me HTTP/1.1', ...pair.map(bearer)])
      expect(statusOf(answer)).toBe(401)
    }
    expect(statusOf(await raw(server.apiUrl, ['GET /v1/me HTTP/1.1', bearer(key)]))).toBe(200)
  })

  test('HEAD sends headers with the date and no body, also of an error', async () => {
    for (const [path, status] of [
      ['/v1/people', 200],
      ['/v1/people?limt=1', 400],
      [`/v1/people/${ADA.id}?a=b`, 400],
    ] as const) {
      const answer = await raw(server.apiUrl, [`HEAD ${path} HTTP/1.1`, bearer(key)])
      expect([statusOf(answer), answer.split('\r\n\r\n')[1]]).toEqual([status, ''])
      expect(answer).toMatch(/\r\nDate: \w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT\r\n/i)
    }
  })

  test('a URL beyond 8 KiB is a 414 with a body, headers beyond 16 KiB a 431 with a body', async () => {
    const long = await raw(server.apiUrl, [
      `GET /v1/people?q=${'a'.repeat(9_000)} HTTP/1.1`,
      bearer(key),
    ])
    expect([statusOf(long), bodyOf(long).error.code]).toEqual([414, 'uri_too_long'])
    const headers = Array.from({ length: 20 }, (_, n) => `X-Padding-${n}: ${'a'.repeat(1_000)}`)
    const large = await raw(server.apiUrl, ['GET /v1/me HTTP/1.1', bearer(key), ...headers])
    expect([statusOf(large), bodyOf(large).error.code]).toEqual([431, 'headers_too_large'])
  })

  test('bad percent-encoding in the path is a 400, and a path that climbs is a 404', async () => {
    const bad = await raw(server.apiUrl, ['GET /v1/people/%c3%28 HTTP/1.1', bearer(key)])
    expect([statusOf(bad), bodyOf(bad).error.code]).toEqual([400, 'invalid_parameter'])
    const climbing = await raw(server.apiUrl, [
      'GET /v1/people/..%2f..%2fetc HTTP/1.1',
      bearer(key),
    ])
    expect(statusOf(climbing)).toBe(404)
  })

  test('the client’s address is the socket’s: 21 rejected keys of this machine are a 429', async () => {
    const other = await serve({ DATABASE_URL: database.url, HOST: '127.0.0.1' })
    await database.sql`delete from rejected_keys`
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async () => (await get(`${other.apiUrl}/v1/me`)).status),
    )
    await other.stop()
    expect(statuses.filter((status) => status === 401).length).toBe(20)
    const rows = await database.sql`select address from rejected_keys`
    expect(rows.map(({ address }) => address)).toEqual(['127.0.0.1'])
  })
})

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'command line: %s finishes the requests in hand, then ends with exit 0',
    async (signal) => {
      const other = await serve({ DATABASE_URL: database.url })
      const held = await database.sql.reserve()
      await held`begin`
      await held`lock table api_keys in access exclusive mode`
      // The key's look-up now waits for this lock, so the request is in hand.
      const answer = get(`${other.apiUrl}/v1/people`, key)
      await untilWaiting()
      other.kill(signal)
      await other.said('stopping')
      await held`commit`
      held.release()
      expect((await answer).status).toBe(200)
      const { code, signal: killed } = await other.finished
      expect([code, killed]).toEqual([0, null])
    },
  )

  test('a server that has nothing in hand ends at once, kept connections or not', async () => {
    const other = await serve({ DATABASE_URL: database.url })
    const { hostname, port } = new URL(other.apiUrl)
    const idle = createConnection({ host: hostname, port: Number(port) })
    await once(idle, 'connect')
    idle.on('error', () => {})
    await get(`${other.apiUrl}/v1/me`, key)
    const { code } = await other.stop()
    idle.destroy()
    expect(code).toBe(0)
  })
})

describe('ports', () => {
  test('command line: a port that is taken is exit 1, named with the variable to change', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = String(typeof address === 'object' ? address?.port : 0)
    const started = ['PORT', 'APP_PORT'].map(async (variable) => {
      const env = { DATABASE_URL: database.url, [variable]: port }
      return { variable, ...(await run(['serve'], { env })) }
    })
    for (const { variable, code, stdout, stderr } of await Promise.all(started)) {
      expect([variable, code, stdout]).toEqual([variable, 1, ''])
      expect(stderr).toContain(
        `can't listen on 127.0.0.1:${port} (the port is taken): set HOST or ${variable} to another`,
      )
    }
    taken.close()
  })
})
