/** Methods, paths, sizes, headers, CORS and compression: what the API does with any HTTP request. */
import { expect } from 'bun:test'
import packageJson from '../../package.json' with { type: 'json' }
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { COMMON_HEADERS, OTHER_HEADERS, QUOTE_HEADERS } from '../../src/contract/headers.ts'
import { ADA, AURORA, BILLED_CALLS } from '../helpers/fixtures.ts'
import { at, expectWhole, group, type Row, type Suite } from './suite.ts'
import { ORIGIN, type Received } from './world.ts'

const PATHS = ['/v1/me', ...BILLED_CALLS]
const LONG = `/v1/people?q=${'a'.repeat(8_192)}`
const HUGE = { 'x-long': 'a'.repeat(16_384) }

const EXPOSED = Object.keys({ ...COMMON_HEADERS, ...OTHER_HEADERS, ...QUOTE_HEADERS }).sort()
const ALLOWED = {
  'access-control-allow-origin': ORIGIN,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
  'access-control-expose-headers': EXPOSED.join(', '),
  'access-control-allow-credentials': null,
}
const NOT_ALLOWED = Object.fromEntries(
  [...Object.keys(ALLOWED), 'access-control-max-age'].map((name) => [name, null]),
)

export function protocol(suite: Suite): void {
  methods(suite)
  headers(suite)
  cors(suite)
  compression(suite)
  application(suite)
}

function methods(suite: Suite): void {
  const allow = 'GET, HEAD, OPTIONS'
  group(suite, 'contract/Endpoints, Rules 1', ({ rows, story }) => {
    rows([
      ...PATHS.flatMap((path): Row[] => [
        { path, method: 'OPTIONS', by: 'nobody', status: 204, sends: { allow } },
        ...['POST', 'PUT', 'PATCH', 'DELETE'].map(
          (method): Row => ({
            path,
            method,
            body: '{}',
            code: 'method_not_allowed',
            sends: { allow },
          }),
        ),
        { path, method: 'PURGE', code: 'unknown_method', sends: { allow } },
      ]),
      { path: '/v1/people', method: 'PROPFIND', by: 'nobody', code: 'unknown_method' },
      ...[
        '/',
        '/docs',
        '/openapi.json',
        '/swagger',
        '/v1',
        '/v1/',
        '/v2/me',
        '/v1/me/',
        '//v1/me',
      ].map(
        (path): Row => ({
          name: 'the API host has /v1 alone',
          path,
          by: 'nobody',
          code: 'not_found',
        }),
      ),
      {
        name: 'no path makes a key',
        path: '/v1/keys',
        method: 'POST',
        by: 'nobody',
        code: 'not_found',
      },
      { path: '/v1/signup', method: 'POST', by: 'nobody', code: 'not_found' },
      { path: '/v1/me/keys', method: 'POST', code: 'not_found' },
      { name: 'a planned endpoint', path: '/v1/network', by: 'nobody', code: 'not_live' },
      { path: '/v1/network', method: 'POST', by: 'nobody', code: 'not_live' },
      { name: 'URLs of more than 8 KiB', path: LONG, code: 'uri_too_long' },
      { path: LONG, by: 'nobody', code: 'uri_too_long' },
      { path: `/v1/search?q=${'a'.repeat(40_000)}`, code: 'uri_too_long' },
      {
        name: 'headers of more than 16 KiB',
        path: '/v1/me',
        headers: HUGE,
        code: 'headers_too_large',
      },
      {
        path: '/v1/me',
        headers: Object.fromEntries(
          Array.from({ length: 40 }, (_, n) => [`x-${n}`, 'a'.repeat(500)]),
        ),
        code: 'headers_too_large',
      },
      {
        name: 'just below both limits a call is answered',
        path: `/v1/people?${'&'.repeat(8_000)}`,
        headers: { 'x-long': 'a'.repeat(15_000) },
      },
    ])

    story('Versioning 1: the endpoints are these, under /v1', async () => {
      const live = PATHS.map((path) => path.split('/').slice(0, 3).join('/').replace(/\?.*/, ''))
      const table = Object.values(ENDPOINTS).map(({ path }) => path.replace(/\/:\w+/, ''))
      expect(table).toEqual(live as typeof table)
    })

    for (const path of PATHS) {
      story(`HEAD ${path} has a GET’s headers and its quote, and no body`, async (world) => {
        const caller = await world.account({ credits: 20 })
        const head = await caller.head(path)
        const get = await caller.get(path)
        const namesOf = ({ headers }: Received) =>
          Object.keys(headers).filter((name) => !/^(content-length|transfer-encoding)$/.test(name))
        const quoted = Object.keys(QUOTE_HEADERS).map((name) => name.toLowerCase())
        expect(namesOf(head).sort()).toEqual([...namesOf(get), ...quoted].sort())
        expect([head.status, head.text]).toEqual([200, ''])
      })
    }
  })
}

function headers(suite: Suite): void {
  group(suite, 'contract/Versioning 2, Limits: headers of every response', ({ rows, story }) => {
    const version = { 'service-api-version': packageJson.version }
    rows([
      {
        name: 'the package’s version',
        path: '/v1/me',
        sends: version,
        holds: { apiVersion: packageJson.version },
      },
      ...['a', 'Job-7_x.y', 'i'.repeat(128)].map(
        (id): Row => ({
          name: 'a request id of the client is echoed',
          path: '/v1/me',
          headers: { 'x-request-id': id },
          sends: { 'x-request-id': id },
        }),
      ),
      ...['i'.repeat(129), 'with space', 'semi;colon', '<b>'].map(
        (id): Row => ({
          name: 'another is replaced',
          path: '/nothing',
          by: 'nobody',
          headers: { 'x-request-id': id },
          code: 'not_found',
          sends: { 'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) },
        }),
      ),
      {
        name: 'an error says what a program can act on',
        path: '/v1/people?sort=x',
        code: 'invalid_parameter',
        keys: { error: ['code', 'message', 'docs', 'charged', 'parameter', 'allowed'] },
      },
      {
        path: '/v1/people',
        by: { tier: 'pro', credits: 3 },
        code: 'insufficient_credits',
        keys: {
          error: ['code', 'message', 'docs', 'charged', 'creditsRequired', 'creditsBalance'],
        },
        holds: { 'error.creditsRequired': 5, 'error.creditsBalance': 3 },
        sends: { 'service-sample': null },
      },
    ])

    story(
      'Remaining counts down, Reset stays; each answer has a request id of its own',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        const answers = [await caller.get('/v1/me'), await caller.get('/v1/people?limt=1')]
        answers.push(await caller.head('/v1/people'), await caller.get('/v1/people/nobody'))
        const remaining = answers.map((answer) => answer.headers['x-ratelimit-remaining'])
        expect(remaining).toEqual(['119', '118', '117', '116'])
        expect(answers.map((answer) => answer.headers['x-ratelimit-limit'])).toEqual(
          Array(4).fill('120'),
        )
        const different = (name: string) =>
          new Set(answers.map((answer) => answer.headers[name])).size
        expect([different('x-ratelimit-reset'), different('x-request-id')]).toEqual([1, 4])
      },
    )

    story(
      'unknown paths, other methods and OPTIONS count nothing, and show the rate of a key that was used',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        const authorization = `Bearer ${caller.key}`
        const requests = [
          ['/v1/nothing', 'GET'],
          ['/v1/network', 'GET'],
          ['/v1/nothing', 'HEAD'],
          ['/v1/people', 'POST'],
          ['/v1/people', 'PURGE'],
          ['/v1/people', 'OPTIONS'],
          [LONG, 'GET'],
        ] as const
        const ratesOf = async () => {
          const rates: string[] = []
          for (const [path, method] of requests) {
            const answer = await world.api(path, {
              method,
              headers: { authorization, ...world.fromElsewhere() },
            })
            expectWhole(world, answer, method)
            rates.push(
              `${answer.headers['x-ratelimit-remaining']} of ${answer.headers['x-ratelimit-limit']}`,
            )
          }
          return rates
        }
        // A key that nobody has called with is not looked up.
        expect(await ratesOf()).toEqual(Array(7).fill('20 of 20'))
        await caller.get('/v1/me')
        expect(await ratesOf()).toEqual(Array(7).fill('119 of 120'))
        expect((await caller.get('/v1/me')).headers['x-ratelimit-remaining']).toBe('118')
        await world.sql`update api_keys set revoked_at = meter_now() where account_id = ${caller.id}`
        await caller.get('/v1/me', world.fromElsewhere())
        expect(await ratesOf()).toEqual(Array(7).fill('20 of 20'))
      },
    )

    story(
      'a key shows nothing of its account’s rate from an address that it may not be used from',
      async (world) => {
        const caller = await world.account({ credits: 100, networks: ['203.0.113.0/24'] })
        const limitAt = async (address: string, path: string) =>
          (await caller.get(path, { 'x-forwarded-for': address })).headers['x-ratelimit-limit']
        expect(await limitAt('203.0.113.1', '/v1/me')).toBe('120')
        expect(await limitAt('203.0.113.1', '/v1/nothing')).toBe('120')
        expect(await limitAt('198.51.100.9', '/v1/nothing')).toBe('20')
      },
    )
  })
}

function cors(suite: Suite): void {
  const origin = ORIGIN
  group(suite, 'CORS', ({ rows }) =>
    rows([
      ...(
        [
          [{ path: '/v1/people' }, {}],
          [{ path: '/v1/people', by: 'nobody', code: 'unauthorized' }, {}],
          [{ path: '/v1/people', by: 'nobody', method: 'POST', code: 'method_not_allowed' }, {}],
        ] as const satisfies [Row, object][]
      ).map(
        ([row]): Row => ({
          name: 'a listed origin reads answers and errors, with the contract’s headers, and no credentials',
          ...row,
          headers: { origin },
          sends: { ...ALLOWED, 'access-control-max-age': null },
        }),
      ),
      ...['/v1/people', '/v1/nothing', '/nothing', '/v1/network', LONG].map(
        (path): Row => ({
          name: 'its preflights succeed on every path, and are remembered for two hours',
          path,
          by: 'nobody',
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-method': 'GET' },
          status: 204,
          sends: { ...ALLOWED, 'access-control-max-age': '7200' },
        }),
      ),
      ...[
        'https://evil.example',
        `${ORIGIN}.evil.example`,
        'http://dashboard.example',
        'null',
      ].flatMap((other): Row[] => [
        {
          name: 'another origin gets none',
          path: '/v1/people',
          headers: { origin: other },
          sends: NOT_ALLOWED,
        },
        {
          path: '/v1/nothing',
          by: 'nobody',
          method: 'OPTIONS',
          headers: { origin: other, 'access-control-request-method': 'GET' },
          code: 'not_found',
          sends: NOT_ALLOWED,
        },
      ]),
    ]),
  )
}

function compression(suite: Suite): void {
  const gzip = { 'accept-encoding': 'gzip' }
  /** Without its balance, which every call lowers. */
  const unpriced = (text: string) => text.replace(/"creditsBalance":\d+/g, '')

  group(suite, 'Compression', ({ rows, story }) => {
    for (const path of ['/v1/me', '/v1/people', '/v1/search?q=a', `/v1/people/${ADA.slug}`]) {
      story(`${path} is the same text, at the same price`, async (world) => {
        const caller = await world.account({ credits: 100 })
        const plain = await caller.get(path)
        const packed = await caller.get(path, gzip)
        const encodings = [plain, packed].map((answer) => answer.headers['content-encoding'])
        expect(encodings).toEqual([undefined, 'gzip'])
        expect(unpriced(packed.text)).toBe(unpriced(plain.text))
        const charged = [plain, packed].map(({ body }) => 100 - body.meta.creditsBalance)
        expect(charged).toEqual(path === '/v1/me' ? [0, 0] : [5, 10])
      })
    }
    const plain = { 'content-encoding': null }
    rows([
      {
        name: 'a sample',
        path: '/v1/people',
        by: {},
        headers: gzip,
        sends: { 'content-encoding': 'gzip' },
      },
      {
        name: 'not a short body',
        path: '/v1/projects?q=nobody-at-all',
        headers: gzip,
        sends: plain,
      },
      {
        name: 'no error',
        path: '/v1/people?sort=x',
        code: 'invalid_parameter',
        headers: gzip,
        sends: plain,
      },
      { name: 'no HEAD', path: '/v1/people', method: 'HEAD', headers: gzip, sends: plain },
    ])
    story(
      'an answer with channels is packed for its account; another gets a locked one',
      async (world) => {
        const path = `/v1/people/${ADA.slug}`
        const [owner, other] = [
          await world.account({ credits: 20 }),
          await world.account({ credits: 5 }),
        ]
        await owner.get(`${path}?include=private`, gzip)
        expect((await owner.get(path, gzip)).text).toContain(ADA.email)
        expect(at((await other.get(path, gzip)).body, 'data.person.email')).toBeNull()
      },
    )
  })
}

function application(suite: Suite): void {
  group(suite, 'contract/Errors: 404 (HTML)', ({ story }) => {
    for (const path of [...PATHS, '/v1', `/v1/projects/${AURORA.slug}`, '/no/such/page']) {
      story(`${path} at the application’s address, key or no key, for 0 credits`, async (world) => {
        const caller = await world.account({ credits: 20 })
        const authorized = { authorization: `Bearer ${caller.key}`, accept: 'application/json' }
        for (const headers of [{}, authorized]) {
          const answer = await world.app(path, { headers })
          expect([answer.status, answer.headers['content-type']?.split(';')[0]]).toEqual([
            404,
            'text/html',
          ])
          expect(answer.text).toStartWith('<!')
        }
        expect(await world.balance(caller)).toBe(20)
      })
    }

    story('docs, upgradeUrl and error.docs lead to pages and their sections', async (world) => {
      const free = await world.account()
      const { appUrl } = world.hosts
      const { docs } = (await free.get('/v1/me')).body
      const { upgradeUrl } = (await free.get('/v1/people')).body.meta
      const { error } = (await free.get('/v1/nothing')).body
      for (const address of [docs, upgradeUrl, error.docs])
        expect(address).toStartWith(`${appUrl}/`)
      for (const address of [docs, upgradeUrl, error.docs]) {
        const { status, text } = await world.app(address.slice(appUrl.length).replace(/#.*/, ''))
        expect([address, status]).toEqual([address, 200])
        if (address === error.docs) expect(text).toContain('id="not_found"')
      }
    })
  })
}
