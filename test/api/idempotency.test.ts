/** A retry need not cost twice. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { IDEMPOTENT_REPEATS } from '../../src/contract/headers.ts'
import { ADA, AURORA, BEN, UNKNOWN_ID } from '../helpers/fixtures.ts'
import { startClockedApi } from './setup.ts'

const { service, clock } = await startClockedApi()

const withKey = (key: string) => ({ 'idempotency-key': key })
const REVEAL = `/v1/people/${ADA.id}?include=private`

test('a repeat with the same key, path and query is live, costs 0 and says Idempotent-Replayed', async () => {
  const caller = await service.account({ credits: 100 })
  const first = await caller.get('/v1/people?limit=1', withKey('retry-1'))
  const again = await caller.get('/v1/people?limit=1', withKey('retry-1'))
  expect([first.headers.has('idempotent-replayed'), first.body.meta.creditsCharged]).toEqual([
    false,
    5,
  ])
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(again.body.meta).toEqual({ creditsCharged: 0, creditsBalance: 95 })
  expect(again.body.data).toEqual(first.body.data)
})

test('a repeated reveal costs 0 and shows the channels', async () => {
  const caller = await service.account({ credits: 10 })
  expect((await caller.get(REVEAL, withKey('reveal-1'))).body.meta.creditsCharged).toBe(10)
  const { body } = await caller.get(REVEAL, withKey('reveal-1'))
  expect([body.meta, body.data.person.email]).toEqual([
    { creditsCharged: 0, creditsBalance: 0 },
    ADA.email,
  ])
})

test('of 20 simultaneous calls with one key one is charged, 5 repeat it, and the rest are exhausted', async () => {
  const caller = await service.account({ credits: 100 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => caller.get(REVEAL, withKey('storm'))),
  )
  const codes = answers.map(({ headers, body }) =>
    headers.has('idempotent-replayed') ? 'replayed' : (body.error?.code ?? 'charged'),
  )
  expect(codes.sort()).toEqual([
    'charged',
    ...Array(14).fill('idempotency_key_exhausted'),
    ...Array(IDEMPOTENT_REPEATS).fill('replayed'),
  ])
  expect(await service.balance(caller.id)).toBe(90)
})

test('the sixth repeat is a 400 idempotency_key_exhausted for 0 credits, until the day is over', async () => {
  const caller = await service.account({ credits: 100 })
  const ask = () => caller.get('/v1/people', withKey('often'))
  await ask()
  for (let repeat = 1; repeat <= IDEMPOTENT_REPEATS; repeat++)
    expect((await ask()).status).toBe(200)
  const { status, body } = await ask()
  expect([status, body.error.code, body.error.parameter, body.error.charged]).toEqual([
    400,
    'idempotency_key_exhausted',
    'Idempotency-Key',
    0,
  ])
  await clock.advance(86_400)
  expect((await ask()).body.meta).toEqual({ creditsCharged: 5, creditsBalance: 90 })
  expect((await ask()).body.meta).toEqual({ creditsCharged: 0, creditsBalance: 90 })
})

test('only a repeat that is answered counts', async () => {
  const caller = await service.account({ credits: 100 })
  const path = `/v1/people/${ADA.id}`
  await caller.get(path, withKey('some'))
  for (let count = 0; count < 10; count++) {
    await caller.get(`${path}?page=1`, withKey('some'))
    await caller.get(`/v1/people/${BEN.id}`, withKey('some'))
  }
  expect((await caller.get(path, withKey('some'))).headers.has('idempotent-replayed')).toBe(true)
})

test('a repeat shows no channel of a contact that was unlocked after its first call', async () => {
  const caller = await service.account({ credits: 100 })
  const read = () => caller.get(`/v1/people/${ADA.id}`, withKey('early'))
  const shown = async () => {
    const { isLocked, email, hasEmail } = (await read()).body.data.person
    return { isLocked, email, hasEmail }
  }
  const locked = { isLocked: true, email: null, hasEmail: true }
  expect(await shown()).toEqual(locked)
  await clock.advance(1)
  await caller.get(REVEAL)
  expect(await shown()).toEqual(locked)
  const anew = await caller.get(`/v1/people/${ADA.id}`, withKey('late'))
  expect([anew.body.data.person.email, anew.body.meta.creditsCharged]).toEqual([ADA.email, 5])
  await clock.advance(1)
  const again = await caller.get(`/v1/people/${ADA.id}`, withKey('late'))
  expect([again.body.data.person.email, again.body.meta.creditsCharged]).toEqual([ADA.email, 0])
})

test('a repeat of a reveal that had nothing to reveal shows no channel that came later', async () => {
  const caller = await service.account({ credits: 100 })
  const [saved] =
    await service.sql`delete from private_channels where person_id = ${BEN.id} returning *`
  const read = () => caller.get(`/v1/people/${BEN.id}?include=private`, withKey('empty'))
  expect((await read()).body.meta.creditsCharged).toBe(5)
  await service.sql`insert into private_channels ${service.sql({ person_id: BEN.id, ...saved, email: 'ben@late.example' })}`
  const { body } = await read()
  expect([body.data.person.email, body.data.person.isLocked]).toEqual([null, true])
  expect(JSON.stringify(body)).not.toContain('ben@late.example')
})

test('on another path or query the key is a 400 idempotency_key_reused for 0 credits', async () => {
  const caller = await service.account({ credits: 100 })
  await caller.get(REVEAL, withKey('once'))
  for (const path of [`/v1/people/${BEN.id}?include=private`, `/v1/people/${ADA.id}`]) {
    const { status, body } = await caller.get(path, withKey('once'))
    expect([status, body.error.code]).toEqual([400, 'idempotency_key_reused'])
  }
  expect(await service.balance(caller.id)).toBe(90)
})

test.each([
  ['/v1/people?limit=1&sort=name', '/v1/people?sort=name&limit=1'],
  ['/v1/projects?sector=DeFi&sector=Lending', '/v1/projects?sector=Lending&sector=DeFi'],
])('%s and its parameters in another order are one call to a key', async (one, other) => {
  const caller = await service.account({ credits: 100 })
  await caller.get(one, withKey('order'))
  const { status, headers } = await caller.get(other, withKey('order'))
  expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(await service.balance(caller.id)).toBe(95)
})

test('a call that an earlier release charged is free to repeat during an upgrade, whatever the order of its parameters', async () => {
  const caller = await service.account({ credits: 100 })
  const path = '/v1/people?sort=name&limit=1'
  await caller.get(path, withKey('upgrade'))
  // Releases up to 1.6 bound the key to path and query as they were sent.
  const earlier = createHash('sha256').update(path).digest('hex')
  await service.sql`update idempotency_keys set fingerprint = ${earlier} where account_id = ${caller.id}`
  const { status, headers } = await caller.get(path, withKey('upgrade'))
  expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  const other = await caller.get('/v1/people?sort=name&limit=2', withKey('upgrade'))
  expect(other.body.error.code).toBe('idempotency_key_reused')
  expect(await service.balance(caller.id)).toBe(95)
})

test('a repeat is free though no record has the value of its filter any more, and one is near it', async () => {
  const caller = await service.account({ credits: 100 })
  const blind = await service.account({ credits: 100, scopes: [] })
  const path = '/v1/projects?sector=Lendings'
  const { id } = AURORA
  await service.sql`update companies set sectors = sectors || 'Lendings'::text where id = ${id}`
  await service.directory.refresh()
  const first = await caller.get(path, withKey('gone'))
  expect([first.body.total, first.body.meta.creditsCharged]).toEqual([1, 5])
  await service.sql`update companies set sectors = array_remove(sectors, 'Lendings') where id = ${id}`
  await service.directory.refresh()
  const again = await caller.get(path, withKey('gone'))
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect([again.body.total, again.body.meta]).toEqual([
    0,
    { creditsCharged: 0, creditsBalance: 95 },
  ])
  // Whoever did not pay for it gets the hint, also with a key.
  for (const headers of [{}, withKey('another')]) {
    expect((await caller.get(path, headers)).body.error.code).toBe('invalid_parameter')
  }
  expect((await blind.get(path, withKey('gone'))).body.error.code).toBe('invalid_parameter')
  expect((await caller.get('/v1/projects?sector=Lendin', withKey('gone'))).body.error.code).toBe(
    'idempotency_key_reused',
  )
  expect(await service.balance(caller.id)).toBe(95)
})

test('a key in quotes, as structured header fields have it, is the same key', async () => {
  const caller = await service.account({ credits: 100 })
  await caller.get('/v1/people', withKey('"quoted-1"'))
  const { status, headers } = await caller.get('/v1/people', withKey('quoted-1'))
  expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect((await caller.get('/v1/people', withKey('"half'))).status).toBe(400)
})

test('the key holds for 24 hours, then a call is charged anew', async () => {
  const caller = await service.account({ credits: 100 })
  await caller.get('/v1/people', withKey('day'))
  await clock.advance(86_399)
  expect((await caller.get('/v1/people', withKey('day'))).body.meta.creditsCharged).toBe(0)
  await clock.advance(1)
  expect((await caller.get('/v1/people', withKey('day'))).body.meta.creditsCharged).toBe(5)
})

test('accounts don’t share keys', async () => {
  const [one, two] = [await service.account({ credits: 5 }), await service.account({ credits: 5 })]
  await one.get('/v1/people', withKey('same'))
  expect((await two.get('/v1/people', withKey('same'))).body.meta.creditsCharged).toBe(5)
})

test('only a call that was charged binds its key', async () => {
  const caller = await service.account({ credits: 10 })
  const free = await service.account()
  const poor = await service.account({ tier: 'pro' })
  await caller.get(`/v1/people/${UNKNOWN_ID}`, withKey('k'))
  await caller.get('/v1/people?limt=1', withKey('k'))
  await caller.get('/v1/me', withKey('k'))
  await free.get('/v1/people', withKey('k'))
  await poor.get('/v1/people', withKey('k'))
  expect(
    await service.sql`
    select from idempotency_keys where account_id in ${service.sql([caller.id, free.id, poor.id])}`,
  ).toHaveLength(0)
  expect((await caller.get('/v1/people', withKey('k'))).body.meta.creditsCharged).toBe(5)
})

test('a repeat counts against the request rate like any call', async () => {
  const caller = await service.account({ credits: 10 })
  await caller.get('/v1/people', withKey('rate'))
  const { headers } = await caller.get('/v1/people', withKey('rate'))
  expect(headers.get('x-ratelimit-remaining')).toBe('118')
})

test.each(['', 'k'.repeat(65), 'with blank', 'a/b', 'ümlaut'])(
  'the Idempotency-Key %p is a 400 that says what is allowed',
  async (key) => {
    const caller = await service.account({ credits: 10 })
    const { status, body } = await caller.get('/v1/people', withKey(key))
    expect([status, body.error.code, body.error.parameter]).toEqual([
      400,
      'invalid_parameter',
      'Idempotency-Key',
    ])
    expect(body.error.allowed).toContain('1 to 64 characters')
    expect(await service.balance(caller.id)).toBe(10)
  },
)
