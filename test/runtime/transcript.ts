/**
 * What a target answered, without what differs from run to run by nature: so that two targets can be
 * compared to the letter. Beside that: `Date`, and how the connection ends, which the runtimes decide.
 */
import type { Received, Sent } from './http.ts'
import type { Caller, Stage } from './stage.ts'

/** Each request with its answer. */
export type Transcript = Record<string, { status: number; headers: object; text: string }>

const ADA = '0190b000-0000-7000-8000-000000000101'
const NOBODY = '0190b000-0000-7000-8000-000000000999'

const SENT_ALWAYS = { 'X-Request-Id': 'transcript', 'X-Forwarded-For': '192.0.2.1' }

/** Paths of the API that are asked with a key, in this order: each one's charge shows in the next. */
const WITH_KEY = [
  '/v1/me',
  '/v1/people',
  '/v1/people?sort=name&limit=2&page=2',
  '/v1/people?q=ashf&roles=founder,executive&channels=email',
  '/v1/people?q=',
  '/v1/people?contactType=analyst',
  '/v1/people/ada-ashford',
  `/v1/people/${ADA}?include=private`,
  `/v1/people/${ADA}`,
  '/v1/people/cleo-cross?include=private',
  '/v1/projects',
  '/v1/projects?sort=name&token=launched&sector=DEFI',
  '/v1/projects?sector=lending&sector[]=research',
  '/v1/projects?page=99&limit=1000',
  '/v1/projects/aurora-protocol',
  '/v1/projects/ember-capital',
  '/v1/investors?sort=roi&fundType=venture&trustTier=tier%201',
  '/v1/investors/ember-capital',
  '/v1/services?q=audit',
  '/v1/services/juno-exchange',
  '/v1/search?q=auro&limit=3',
  '/v1/search?q=zebra%C3%B1o',
  '/v1/search?q=zebraño',
  '/v1/search?q=a%20b+c',
  '/v1/people/../projects/zebrano',
  '/v1/people/%2e%2e/me',
  // Refused, each in a way of its own.
  '/v1/search',
  '/v1/search?q=a&q=b',
  '/v1/search?q=%00',
  '/v1/search?q=%c3%28',
  '/v1/search?q=%zz',
  `/v1/search?q=${'a'.repeat(201)}`,
  '/v1/people?include=private',
  '/v1/people?limt=1',
  '/v1/people?limit=1.5',
  '/v1/people?channels=fax',
  '/v1/projects?sort=size',
  '/v1/people/%c3%28',
  '/v1/people/%ff',
  '/v1/people/',
  `/v1/people/${NOBODY}`,
  '/v1/investors/aurora-protocol',
  '/v1/services/aurora-protocol',
  '/v1/network',
  '/v1/nothing',
  '/v1/me/',
  '//v1/me',
  '/',
]

const APPLICATION = [
  '/',
  '/docs',
  '/docs/credits',
  '/docs/errors',
  '/docs/find?q=idempotancy',
  '/credits',
  '/openapi.json',
  '/robots.txt',
  '/v1/me',
  '/nothing',
  '/docs/',
]

/** Everything else, on either host. */
function others({ key }: Caller): ['api' | 'app', string, Sent][] {
  const Authorization = `Bearer ${key}`
  const keyed = { Authorization }
  return [
    ['api', '/v1/people', {}],
    ['api', '/v1/people', { headers: { Authorization: 'Bearer ck_live_nobody' } }],
    ['api', '/v1/people', { headers: { Authorization: `Basic ${key}` } }],
    ['api', '/v1/people', { headers: { Authorization: `${Authorization}, ${Authorization}` } }],
    ['api', '/v1/me', { headers: { authorization: `bearer  ${key}` } }],
    ['api', '/v1/me', { headers: { ...keyed, 'Accept-Encoding': 'gzip, br' } }],
    ['api', '/v1/me', { headers: { ...keyed, Host: 'a' } }],
    ...['a b', 'a:99999', '[::1'].map((Host): ['api', string, Sent] => [
      ...(['api', '/v1/me', { headers: { ...keyed, Host, 'Idempotency-Key': 'me' } }] as const),
    ]),
    ['app', '/docs', { headers: { Host: 'a b' } }],
    ['api', '/v1/people', { method: 'HEAD', headers: keyed }],
    ['api', '/v1/people?limt=1', { method: 'HEAD', headers: keyed }],
    ['api', '/v1/people', { method: 'HEAD' }],
    ['api', '/v1/nothing', { method: 'HEAD' }],
    ['api', '/v1/people', { method: 'OPTIONS' }],
    ['api', '/v1/people', { method: 'POST', headers: keyed, body: '{"name":"x"}' }],
    ['api', '/v1/people', { method: 'DELETE' }],
    ['api', '/v1/people', { method: 'PURGE' }],
    ['api', `/v1/people?q=${'a'.repeat(9_000)}`, { headers: keyed }],
    ['api', '/v1/people', { headers: { ...keyed, 'X-Large': 'a'.repeat(17_000) } }],
    ['api', '/v1/people', { headers: { ...keyed, 'Idempotency-Key': 'not allowed!' } }],
    ['api', '/v1/people', { headers: { ...keyed, 'Idempotency-Key': 'once' } }],
    ['api', '/v1/people', { headers: { ...keyed, 'Idempotency-Key': 'once' } }],
    ['api', '/v1/services', { headers: { ...keyed, 'Idempotency-Key': 'once' } }],
    ['app', '/', { method: 'POST', body: 'a=b' }],
    ['app', '/', { method: 'PUT', body: '' }],
    ...['/', '/docs', '/openapi.json', '/nothing'].flatMap((path): ['app', string, Sent][] => [
      ['app', path, { method: 'HEAD' }],
      ['app', path, { headers: { 'Accept-Encoding': 'gzip' } }],
      ['app', path, { headers: { 'Accept-Encoding': 'br, gzip;q=0' } }],
    ]),
  ]
}

/** Asks everything, one by one, as an account that nobody else uses. */
export async function transcriptOf(stage: Stage): Promise<Transcript> {
  const caller = await stage.caller('team', 1_000)
  const Authorization = `Bearer ${caller.key}`
  const requests: ['api' | 'app', string, Sent][] = [
    ...WITH_KEY.map((path): ['api', string, Sent] => ['api', path, { headers: { Authorization } }]),
    ...APPLICATION.map((path): ['app', string, Sent] => ['app', path, {}]),
    ...others(caller),
  ]
  const transcript: Transcript = {}
  for (const [position, [host, path, request]] of requests.entries()) {
    const headers = { ...SENT_ALWAYS, ...request.headers }
    const answer = await stage[host](path, { ...request, headers })
    const name = `${position} ${request.method ?? 'GET'} ${host} ${path.slice(0, 80)}`
    const told = settled(answer, stage, caller)
    // Of a body that nobody made Bun says that its length is not known, and Deno says nothing.
    if (request.method === 'HEAD') delete told.headers['transfer-encoding']
    transcript[name] = told
  }
  return transcript
}

/** By nature another each time, or the runtime's own. */
const UNSETTLED = ['date', 'connection', 'keep-alive', 'x-ratelimit-reset']

function settled({ status, headers, text }: Received, stage: Stage, caller: Caller) {
  const settle = (value: string) =>
    value
      .replaceAll(stage.server.apiUrl, 'http://api.example')
      .replaceAll(stage.server.appUrl, 'http://app.example')
      .replaceAll(caller.id, 'ACCOUNT')
      // Names the content, which holds the addresses.
      .replace(/(\/assets\/docs-index\/)[\w-]{16}/, '$1…')
      .replace(/"prefix":"ck_live_\w+"/, '"prefix":"PREFIX"')
      .replace(/"(updatedAt|investmentId)":"[^"]+"/g, '"$1":"…"')
  const kept = Object.entries(headers).filter(([name]) => !UNSETTLED.includes(name))
  const told = kept.map(([name, value]): [string, string] => {
    // Names the content, which holds the addresses.
    if (name === 'etag') return [name, value.replace(/"[\w-]{16}"/, '"…"')]
    // The two pack a text in their own ways. `send` has checked that the length is right.
    if (name === 'content-length' && headers['content-encoding']) return [name, '…']
    return [name, settle(value)]
  })
  told.sort(([a], [b]) => (a < b ? -1 : 1))
  return { status, headers: Object.fromEntries(told), text: settle(text) }
}
