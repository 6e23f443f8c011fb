/** command line: what an operator does, with the real process on a real PostgreSQL. */
import { describe, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isWellFormed } from '../../../src/money/accounts/api-key.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { commandsIn } from './cli.ts'

/** How long a call of the API waits for a statement. */
const API_DEADLINE_MS = 2_000
const NOBODY = '0190a000-0000-7000-8000-000000000999'

const database = sharedDatabase()
const { chainkin, done, refused } = commandsIn(() => ({ DATABASE_URL: database.url }))

const ACCOUNT = 'account create --name Ada --email ada@example.com --tier pro'.split(' ')
const newAccount = (...options: string[]) => done(...ACCOUNT, ...options)

describe.concurrent('accounts', () => {
  test('account create gives the id and what was made; show and list give it back', async () => {
    const made = await newAccount('--credits', '25', '--organization', 'Analytical Engines')
    expect(made).toEqual({
      id: made.id,
      name: 'Ada',
      email: 'ada@example.com',
      tier: 'pro',
      organization: 'Analytical Engines',
      creditsBalance: 25,
    })
    const [shown, { accounts }] = await Promise.all([
      done('account', 'show', made.id),
      done('account', 'list'),
    ])
    expect(shown).toMatchObject(made)
    expect(accounts.find(({ id }: { id: string }) => id === made.id)).toEqual(shown)
  })

  test('account set changes what is named and nothing else; - takes the organization away', async () => {
    const { id } = await newAccount('--organization', 'Old')
    const changed = await done('account', 'set', id, '--tier', 'team', '--organization', '-')
    expect(changed).toMatchObject({ id, name: 'Ada', tier: 'team', organization: null })
  })

  test('a command waits for what another transaction holds, longer than a call of the API would, and then does it', async () => {
    const { id } = await newAccount()
    const held = await database.sql.reserve()
    await held`begin`
    await held`select from accounts where id = ${id} for update`
    let isOver = false
    const changed = done('account', 'set', id, '--tier', 'team').finally(() => {
      isOver = true
    })
    const isWaitingLonger = async () => {
      const rows = await database.sql`
        select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and clock_timestamp() - query_start > ${API_DEADLINE_MS + 500} * interval '1 ms'`
      return rows.length > 0
    }
    while (!isOver && !(await isWaitingLonger())) await pause(50)
    await held`commit`
    held.release()
    expect(await changed).toMatchObject({ id, tier: 'team' })
  })

  test('an id of nobody is refused with a reason by every command that reads', async () => {
    const reads = ['account show', 'account notes', 'credits list', 'key list', 'usage']
    const reasons = await Promise.all(reads.map((read) => refused(...read.split(' '), NOBODY)))
    expect(new Set(reasons)).toEqual(new Set([`there is no account ${NOBODY}`]))
  })

  test('without --json people get lines on stdout, and nothing on stderr', async () => {
    const { id } = await newAccount()
    const { code, stdout, stderr } = await chainkin(['account', 'show', id])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('ada@example.com')
    expect(() => JSON.parse(stdout)).toThrow()
  })
})

describe.concurrent('credits and plans', () => {
  test('credits grant gives the balance after; credits list shows each grant with what is left and when it ends', async () => {
    const { id } = await newAccount()
    expect((await done('credits', 'grant', id, '10', '--source', 'topup')).balance).toBe(10)
    const grant = await done('credits', 'grant', id, '7', '--source', 'trial', '--expires', '3d')
    expect(grant).toEqual({ id, granted: 7, source: 'trial', balance: 17 })
    const at = ['--source', 'referral', '--expires', '2090-01-31T00:00:00Z']
    expect((await done('credits', 'grant', id, '3', ...at)).balance).toBe(20)
    const { grants } = await done('credits', 'list', id)
    const lines = grants.map((one: Record<string, unknown>) => [
      one.source,
      one.amount,
      one.remaining,
    ])
    expect(lines).toEqual([
      ['trial', 7, 7],
      ['referral', 3, 3],
      ['topup', 10, 10],
    ])
    expect([grants[1].expiresAt, grants[2].expiresAt]).toEqual(['2090-01-31T00:00:00.000Z', null])
  })

  test('contract/Plans: plan start, stop and list', async () => {
    const { id } = await newAccount()
    const started = await done('plan', 'start', id, 'essential', '--renews')
    expect(started).toMatchObject({
      tier: 'starter',
      plan: 'essential',
      planRenews: true,
      creditsBalance: 3_000,
    })
    const ending = await done('plan', 'stop', id, '--at-end')
    expect(ending).toMatchObject({ plan: 'essential', planRenews: false, creditsBalance: 3_000 })
    expect(await done('plan', 'stop', id)).toMatchObject({
      tier: 'free',
      plan: null,
      creditsBalance: 0,
    })
    expect(await refused('plan', 'stop', id)).toContain('no plan')
    const { plans } = await done('plan', 'list')
    const table = plans.map((plan: Record<string, unknown>) => [
      plan.name,
      plan.usdPerMonth,
      plan.credits,
      plan.extras,
    ])
    expect(table).toEqual([
      ['essential', 49, 3_000, 'CSV export'],
      ['pro', 99, 6_000, 'bulk search'],
      ['team', 249, 15_000, 'shared workspace'],
      ['enterprise', null, null, 'no credit ceiling'],
    ])
  })

  test('usage sums the ledger by day, endpoint or key', async () => {
    const { id } = await newAccount()
    const { id: key } = await done('key', 'create', id, '--label', 'app')
    const [entry] = await database.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      select ${id}, now(), 'charge', -5, 0, '/v1/people', ${key} from generate_series(1, 3)
      returning (at at time zone 'UTC')::date::text as day`
    const by = async (group: string) => (await done('usage', id, '--by', group)).usage
    expect(await by('endpoint')).toEqual([{ group: '/v1/people', calls: 3, credits: 15 }])
    expect(await by('key')).toEqual([{ group: key, calls: 3, credits: 15 }])
    const [day] = (await done('usage', id, '--since', '1h')).usage
    expect(day).toEqual({ group: entry?.day, calls: 3, credits: 15 })
  })
})

describe.concurrent('keys', () => {
  test('key create shows the key this once; list shows its prefix only; revoke ends it once', async () => {
    const { id: account } = await newAccount()
    const options = '--label laptop --scopes read:metadata'.split(' ')
    const made = await done('key', 'create', account, ...options)
    expect(isWellFormed(made.key)).toBe(true)
    expect(Object.keys(made)).toEqual(['id', 'key', 'prefix', 'label', 'scopes'])
    expect(made).toMatchObject({
      label: 'laptop',
      scopes: ['read:metadata'],
      prefix: made.key.slice(0, 14),
    })
    const list = await chainkin(['key', 'list', account, '--json'])
    expect(list.stdout).not.toContain(made.key)
    const [key] = list.json().keys
    expect(key).toMatchObject({
      id: made.id,
      prefix: made.prefix,
      environment: 'live',
      revokedAt: null,
    })
    expect(await done('key', 'revoke', made.id)).toEqual({ id: made.id, revoked: true })
    expect(await refused('key', 'revoke', made.id)).toContain('no key')
    expect((await done('key', 'list', account)).keys[0].revokedAt).toBeString()
  })

  test('limits are given at its making, listed, and said in full where one is wrong', async () => {
    const { id: account } = await newAccount()
    const create = (...limits: string[]) => ['key', 'create', account, '--label', 'x', ...limits]
    const cap = ['--cap', '1000', '--cap-period', 'day']
    const made = await done(
      ...create(...cap, '--expires', '90d', '--networks', '203.0.113.0/24,::1'),
    )
    expect(made).toMatchObject({
      cap: { credits: 1_000, period: 'day' },
      networks: ['203.0.113.0/24', '::1'],
    })
    const [key] = (await done('key', 'list', account)).keys
    expect(key).toMatchObject({
      ...{
        cap: { credits: 1_000, spent: 0 },
        networks: ['203.0.113.0/24', '::1'],
        revokedAt: null,
      },
    })
    expect(made.expiresAt).toBe(key.expiresAt)
    const days = (Date.parse(key.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeCloseTo(90, 1)
    const shown = await chainkin(['key', 'list', account])
    expect(shown.stdout).toContain(
      'spent 0 of 1000 credits this day  from 203.0.113.0/24, ::1  ends ',
    )
    expect(await refused(...create('--cap', '5'))).toContain('--cap-period')
    for (const [option, value, expected] of [
      ['--cap-period', 'week', 'day, month'],
      ['--networks', '203.0.113.0/40', 'networks like 203.0.113.0/24'],
    ] as const) {
      const { code, stderr } = await chainkin(create(option, value))
      expect([code, stderr]).toEqual([2, expect.stringContaining(expected)])
    }
    expect((await done('key', 'list', account)).keys).toHaveLength(1)
  })
})
