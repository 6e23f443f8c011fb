/**
 * Answers of a target, without what differs from run to run by nature: so that two targets can be compared to the
 * letter. Beside that: `Date`, and how the connection ends, which the runtimes decide.
 */
import type { Received, Sent } from '../contract/world.ts'
import type { Stage } from './stage.ts'

/** Each request with its answer. */
export type Transcript = Record<string, { status: number; headers: object; text: string }>

const PAGES = [
  '/',
  '/docs',
  '/docs/credits',
  '/docs/errors',
  '/docs/find?q=idempotancy',
  '/credits',
]
const FILES = ['/openapi.json', '/robots.txt', '/v1/me', '/nothing', '/docs/']

/** Requests that the rows of the contract don't send: other hosts, and the application's own paths. */
function requests(Authorization: string): ['api' | 'app', string, Sent][] {
  const keyed = { Authorization }
  return [
    ...[...PAGES, ...FILES].map((path): ['app', string, Sent] => ['app', path, {}]),
    ...['a', 'a b', 'a:99999', '[::1'].map((Host): ['api', string, Sent] => [
      ...(['api', '/v1/me', { headers: { ...keyed, Host, 'Idempotency-Key': 'me' } }] as const),
    ]),
    ['app', '/docs', { headers: { Host: 'a b' } }],
    ['api', '/v1/people/../projects/comet-wallet', { headers: keyed }],
    ['api', '/v1/people/%2e%2e/me', { headers: keyed }],
    ['api', '/v1/search?q=zebraño', { headers: keyed }],
    ['app', '/', { method: 'POST', body: 'a=b' }],
    ['app', '/', { method: 'PUT', body: '' }],
    ...['/', '/docs', '/openapi.json', '/nothing'].flatMap((path): ['app', string, Sent][] => [
      ['app', path, { method: 'HEAD' }],
      ['app', path, { headers: { 'Accept-Encoding': 'gzip' } }],
      ['app', path, { headers: { 'Accept-Encoding': 'br, gzip;q=0' } }],
    ]),
  ]
}

/** Sends them, one by one. */
export async function writeTranscript(stage: Stage, transcript: Transcript): Promise<void> {
  const { key } = await stage.world.account({ tier: 'team', credits: 1_000 })
  for (const [position, [host, path, request]] of requests(`Bearer ${key}`).entries()) {
    const answer = await stage[host](path, request)
    const name = `${position} ${request.method ?? 'GET'} ${host} ${path}`
    transcript[name] = settled(answer, stage, request.method === 'HEAD')
  }
}

/** By nature another each time, or the runtime's own. */
const UNSETTLED = /^(date|connection|keep-alive|x-request-id|x-ratelimit-re(set|maining))$/

/** An answer without what is another each time. */
export function settled({ status, headers, text }: Received, { server }: Stage, isHead: boolean) {
  const settle = (value: string) =>
    value
      .replaceAll(server.apiUrl, 'http://api.example')
      .replaceAll(server.appUrl, 'http://app.example')
      .replace(/"id":"[^"]+","name":"Ada"/, '"id":"ACCOUNT","name":"Ada"')
      // Names the content, which holds the addresses.
      .replace(/(\/assets\/docs-index\/)[\w-]{16}/, '$1…')
      .replace(/"prefix":"ck_live_\w+"/, '"prefix":"PREFIX"')
      .replace(/"(updatedAt|investmentId|renewsAt)":"[^"]+"/g, '"$1":"…"')
  const lasting = Object.entries(headers)
    // Of a body that nobody made Bun says that its length is not known, and Deno says nothing.
    .filter(([name]) => !UNSETTLED.test(name) && !(isHead && name === 'transfer-encoding'))
    .map(([name, value]): [string, string] => {
      // Names the content, which holds the addresses.
      if (name === 'etag') return [name, value.replace(/"[\w-]{16}"/, '"…"')]
      // The two pack a text in their own ways. `send` has checked that the length is right.
      if (name === 'content-length' && headers['content-encoding']) return [name, '…']
      return [name, settle(value)]
    })
  lasting.sort(([a], [b]) => (a < b ? -1 : 1))
  return { status, headers: Object.fromEntries(lasting), text: settle(text) }
}
