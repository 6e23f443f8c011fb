/** Query parameters, strict because a misspelt filter must not cost credits. */
import { describe, expect, test } from 'bun:test'
import { ADA, AURORA, IRIS } from '../helpers/fixtures.ts'
import { startApi } from './setup.ts'

const { service, caller } = await startApi()

/** The error of a call that must cost nothing. */
async function refusal(path: string) {
  const before = await service.balance(caller.id)
  const { status, body } = await caller.get(path)
  expect([path, status]).toEqual([path, 400])
  expect(await service.balance(caller.id)).toBe(before)
  return body.error
}

const slugs = async (path: string) =>
  (await caller.get(path)).body.data.map(({ slug }: { slug: string }) => slug)

describe('names', () => {
  test.each([
    ['/v1/people?chanels=email', 'chanels', 'channels'],
    ['/v1/people?role=founder', 'role', 'roles'],
    ['/v1/people?contacttype=team', 'contacttype', 'contactType'],
    ['/v1/projects?sectors=DeFi', 'sectors', 'sector'],
    ['/v1/projects?tokens=pre', 'tokens', 'token'],
    ['/v1/investors?fund_type=Angel', 'fund_type', 'fundType'],
    ['/v1/investors?trustier=A', 'trustier', 'trustTier'],
    ['/v1/services?pgae=2', 'pgae', 'page'],
    ['/v1/search?q=a&limits=3', 'limits', 'limit'],
    [`/v1/people/${ADA.id}?includes=private`, 'includes', 'include'],
  ])('%s is a 400 that names %s and the nearest known one, %s', async (path, sent, nearest) => {
    const error = await refusal(path)
    expect([error.code, error.parameter]).toEqual(['unknown_parameter', sent])
    expect(error.message).toContain(`Did you mean ${nearest}?`)
    expect(error.allowed).toContain(nearest)
  })

  test.each([
    ['people', 'pageSize', 'limit'],
    ['people', 'per_page', 'limit'],
    ['projects', 'page-size', 'limit'],
    ['services', 'count', 'limit'],
    ['search?q=a', 'size', 'limit'],
    ['investors', 'offset', 'page'],
    ['projects', 'cursor', 'page'],
    ['people', 'query', 'q'],
    ['search', 'term', 'q'],
    ['projects', 'orderBy', 'sort'],
    ['investors', 'sort_by', 'sort'],
    ['projects', 'category', 'sector'],
    ['people', 'job_title', 'roles'],
    ['people', 'type', 'contactType'],
    ['investors', 'type', 'fundType'],
  ])('on /v1/%s the parameter %s is refused for what it means, %s', async (path, sent, meant) => {
    const error = await refusal(`/v1/${path}${path.includes('?') ? '&' : '?'}${sent}=1`)
    expect([error.code, error.parameter]).toEqual(['unknown_parameter', sent])
    expect(error.message).toContain(`Did you mean ${meant}?`)
  })

  test('a hint names no parameter that the endpoint does not take', async () => {
    for (const sent of ['offset', 'orderBy', 'category']) {
      const { message, allowed } = await refusal(`/v1/search?q=a&${sent}=1`)
      expect(allowed).toEqual(['q', 'limit'])
      expect(message).toMatch(/Did you mean (q|limit)\?$/)
    }
  })

  test('an endpoint that takes none says so', async () => {
    const error = await refusal(`/v1/projects/${AURORA.id}?include=private`)
    expect([error.code, error.allowed]).toEqual(['unknown_parameter', []])
  })

  test('names that every object has are no parameters', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await refusal(`/v1/people?${name}=1`)).code).toBe('unknown_parameter')
    }
  })
})

describe('values', () => {
  test.each([
    ['/v1/people?sort=oldest', 'sort', ['recent', 'name']],
    ['/v1/people?contactType=boss', 'contactType', ['analyst', 'team']],
    ['/v1/people?channels=email,fax', 'channels', ['email', 'phone', 'telegram', 'linkedin']],
    ['/v1/people?channels=', 'channels', ['email', 'phone', 'telegram', 'linkedin']],
    ['/v1/people?channels=email,', 'channels', ['email', 'phone', 'telegram', 'linkedin']],
    ['/v1/projects?sort=roi', 'sort', ['recent', 'name']],
    ['/v1/projects?token=soon', 'token', ['launched', 'pre']],
    ['/v1/investors?sort=size', 'sort', ['portfolio', 'roi', 'name', 'recent']],
    ['/v1/services?sort=Name', 'sort', ['recent', 'name']],
    [`/v1/people/${ADA.id}?include=public`, 'include', ['private']],
  ])('%s is a 400 that lists the allowed values of %s', async (path, parameter, allowed) => {
    const error = await refusal(path)
    expect([error.code, error.parameter, error.allowed]).toEqual([
      'invalid_parameter',
      parameter,
      allowed,
    ])
    for (const value of allowed) expect(error.message).toContain(value)
  })

  test.each(['abc', '1.5', '', ' ', '1e3', '0x10', 'NaN', 'Infinity', `${'1'.repeat(400)}.0`])(
    'page or limit of %p is a 400',
    async (value) => {
      for (const name of ['page', 'limit']) {
        const error = await refusal(`/v1/people?${name}=${encodeURIComponent(value)}`)
        expect([error.code, error.parameter]).toEqual(['invalid_parameter', name])
      }
    },
  )

  test.each(['99999999999999999999', `1${'0'.repeat(400)}`])(
    'page and limit are clamped however long they are',
    async (value) => {
      const { status, body } = await caller.get(`/v1/people?page=${value}&limit=${value}`)
      expect([status, body.page, body.limit]).toEqual([200, Number.MAX_SAFE_INTEGER, 100])
      expect(body.data).toEqual([])
      const first = await caller.get(`/v1/people?page=-${value}&limit=-${value}`)
      expect([first.body.page, first.body.limit]).toEqual([1, 1])
    },
  )

  test.each([
    ['projects', 'sector'],
    ['services', 'sector'],
    ['people', 'roles'],
    ['investors', 'fundType'],
    ['investors', 'trustTier'],
  ])('on %s an unknown value of %s is a filter that matches nothing', async (list, name) => {
    const { status, body } = await caller.get(`/v1/${list}?${name}=no-such-value`)
    expect([status, body.data, body.total, body.totalPages]).toEqual([200, [], 0, 0])
  })

  test.each([
    // A letter too many, too few, another, and two that changed places.
    ['projects?sector=Lendings', 'sector', 'Lending'],
    ['projects?sector=Lendng', 'sector', 'Lending'],
    ['people?sector=dafi', 'sector', 'DeFi'],
    ['services?sector=Excahnge', 'sector', 'Exchange'],
    // Other marks, a beginning, a word of it and one that it is a word of.
    ['projects?sector=layer-1', 'sector', 'Layer 1'],
    ['projects?sector=De%20Fi', 'sector', 'DeFi'],
    ['people?roles=engineer', 'roles', 'engineering'],
    ['people?roles=business', 'roles', 'business-development'],
    ['people?roles=Founders', 'roles', 'founder'],
    ['services?sector=cyber%20security', 'sector', 'Security'],
    ['investors?fundType=venture%20capital', 'fundType', 'Venture'],
    ['investors?fundType=Angels', 'fundType', 'Angel'],
    // Beside one that is known, of the other parameters and of the same.
    ['people?roles=founder&sector=Lendin', 'sector', 'Lending'],
    ['projects?sector=DeFi&sector=Walet', 'sector', 'Wallet'],
    ['people?roles=founder,enginering&channels=email', 'roles', 'engineering'],
  ])(
    'a value that no record has and that is near one is a free 400 which names it: %s',
    async (path, parameter, near) => {
      const error = await refusal(`/v1/${path}`)
      expect([error.code, error.parameter, error.charged]).toEqual([
        'invalid_parameter',
        parameter,
        0,
      ])
      expect(error.allowed).toContain(near)
      expect(error.message).toContain(`Did you mean ${error.allowed.join(' or ')}?`)
      const before = await service.balance(caller.id)
      const authorization = `Bearer ${caller.key}`
      const init = { method: 'HEAD', headers: { authorization } }
      const { status, headers } = await service.request(`/v1/${path}`, init)
      expect([status, headers.get('service-outcome')]).toEqual([400, 'invalid_parameter'])
      expect(await service.balance(caller.id)).toBe(before)
    },
  )

  test.each([
    // Short, another number, near none; a value of another list, and a role that nobody here has.
    'projects?sector=CeFy',
    'projects?sector=Layer%202',
    'projects?sector=L',
    'investors?fundType=Hedge',
    'investors?trustTier=C',
    'people?roles=ceo',
    'projects?sector=Security',
    'people?roles=marketing',
    `projects?sector=${'x'.repeat(3_000)}`,
    'projects?sector=%F0%9F%A6%84',
  ])(
    'any other unknown value matches nothing, and the answer costs what a list does: %s',
    async (path) => {
      const before = await service.balance(caller.id)
      const { status, body } = await caller.get(`/v1/${path}`)
      expect([status, body.total, body.meta?.creditsCharged]).toEqual([200, 0, 5])
      expect(await service.balance(caller.id)).toBe(before - 5)
    },
  )

  test.each([
    ['people?roles=', 'founder'],
    ['people?channels=', 'email'],
    ['people?sector=', 'DeFi'],
    ['projects?sector=', 'Layer 1'],
    ['investors?fundType=', 'Venture'],
    ['investors?trustTier=', 'A'],
  ])('the case of letters makes no difference in /v1/%s', async (query, value) => {
    const found = await slugs(`/v1/${query}${encodeURIComponent(value)}`)
    expect(found.length).toBeGreaterThan(0)
    for (const other of [value.toLowerCase(), value.toUpperCase()]) {
      expect(await slugs(`/v1/${query}${encodeURIComponent(other)}`)).toEqual(found)
    }
  })

  test('a scalar given twice is a 400, also when both say the same', async () => {
    for (const path of [
      '/v1/people?sort=name&sort=name',
      '/v1/people?q=a&q=b',
      '/v1/projects?page=1&page=2',
      '/v1/projects?token=pre&token=launched',
    ]) {
      expect((await refusal(path)).code).toBe('invalid_parameter')
    }
  })

  test.each([
    'sector=Lending&sector=Exchange',
    'sector=Lending,Exchange',
    'sector[]=Lending&sector[]=Exchange',
    'sector%5B%5D=Lending&sector=Exchange',
    'sector=lending&sector=EXCHANGE',
    'sector=%20Lending%20,,Exchange',
  ])('%s is one OR, case ignored', async (query) => {
    expect(await slugs(`/v1/projects?${query}`)).toEqual([AURORA.slug])
    expect(await slugs(`/v1/services?${query}`)).toEqual([IRIS.slug])
  })

  test.each(['roles=legal&roles=founder', 'roles=legal,founder', 'roles[]=legal&roles[]=founder'])(
    '%s is one OR, as most clients send a list',
    async (query) => {
      expect(await slugs(`/v1/people?${query}`)).toEqual(
        await slugs('/v1/people?roles=founder,legal'),
      )
      expect((await slugs(`/v1/people?${query}`)).length).toBeGreaterThan(0)
    },
  )

  test('a scalar may not be written with brackets', async () => {
    expect((await refusal('/v1/people?sort[]=name')).code).toBe('unknown_parameter')
  })

  test('channels may be repeated, and each is checked', async () => {
    expect(await slugs('/v1/people?channels=email&channels=phone')).toEqual(
      await slugs('/v1/people?channels=email,phone'),
    )
    expect((await refusal('/v1/people?channels=email&channels=fax')).code).toBe('invalid_parameter')
  })

  test('different parameters are AND-ed', async () => {
    expect(await slugs('/v1/people?roles=founder,engineering&channels=phone')).toEqual([ADA.slug])
    expect(await slugs('/v1/projects?sector=DeFi&token=pre')).toEqual([])
  })

  test.each(['%', '%zz', '%c3%28', '%ff', 'a%00b', '%ed%a0%80'])(
    '%s in a value, a name or a path is a 400 for 0 credits',
    async (bad) => {
      for (const path of [`/v1/people?q=${bad}`, `/v1/people?${bad}=1`, `/v1/people/${bad}`]) {
        expect((await refusal(path)).code).toBe('invalid_parameter')
      }
    },
  )

  test('text is decoded as forms encode it: plus and %20 are blanks, UTF-8 is UTF-8', async () => {
    for (const q of ['Ada+Ashford', 'Ada%20Ashford', '%20ada%20ashford%20']) {
      expect(await slugs(`/v1/people?q=${q}`)).toEqual([ADA.slug])
    }
    expect((await caller.get('/v1/search?q=%C3%89mile%2B+x%20y')).body.q).toBe('Émile+ x y')
  })

  test('q has at most 200 characters after trimming; 201 are a 400 that says so', async () => {
    const blanks = '%20'.repeat(20)
    expect((await caller.get(`/v1/people?q=${blanks}${'a'.repeat(200)}${blanks}`)).status).toBe(200)
    expect((await caller.get(`/v1/people?q=${encodeURIComponent('é'.repeat(200))}`)).status).toBe(
      200,
    )
    expect((await refusal(`/v1/people?q=${'a'.repeat(201)}`)).allowed).toContain('200')
  })

  test('an empty q is as if absent, and so is an empty list of any text', async () => {
    const all = await slugs('/v1/people')
    expect(await slugs('/v1/people?q=')).toEqual(all)
    expect(await slugs('/v1/people?q=%20%20')).toEqual(all)
    expect(await slugs('/v1/people?&&')).toEqual(all)
    expect(await slugs('/v1/people?roles=')).toEqual(all)
    expect(await slugs('/v1/people?roles=,%20')).toEqual(all)
  })
})

describe('sizes', () => {
  test('a URL longer than 8 KiB is a 414, also without a key', async () => {
    const path = `/v1/people?q=${'a'.repeat(8_192)}`
    for (const answer of [await caller.get(path), await service.request(path)]) {
      expect([answer.status, answer.body.error.code]).toEqual([414, 'uri_too_long'])
    }
  })

  test('headers beyond 16 KiB are a 431', async () => {
    const answer = await caller.get('/v1/people', { 'x-long': 'a'.repeat(16_384) })
    expect([answer.status, answer.body.error.code]).toEqual([431, 'headers_too_large'])
  })

  test('just below both limits a call is answered', async () => {
    const path = `/v1/people?${'&'.repeat(8_000)}`
    expect((await caller.get(path, { 'x-long': 'a'.repeat(15_000) })).status).toBe(200)
  })
})
