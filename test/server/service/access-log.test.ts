/** The access log has a line for each request, and nothing that is anybody's secret. */
import { expect, test } from 'bun:test'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { silentLog } from '../../../src/log.ts'
import { incoming } from '../../../src/runtime.ts'
import { openAccessLog } from '../../../src/server/service/access-log.ts'
import { sharedDirectory } from '../../helpers/shared.ts'

const directory = sharedDirectory()
const KEY = 'ck_live_abcdefghijklmnopqrstuvwxyz012345'

function open(file: string) {
  const config = readConfig({ ACCESS_LOG: file, TRUSTED_PROXIES: '10.0.0.0/8' })
  return openAccessLog(config, silentLog, { worker: 2 })
}

const answer = async (request: Request) =>
  new Response('', {
    status: 200,
    headers: { 'x-request-id': request.headers.get('x-request-id') ?? 'id' },
  })
const ask = (url: string, init: RequestInit = {}, address = '192.0.2.7') =>
  incoming(new Request(url, init), address)

test('each request has its line: when, what, how it ended, how long, from where; no key, value or id', async () => {
  const file = join(directory.path, 'access.log')
  const log = open(file)
  const { api, web } = log?.around({ api: answer, web: answer }) ?? { api: answer, web: answer }
  await api(ask(`http://api.test/v1/people?q=${KEY}&email=ada@example.com`))
  await api(
    ask(`http://api.test/v1/people/ada-lovelace?key=${KEY}`, {
      headers: { authorization: `Bearer ${KEY}` },
    }),
  )
  await api(ask(`http://api.test/${KEY}`, { headers: { 'x-request-id': KEY } }))
  await web(ask('http://app.test/people/ada-lovelace', {}, '10.1.1.1'))
  await web(
    ask(
      'http://app.test/reset?token=hunter2',
      { headers: { 'x-forwarded-for': '198.51.100.9' } },
      '10.1.1.1',
    ),
  )
  await web(ask('http://app.test/no-such/ada-lovelace'))
  await log?.stop()
  const text = await readFile(file, 'utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(
    lines.map(({ host, endpoint, address, requestId }) => [host, endpoint, address, requestId]),
  ).toEqual([
    ['api', '/v1/people', '192.0.2.7', 'id'],
    ['api', '/v1/people/{id}', '192.0.2.7', 'id'],
    ['api', 'other', '192.0.2.7', undefined],
    ['application', '/people/:id', '10.1.1.1', 'id'],
    ['application', '/reset', '198.51.100.9', 'id'],
    ['application', 'other', '192.0.2.7', 'id'],
  ])
  expect(Object.keys(lines[0])).toEqual([
    'time',
    'worker',
    'host',
    'method',
    'endpoint',
    'status',
    'ms',
    'address',
    'requestId',
  ])
  for (const secret of [KEY, 'ck_live', 'ada', 'hunter2']) expect(text).not.toContain(secret)
  expect((await stat(file)).mode & 0o007).toBe(0)
})

test('whoever rotates it copies and cuts it: the next line stands at its beginning', async () => {
  const file = join(directory.path, 'rotated.log')
  const log = open(file)
  const { api } = log?.around({ api: answer, web: answer }) ?? { api: answer }
  await api(ask('http://api.test/v1/people'))
  while ((await readFile(file, 'utf8')) === '') await Bun.sleep(10)
  await writeFile(file, '')
  await api(ask('http://api.test/v1/search'))
  await log?.stop()
  expect((await readFile(file, 'utf8')).startsWith('{"time"')).toBe(true)
})

test('a file that can’t be written is refused at the start, by its variable', () => {
  expect(() => open(join(directory.path, 'absent/access.log'))).toThrow(
    /^ACCESS_LOG: .* can't be written: ENOENT: no such file or directory/,
  )
  expect(openAccessLog(readConfig({}), silentLog)).toBeUndefined()
})
