/** Query parameters: strict, because a misspelt filter must not cost credits. */
import { expect } from 'bun:test'
import { ADA, AURORA } from '../helpers/fixtures.ts'
import { group, type Row, type Suite } from './suite.ts'

const CHANNELS = ['email', 'phone', 'telegram', 'linkedin']

const unknown = (path: string, parameter: string, nearest: string): Row => ({
  name: `names ${parameter} and, as the nearest known one, ${nearest}`,
  path: `/v1/${path}`,
  code: 'unknown_parameter',
  holds: { 'error.parameter': parameter, 'error.allowed': expect.arrayContaining([nearest]) },
  says: [`Did you mean ${nearest}?`],
})

/** @param allowed values that the message names too */
const invalid = (path: string, parameter: string, allowed: readonly string[]): Row => ({
  name: `lists the values that ${parameter} may have`,
  path: `/v1/${path}`,
  code: 'invalid_parameter',
  holds: { 'error.parameter': parameter, 'error.allowed': allowed },
  says: [`${allowed.join(', ')}."`],
})

/** A value near one of a closed set. */
const misspelt = (path: string, parameter: string, value: string): Row => ({
  name: `names ${value} as the nearest value of ${parameter}`,
  path: `/v1/${path}`,
  code: 'invalid_parameter',
  holds: { 'error.parameter': parameter, 'error.allowed': expect.arrayContaining([value]) },
  says: [`. Did you mean ${value}?`],
})

/** A value near that of some record. */
const near = (path: string, parameter: string, value: string): Row => ({
  name: `a value that no record has is free where it is near one, ${value}`,
  path: `/v1/${path}`,
  code: 'invalid_parameter',
  holds: { 'error.parameter': parameter, 'error.allowed': expect.arrayContaining([value]) },
  says: ['Did you mean '],
})

export function parameters(suite: Suite): void {
  group(suite, 'contract/Errors: 400 of names', ({ rows }) =>
    rows([
      unknown('people?chanels=email', 'chanels', 'channels'),
      unknown('people?role=founder', 'role', 'roles'),
      unknown('people?contacttype=team', 'contacttype', 'contactType'),
      unknown('projects?sectors=DeFi', 'sectors', 'sector'),
      unknown('projects?tokens=pre', 'tokens', 'token'),
      unknown('investors?fund_type=Angel', 'fund_type', 'fundType'),
      unknown('investors?trustier=A', 'trustier', 'trustTier'),
      unknown('services?pgae=2', 'pgae', 'page'),
      unknown('search?q=a&limits=3', 'limits', 'limit'),
      unknown(`people/${ADA.id}?includes=private`, 'includes', 'include'),
      // Names that other APIs have for it.
      unknown('people?pageSize=1', 'pageSize', 'limit'),
      unknown('people?per_page=1', 'per_page', 'limit'),
      unknown('projects?page-size=1', 'page-size', 'limit'),
      unknown('services?count=1', 'count', 'limit'),
      unknown('search?q=a&size=1', 'size', 'limit'),
      unknown('investors?offset=1', 'offset', 'page'),
      unknown('projects?cursor=1', 'cursor', 'page'),
      unknown('people?query=1', 'query', 'q'),
      unknown('search?term=1', 'term', 'q'),
      unknown('projects?orderBy=1', 'orderBy', 'sort'),
      unknown('investors?sort_by=1', 'sort_by', 'sort'),
      unknown('projects?category=1', 'category', 'sector'),
      unknown('people?job_title=1', 'job_title', 'roles'),
      unknown('people?type=1', 'type', 'contactType'),
      unknown('investors?type=1', 'type', 'fundType'),
      ...['offset', 'orderBy', 'category'].map(
        (name): Row => ({
          name: 'the hint is a parameter that the endpoint takes',
          path: `/v1/search?q=a&${name}=1`,
          code: 'unknown_parameter',
          holds: {
            'error.allowed': ['q', 'limit'],
            'error.message': expect.stringMatching(/Did you mean (q|limit)\?$/),
          },
        }),
      ),
      ...['me?verbose=1', `projects/${AURORA.id}?include=private`].map(
        (path): Row => ({
          name: 'an endpoint that takes none says so',
          path: `/v1/${path}`,
          code: 'unknown_parameter',
          holds: { 'error.allowed': [] },
        }),
      ),
      ...['__proto__', 'constructor', 'toString', 'sort[]'].map(
        (name): Row => ({ path: `/v1/people?${name}=name`, code: 'unknown_parameter' }),
      ),
    ]),
  )

  group(suite, 'contract/Errors: 400 of values', ({ rows }) =>
    rows([
      {
        name: 'include=private on a list, and where to reveal instead',
        path: '/v1/people?include=private',
        code: 'invalid_parameter',
        holds: { 'error.parameter': 'include' },
        says: ['/v1/people/{id}?include=private'],
      },
      invalid('people?sort=oldest', 'sort', ['recent', 'name']),
      invalid('people?contactType=boss', 'contactType', ['analyst', 'team']),
      invalid('people?channels=email,fax', 'channels', CHANNELS),
      invalid('people?channels=email&channels=fax', 'channels', CHANNELS),
      misspelt('people?channels=emial', 'channels', 'email'),
      misspelt('people?channels=phone,Linked-in', 'channels', 'linkedin'),
      misspelt('people?contactType=analist', 'contactType', 'analyst'),
      misspelt('projects?sort=nmae', 'sort', 'name'),
      misspelt('services?sort=Name', 'sort', 'name'),
      misspelt('projects?token=lunched', 'token', 'launched'),
      invalid('people?channels=', 'channels', CHANNELS),
      invalid('people?channels=email,', 'channels', CHANNELS),
      invalid('projects?sort=roi', 'sort', ['recent', 'name']),
      invalid('projects?token=soon', 'token', ['launched', 'pre']),
      invalid('projects?token=xe', 'token', ['launched', 'pre']),
      invalid('investors?sort=size', 'sort', ['portfolio', 'roi', 'name', 'recent']),
      invalid(`people/${ADA.id}?include=public`, 'include', ['private']),
      ...['abc', '1.5', '', ' ', '1e3', '0x10', 'NaN', `${'1'.repeat(400)}.0`].flatMap((value) =>
        ['page', 'limit'].map(
          (name): Row => ({
            path: `/v1/people?${name}=${encodeURIComponent(value)}`,
            code: 'invalid_parameter',
            holds: { 'error.parameter': name, 'error.allowed': 'a whole number' },
          }),
        ),
      ),
      ...['people?sort=name&sort=name', 'people?q=a&q=b', 'projects?token=pre&token=launched'].map(
        (path): Row => ({
          name: 'a scalar is given once',
          path: `/v1/${path}`,
          code: 'invalid_parameter',
        }),
      ),
      ...['%', '%zz', '%c3%28', '%ff', 'a%00b', '%ed%a0%80'].flatMap((text) =>
        [`people?q=${text}`, `people?${text}=1`, `people/${text}`].map(
          (path): Row => ({
            name: 'text is UTF-8 without NUL',
            path: `/v1/${path}`,
            code: 'invalid_parameter',
          }),
        ),
      ),
      {
        name: 'q has at most 200 characters, after trimming',
        path: `/v1/people?q=${'a'.repeat(201)}`,
        code: 'invalid_parameter',
        holds: { 'error.allowed': 'at most 200 characters' },
      },
      { path: `/v1/people?q=${'%20'.repeat(20)}${'a'.repeat(200)}${'%20'.repeat(20)}` },
      { path: `/v1/people?q=${encodeURIComponent('🦄'.repeat(200))}` },
      {
        name: 'plus and %20 are spaces, UTF-8 is UTF-8',
        path: '/v1/search?q=%C3%89mile%2B+x%20y',
        holds: { q: 'Émile+ x y' },
      },
      {
        name: 'a list has at most 100 values',
        path: `/v1/projects?sector=${'x1,'.repeat(101)}`,
        code: 'invalid_parameter',
        holds: { 'error.allowed': 'at most 100 values' },
      },
      { path: `/v1/projects?sector=${'x1,'.repeat(100)}`, holds: { total: 0 } },
    ]),
  )

  group(suite, 'contract/Errors: 400 of values near one', ({ rows }) =>
    rows([
      near('projects?sector=Lendings', 'sector', 'Lending'),
      near('projects?sector=Lendng', 'sector', 'Lending'),
      near('people?sector=dafi', 'sector', 'DeFi'),
      near('services?sector=Excahnge', 'sector', 'Exchange'),
      near('projects?sector=layer-1', 'sector', 'Layer 1'),
      near('projects?sector=De%20Fi', 'sector', 'DeFi'),
      near('people?roles=engineer', 'roles', 'engineering'),
      near('people?roles=business', 'roles', 'business-development'),
      near('people?roles=Founders', 'roles', 'founder'),
      near('services?sector=cyber%20security', 'sector', 'Security'),
      near('investors?fundType=venture%20capital', 'fundType', 'Venture'),
      near('investors?fundType=Angels', 'fundType', 'Angel'),
      near('people?roles=founder&sector=Lendin', 'sector', 'Lending'),
      near('projects?sector=DeFi&sector=Walet', 'sector', 'Wallet'),
      near('people?roles=founder,enginering&channels=email', 'roles', 'engineering'),
      ...[
        ...['projects?sector=no-such-value', 'services?sector=no-such-value'],
        ...['people?roles=no-such-value', 'investors?fundType=no-such-value'],
        ...['investors?trustTier=no-such-value', 'projects?sector=CeFy'],
        ...['projects?sector=Layer%202', 'projects?sector=L', 'investors?fundType=Hedge'],
        ...['investors?trustTier=C', 'people?roles=ceo', 'projects?sector=Security'],
        ...['people?roles=marketing', `projects?sector=${'x'.repeat(3_000)}`],
        'projects?sector=%F0%9F%A6%84',
      ].map((path) => ({
        name: 'any other unknown value matches nothing, for the price of a list',
        path: `/v1/${path}`,
        holds: { data: [], total: 0, totalPages: 0 },
      })),
      ...['investors?fundType=VENTURE', 'investors?fundType=venture'].map((path) => ({
        name: 'the case of letters makes no difference',
        path: `/v1/${path}`,
        holds: { total: 2 },
      })),
    ]),
  )
}
