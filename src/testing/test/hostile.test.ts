/** Refusals of a test server's control, after which it goes on. */
import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { shared } from '../../../test/helpers/shared.ts'
import { startTestServer } from '../control/server.ts'

const NOW = '2026-01-31T10:00:00.000Z'

const server = shared(
  () => startTestServer({ now: NOW, controlPort: 0 }),
  (running) => running.stop(),
)

/** Sends lines as they are, because `fetch` has a Host and an Origin of its own. @returns the status line and the rest */
async function send(url: string, ...lines: readonly string[]): Promise<string> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port) })
  await once(socket, 'connect')
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  return text(socket)
}

const statusOf = (answer: string) => Number(answer.split(' ')[1])

async function ask(method: string, path: string, body?: string) {
  const answer = await fetch(server.controlUrl + path, { method, ...(body && { body }) })
  const said = await answer.text()
  return { status: answer.status, said }
}

describe('the control of a test server', () => {
  test('is asked by a name of this machine alone, and by no page of elsewhere', async () => {
    const hosts: [string, number][] = [
      ['Host: 127.0.0.1', 200],
      ['Host: localhost:5000', 200],
      ['Host: [::1]:80', 200],
      ['Host: attacker.example', 403],
      ['Host: 127.0.0.1.attacker.example', 403],
      ['Host: localhost@attacker.example', 403],
      ['Host: localhost\r\nOrigin: http://localhost:5173', 200],
      ['Host: localhost\r\nOrigin: https://attacker.example', 403],
      ['Host: localhost\r\nOrigin: null', 403],
    ]
    for (const [lines, status] of hosts) {
      const answer = await send(server.controlUrl, 'GET /clock HTTP/1.1', lines)
      expect([lines, statusOf(answer)]).toEqual([lines, status])
    }
    const reset = 'POST /reset HTTP/1.1'
    const { said } = await ask('POST', '/accounts', '{"tier": "pro"}')
    const page = ['Host: 127.0.0.1', 'Origin: https://attacker.example', 'Content-Length: 0']
    expect(statusOf(await send(server.controlUrl, reset, ...page))).toBe(403)
    expect((await ask('GET', `/accounts/${JSON.parse(said).id}`)).status).toBe(200)
  })

  test('names what is wrong with a body, and goes on', async () => {
    const wrong: [string, string, string][] = [
      ['/accounts', '{', 'body: expected a JSON object'],
      ['/accounts', '"text"', 'body: expected a JSON object'],
      ['/accounts', '{"__proto__": {"tier": "pro"}}', 'there is no option __proto__'],
      ['/accounts', '{"constructor": 1}', 'there is no option constructor'],
      ['/accounts', '{"name": "a\\u0000b"}', 'name: expected 1 to 200 characters'],
      ['/accounts', '{"credits": 1e300}', 'credits: expected a whole number'],
      ['/accounts', '{"credits": "5"}', 'credits: expected a whole number'],
      ['/users', '{"email": "a\\u0000@b.example"}', 'email: expected an e-mail address'],
      ['/users', '{"password": 12345678}', 'password: expected 8 to 200 characters'],
      ['/clock', '{"now": null}', 'setNow: expected a Date or an ISO 8601 time'],
      ['/clock', '{"now": "+275760-09-13"}', 'setNow: expected a time before'],
      ['/clock', '{"advance": "999999d"}', 'advance: expected a time before'],
      ['/clock', '{"advance": 61}', 'advance: expected a duration'],
      ['/faults', '{"kind": ["status"]}', 'kind: expected one of'],
      ['/faults', '{"kind": "slow", "share": 0}', 'share: expected a number above 0'],
      ['/outage', '{}', 'outage: expected a whole number from 0'],
      ['/outage', '{"ms": 5, "for": 1}', 'outage: there is no option for'],
      ['/records', '{"companies": {"length": 1e9}}', 'companies: expected rows in an array'],
      ['/records', '{"companies": [null]}', 'companies: '],
      [
        '/records',
        '{"companies": [{"name": "a\\u0000", "companyType": "fund\\u0000"}]}',
        'companies: ',
      ],
    ]
    for (const [path, body, message] of wrong) {
      const { status, said } = await ask('POST', path, body)
      expect([body, status, said]).toEqual([body, 400, expect.stringContaining(message)])
    }
    expect((await ask('GET', '/accounts/%E0%A4%A')).status).toBeLessThan(500)
    expect((await ask('DELETE', '/faults/1e0')).status).toBe(404)
    expect(JSON.parse((await ask('GET', '/clock')).said).now).toBe(NOW)
  })
})

test('a client that ends its half of the connection gets the answer, and the connection ends', async () => {
  const { said } = await ask('POST', '/accounts', '{"tier": "pro"}')
  const { hostname: host, port } = new URL(server.apiUrl)
  const socket = connect({ host, port: Number(port), allowHalfOpen: true })
  socket.end(
    `GET /v1/me HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${JSON.parse(said).key}\r\n\r\n`,
  )
  const answer = await text(socket)
  expect(statusOf(answer)).toBe(200)
  expect(answer).toContain('"tier":"pro"')
})
