/** What time does: windows, ends of credits, keys and repeats. On a PostgreSQL whose clock the test sets. */
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { REFUSAL_PAUSE_MS } from '../../src/api/refusals.ts'
import { IDEMPOTENT_REPEATS } from '../../src/contract/headers.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { startClock } from '../helpers/clock.ts'
import { ADA, AURORA, BEN, crowdId, DAN, FANG } from '../helpers/fixtures.ts'
import { postgresService } from '../helpers/service.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import { worldOf } from './in-process.ts'
import { endOf } from './suite.ts'
import { type Caller, ENVIRONMENT, fillDirectory, type Received } from './world.ts'

const START = '2026-01-31T10:00:00.000Z'
const DAY = 86_400
const LIST = '/v1/people?limit=1'

const service = await postgresService(fillDirectory, ENVIRONMENT)
const { database, directory, sql } = service
const world = worldOf(service)
const clock = await startClock(sql, START)

const reveal = (id: string) => `/v1/people/${id}?include=private`
const withKey = (key: string) => ({ 'idempotency-key': key })
const rateOf = ({ headers }: Received) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]))
const remainingOf = (answer: Received) => rateOf(answer)[1]

/** Sends free calls, of which few enough wait together to keep their deadline. */
async function calls(caller: Caller, count: number) {
  const answers: Received[] = []
  while (answers.length < count) {
    const length = Math.min(40, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length }, () => caller.get('/v1/me')))))
  }
  const ok = answers.filter(({ status }) => status === 200).length
  return { ok, refused: answers.filter(({ status }) => status === 429).length }
}

/** Asks while the instance remembers a limit, of which it never says more than a window. */
async function untilOpen(ask: () => Promise<Received>) {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 429) return answer
    expect(Number(answer.headers['retry-after'])).toBeWithin(1, 61)
  }
}

describe('contract/Limits: request rates', () => {
  test.each([
    ['free', 120, 60],
    ['starter', 120, 60],
    ['pro', 120, 60],
    ['team', 300, 60],
    ['enterprise', 5, 1],
  ] as const)('on %s %d requests in %d s are answered', async (tier, limit, seconds) => {
    const caller = await world.account({ tier })
    expect(await calls(caller, limit)).toEqual({ ok: limit, refused: 0 })
    const refused = await caller.get('/v1/me')
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect(rateOf(refused)).toEqual([limit, 0, clock.now() / 1_000 + seconds])
    expect(refused.headers['retry-after']).toBe(String(seconds))
  })

  test('a window starts at the first call after the last one ended, and Reset is its end', async () => {
    const caller = await world.account()
    const first = clock.now() / 1_000
    expect(rateOf(await caller.get('/v1/me'))).toEqual([120, 119, first + 60])
    await clock.advance(59.9)
    expect(rateOf(await caller.get('/v1/me'))).toEqual([120, 118, first + 60])
    await clock.advance(30.1)
    expect(rateOf(await caller.get('/v1/me'))).toEqual([120, 119, first + 150])
  })

  test('when the window has ended the account is answered again', async () => {
    const caller = await world.account()
    await calls(caller, 120)
    await clock.advance(59.99)
    const { status, headers } = await caller.get('/v1/me')
    expect([status, headers['retry-after']]).toEqual([429, '1'])
    await clock.advance(0.01)
    expect(remainingOf(await untilOpen(() => caller.get('/v1/me')))).toBe(119)
  })

  test('a client that asks again as soon as it is refused is held back each time', async () => {
    const refusals = 4
    const caller = await world.account()
    await calls(caller, 121)
    const startedMs = performance.now()
    for (let n = 0; n < refusals; n++) expect((await caller.get('/v1/me')).status).toBe(429)
    // Never less, however fast the machine: timers count whole milliseconds.
    expect(performance.now() - startedMs).toBeGreaterThan(refusals * (REFUSAL_PAUSE_MS - 1))
  })

  test('the rate is the account’s: its keys share it, others don’t, and a higher plan counts at once', async () => {
    const [caller, other] = [await world.account(), await world.account()]
    const { key } = await createKey(database, caller.id, 'second', ['read:metadata'])
    const second = world.caller(caller.id, key)
    await calls(caller, 120)
    expect((await second.get('/v1/me')).status).toBe(429)
    expect(await calls(other, 3)).toEqual({ ok: 3, refused: 0 })
    await setAccount(database, caller.id, { tier: 'team' })
    expect(remainingOf(await untilOpen(() => second.get('/v1/me')))).toBe(179)
  })

  test('HEAD as the last request of the window is answered, and the one after it says when to come back', async () => {
    const caller = await world.account({ tier: 'pro', credits: 100 })
    await sql`update accounts set rate_started_at = meter_now(), rate_count = 118 where id = ${caller.id}`
    const heads = [await caller.head('/v1/people'), await caller.head('/v1/people')]
    expect(heads.map(({ status }) => status)).toEqual([200, 429])
    expect(heads[1]?.headers).toMatchObject({
      'retry-after': '60',
      'service-outcome': 'rate_limited',
    })
  })
})

describe('contract/Limits: private reveals', () => {
  test('on free 60 first reveals an hour, and rereading an unlocked contact takes none', async () => {
    const caller = await world.account({ credits: 2_000 })
    const ids = Array.from({ length: 60 }, (_, n) => crowdId(n + 1))
    const answers = await Promise.all(ids.map((id) => caller.get(reveal(id))))
    expect(new Set(answers.map(endOf))).toEqual(new Set(['first_reveal 10']))
    const refused = await caller.get(reveal(ADA.id))
    expect([endOf(refused), refused.headers['retry-after']]).toEqual([
      'reveal_cap_exceeded',
      '3600',
    ])
    expect(endOf(await caller.get(reveal(crowdId(1))))).toBe('live 5')
    expect(await world.balance(caller)).toBe(2_000 - 600 - 5)
  })

  test.each([
    ['free', 60],
    ['starter', 600],
    ['pro', 600],
    ['team', 600],
    ['enterprise', 600],
  ] as const)('on %s %d in an hour, then they begin anew', async (tier, cap) => {
    const caller = await world.account({ tier, credits: 1_000 })
    await sql`
      update accounts set reveal_started_at = meter_now(), reveal_count = ${cap - 1} where id = ${caller.id}`
    expect(endOf(await caller.get(reveal(ADA.id)))).toBe('first_reveal 10')
    await clock.advance(3_599)
    const refused = await caller.get(reveal(BEN.id))
    expect([endOf(refused), refused.headers['retry-after']]).toEqual(['reveal_cap_exceeded', '1'])
    await clock.advance(1)
    expect(endOf(await caller.get(reveal(BEN.id)))).toBe('first_reveal 10')
  })
})

describe('contract/Rules 5: credits end', () => {
  test('trial credits last 7 days, and are gone before the first call after that is decided', async () => {
    const caller = await world.account()
    await grantCredits(database, caller.id, 20, 'trial')
    await clock.advance(7 * DAY - 1)
    expect((await caller.get(LIST)).body.meta.creditsBalance).toBe(15)
    await clock.advance(1)
    const { body } = await caller.get(LIST)
    expect([body.sample, body.meta.creditsBalance]).toEqual([true, 0])
    expect((await world.ledger(caller)).at(-1)).toBe('expiry -15')
  })

  test('the soonest to expire is spent first: a top-up outlives the trial beside it', async () => {
    const caller = await world.account({ credits: 10 })
    await grantCredits(database, caller.id, 10, 'trial')
    await caller.get(LIST)
    await clock.advance(8 * DAY)
    expect((await caller.get('/v1/me')).body.creditsBalance).toBe(10)
  })

  test('referral credits count like any others and never expire', async () => {
    const caller = await world.account()
    await grantCredits(database, caller.id, 5, 'referral')
    await clock.advance(400 * DAY)
    expect(endOf(await caller.get(LIST))).toBe('live 5')
  })
})

describe('keys', () => {
  test('past its end a key is refused, also where it was known to be in force', async () => {
    const caller = await world.account({ expiresSeconds: 60 })
    const expiresAt = new Date(clock.now() + 60_000).toISOString()
    expect((await caller.get('/v1/me')).body.apiKey.expiresAt).toBe(expiresAt)
    await clock.advance(60)
    expect(endOf(await caller.get('/v1/me'))).toBe('unauthorized')
  })

  test('a cap begins anew with the day or month of UTC', async () => {
    await clock.set('2027-01-31T23:59:59.000Z')
    const callers: Caller[] = []
    for (const period of ['day', 'month'] as const) {
      const cap = { credits: 5, period }
      callers.push(await world.account({ tier: 'pro', credits: 100, cap }))
    }
    for (const caller of callers) {
      expect(endOf(await caller.get(LIST))).toBe('live 5')
      const { body } = await caller.get(LIST)
      expect(body.error).toMatchObject({
        code: 'key_cap_exceeded',
        renewsAt: '2027-02-01T00:00:00.000Z',
      })
    }
    await clock.advance(1)
    for (const caller of callers) {
      expect(endOf(await caller.get(LIST))).toBe('live 5')
      expect(endOf(await caller.get(LIST))).toBe('key_cap_exceeded')
    }
    await clock.advance(DAY)
    const [daily, monthly] = await Promise.all(callers.map((caller) => caller.get(LIST)))
    expect([daily, monthly].map((answer) => answer && endOf(answer))).toEqual([
      'live 5',
      'key_cap_exceeded',
    ])
  })
})

describe('Idempotency-Key', () => {
  test('holds for 24 hours, in which it is repeated five times; then a call is charged anew', async () => {
    const caller = await world.account({ credits: 100 })
    const ask = async () => endOf(await caller.get(LIST, withKey('day')))
    expect(await ask()).toBe('live 5')
    await clock.advance(DAY - 1)
    for (let n = 0; n < IDEMPOTENT_REPEATS; n++) expect(await ask()).toBe('replayed 0')
    expect(await ask()).toBe('idempotency_key_exhausted')
    await clock.advance(1)
    expect([await ask(), await ask()]).toEqual(['live 5', 'replayed 0'])
    expect(await world.balance(caller)).toBe(90)
  })

  test('a repeat shows no channel of a contact that was unlocked after its first call', async () => {
    const caller = await world.account({ credits: 100 })
    const shown = async (key: string) => {
      const answer = await caller.get(`/v1/people/${ADA.id}`, withKey(key))
      const { isLocked, email } = answer.body.data.person
      return [endOf(answer), isLocked, email]
    }
    expect(await shown('early')).toEqual(['live 5', true, null])
    await clock.advance(1)
    await caller.get(reveal(ADA.id))
    expect(await shown('early')).toEqual(['replayed 0', true, null])
    expect(await shown('late')).toEqual(['live 5', false, ADA.email])
    await clock.advance(1)
    expect(await shown('late')).toEqual(['replayed 0', false, ADA.email])
  })

  test('a repeat of a reveal that had nothing to reveal shows no channel that came later', async () => {
    const caller = await world.account({ credits: 100 })
    const [saved] = await sql`delete from private_channels where person_id = ${BEN.id} returning *`
    expect(endOf(await caller.get(reveal(BEN.id), withKey('empty')))).toBe('live 5')
    const late = { person_id: BEN.id, ...saved, email: 'ben@late.example' }
    await sql`insert into private_channels ${sql(late)}`
    const { body, text } = await caller.get(reveal(BEN.id), withKey('empty'))
    expect([body.data.person.email, body.data.person.isLocked]).toEqual([null, true])
    expect(text).not.toContain('ben@late.example')
    await sql`update private_channels set email = ${BEN.email} where person_id = ${BEN.id}`
  })

  test('a call that an earlier release charged is free to repeat during an upgrade', async () => {
    const caller = await world.account({ credits: 100 })
    const path = '/v1/people?sort=name&limit=1'
    await caller.get(path, withKey('upgrade'))
    // Releases up to 1.6 bound the key to path and query as they were sent.
    const earlier = createHash('sha256').update(path).digest('hex')
    await sql`update idempotency_keys set fingerprint = ${earlier} where account_id = ${caller.id}`
    expect(endOf(await caller.get(path, withKey('upgrade')))).toBe('replayed 0')
    const other = await caller.get('/v1/people?sort=name&limit=2', withKey('upgrade'))
    expect(endOf(other)).toBe('idempotency_key_reused')
  })

  test('a repeat is free though no record has the value of its filter any more, and one is near it', async () => {
    const caller = await world.account({ credits: 100 })
    const blind = await world.account({ credits: 100, scopes: [] })
    const path = '/v1/projects?sector=Lendings'
    const { id } = AURORA
    await sql`update companies set sectors = sectors || 'Lendings'::text where id = ${id}`
    await directory.refresh()
    const first = await caller.get(path, withKey('gone'))
    expect([first.body.total, endOf(first)]).toEqual([1, 'live 5'])
    await sql`update companies set sectors = array_remove(sectors, 'Lendings') where id = ${id}`
    await directory.refresh()
    const again = await caller.get(path, withKey('gone'))
    expect([again.body.total, endOf(again)]).toEqual([0, 'replayed 0'])
    // Whoever did not pay for it gets the hint, also with a key.
    for (const answer of [
      await caller.get(path),
      await caller.get(path, withKey('another')),
      await blind.get(path, withKey('gone')),
    ]) {
      expect(endOf(answer)).toBe('invalid_parameter')
    }
    const near = await caller.get('/v1/projects?sector=Lendin', withKey('gone'))
    expect(endOf(near)).toBe('idempotency_key_reused')
  })
})

describe('a clock of the database that ran ahead by two hours and is right again', () => {
  test('keeps no account at 429', async () => {
    const caller = await world.account()
    const right = clock.now()
    await clock.advance(7_200)
    expect(await calls(caller, 121)).toEqual({ ok: 120, refused: 1 })
    await clock.set(right)
    const answer = await untilOpen(() => caller.get('/v1/me'))
    expect(rateOf(answer)).toEqual([120, 119, Math.ceil(right / 1_000) + 60])
  })

  test('keeps no address shut', async () => {
    const right = clock.now()
    const headers = world.fromElsewhere()
    const reject = () => world.api('/v1/me', { headers })
    await clock.advance(7_200)
    for (let count = 0; count < 20; count++) expect((await reject()).status).toBe(401)
    expect((await reject()).status).toBe(429)
    await clock.set(right)
    const answer = await untilOpen(reject)
    expect([answer.status, remainingOf(answer)]).toEqual([401, 19])
  })

  test('ends no key before its end, on the instance that had refused it', async () => {
    const caller = await world.account({ expiresSeconds: 3_600 })
    const ask = async () => (await caller.get('/v1/me', world.fromElsewhere())).status
    const right = clock.now()
    expect(await ask()).toBe(200)
    await clock.advance(7_200)
    expect([await ask(), await ask()]).toEqual([401, 401])
    await clock.set(right)
    while ((await ask()) !== 200) await Bun.sleep(50)
    await clock.advance(3_600)
    expect(await ask()).toBe(401)
  })
})

describe('a directory in memory that is behind the database', () => {
  /** Changes the database without a word to the change log, so that no follower hears of it. */
  const unheard = async (table: 'people' | 'private_channels', id: string) => {
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`delete from ${tx(table)} where ${tx(table === 'people' ? 'id' : 'person_id')} = ${id}`
    })
  }

  test('the reveal of a contact whose last channel went costs 5, and the contact stays locked', async () => {
    const caller = await world.account({ credits: 100 })
    await unheard('private_channels', FANG.id)
    const answer = await caller.get(reveal(FANG.id))
    const { isLocked, phone } = answer.body.data.person
    expect([endOf(answer), answer.body.creditsCharged, isLocked, phone]).toEqual([
      'live 5',
      undefined,
      true,
      null,
    ])
    expect(await world.unlocks(caller)).toEqual([])
  })

  test('reveal and read of a person who was deleted are a 404 and cost nothing', async () => {
    const caller = await world.account({ credits: 100 })
    await unheard('people', DAN.id)
    for (const path of [reveal(DAN.id), `/v1/people/${DAN.id}`]) {
      expect(endOf(await caller.get(path))).toBe('not_found')
    }
    expect([await world.balance(caller), await world.unlocks(caller)]).toEqual([100, []])
  })
})

test('after all of it the books balance', () => expectBooksToBalance(sql))
