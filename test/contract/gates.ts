/**
 * Who gets what for which call: a table of callers by requests. It holds the order of the gates (of two that would both
 * refuse, the earlier one answers), every price, and that HEAD says beforehand how the GET ends and what it costs.
 */
import { expect } from 'bun:test'
import { ADA, BILLED_CALLS, CLEO, UNKNOWN_ID } from '../helpers/fixtures.ts'
import { endOf, expectWhole, group, quoteOf, type Suite } from './suite.ts'
import type { AccountOptions, Caller, World } from './world.ts'

/** Requests, in the order of the table's columns. */
const REQUESTS = {
  me: '/v1/me',
  list: '/v1/people?limit=1',
  read: `/v1/people/${ADA.slug}`,
  reveal: `/v1/people/${ADA.slug}?include=private`,
  /** A contact without a channel on file. */
  nothingToReveal: `/v1/people/${CLEO.slug}?include=private`,
  unknown: `/v1/people/${UNKNOWN_ID}`,
  unknownReveal: `/v1/people/${UNKNOWN_ID}?include=private`,
  misspelt: '/v1/people?limt=5',
  misspeltReveal: `/v1/people/${ADA.slug}?include=private&page=1`,
  planned: '/v1/network',
  noPath: '/v1/people/a/b',
} as const

type Ends = readonly string[]

interface CallerRow {
  who: string
  account?: AccountOptions
  /** Brings the account into a state. */
  prepare?: (world: World, caller: Caller) => Promise<unknown>
  /** Another key than the account's; null: none. */
  key?: string | null
  ends: Ends
}

const NO_PATH = ['not_live', 'not_found']
const PARAMETERS = ['unknown_parameter', 'unknown_parameter', ...NO_PATH]
/** Every endpoint with a key ends alike. */
const all = (code: string): Ends => [...Array(9).fill(code), ...NO_PATH]
const metadata = { scopes: ['read:metadata'] } as const

const overRate = (world: World, { id }: Caller) => world.sql`
  update accounts set rate_started_at = meter_now(), rate_count = 1000 where id = ${id}`
const overReveals = (world: World, { id }: Caller) => world.sql`
  update accounts set reveal_started_at = meter_now(), reveal_count = 1000 where id = ${id}`
const revoke = (world: World, { id }: Caller) => world.sql`
  update api_keys set revoked_at = meter_now() where account_id = ${id}`
const suspend = (world: World, { id }: Caller) =>
  world.sql`select account_suspend(${id}, 'a reason')`
const unlockAda = (world: World, { id }: Caller) => world.sql`
  with counted as (update accounts set unlock_count = 1 where id = ${id})
  insert into unlocks (account_id, person_id, at) values (${id}, ${ADA.id}, meter_now())`

const LIVE = ['live 0', 'live 5', 'live 5', 'first_reveal 10', 'live 5', 'not_found', 'not_found']
const TOO_FEW = 'insufficient_credits'
/** Nothing tells such an account whether there is a contact, and one with channels. */
const SAMPLES = [
  'live 0',
  'sample 5',
  'sample 5',
  'sample 10',
  'sample 10',
  'sample 5',
  'sample 10',
]
const REFUSED = ['live 0', ...Array(6).fill(TOO_FEW)]

const CALLERS: readonly CallerRow[] = [
  { who: 'nobody', key: null, ends: all('unauthorized') },
  { who: 'a key that is none', key: 'ck_live_nonsense', ends: all('unauthorized') },
  { who: 'a revoked key', account: { credits: 100 }, prepare: revoke, ends: all('unauthorized') },
  {
    who: 'a revoked key of an account over its rate',
    account: { credits: 100 },
    prepare: async (world, caller) => {
      await overRate(world, caller)
      await revoke(world, caller)
    },
    ends: all('unauthorized'),
  },
  {
    who: 'a key of other networks',
    account: { credits: 100, networks: ['203.0.113.0/24'] },
    ends: all('address_not_allowed'),
  },
  {
    who: 'an account over its rate',
    account: { ...metadata, credits: 100 },
    prepare: overRate,
    ends: all('rate_limited'),
  },
  {
    who: 'a suspended account',
    account: { credits: 100 },
    prepare: suspend,
    ends: all('account_suspended'),
  },
  {
    who: 'a suspended account over its rate',
    account: { credits: 100 },
    prepare: async (world, caller) => {
      await overRate(world, caller)
      await suspend(world, caller)
    },
    ends: all('rate_limited'),
  },
  {
    who: 'a key without read:metadata',
    account: { tier: 'pro', credits: 100, scopes: ['read:contacts'] },
    ends: [...Array(7).fill('missing_scope'), ...PARAMETERS],
  },
  {
    who: 'a key without read:contacts',
    account: { ...metadata, tier: 'pro', credits: 100 },
    ends: [
      ...LIVE.slice(0, 3),
      ...['missing_scope', 'missing_scope', 'not_found', 'missing_scope'],
      ...PARAMETERS,
    ],
  },
  {
    who: 'a free account without credits, a key without read:contacts',
    account: metadata,
    ends: [
      ...['live 0', 'sample 5', 'sample 5', 'missing_scope', 'missing_scope'],
      ...['sample 5', 'missing_scope', ...PARAMETERS],
    ],
  },
  {
    who: 'a paid account without credits, a key without read:contacts',
    account: { ...metadata, tier: 'pro' },
    ends: [
      ...['live 0', TOO_FEW, TOO_FEW, 'missing_scope', 'missing_scope'],
      ...[TOO_FEW, 'missing_scope', ...PARAMETERS],
    ],
  },
  ...([0, 4] as const).map((credits) => ({
    who: `a free account with ${credits} credits`,
    account: { credits },
    ends: [...SAMPLES, ...PARAMETERS],
  })),
  ...([5, 9] as const).map((credits) => ({
    who: `a free account with ${credits} credits`,
    account: { credits },
    ends: [...LIVE.slice(0, 3), 'sample 10', 'live 5', 'not_found', 'sample 10', ...PARAMETERS],
  })),
  ...(['starter', 'pro', 'team'] as const).map((tier) => ({
    who: `an account on ${tier} with 4 credits`,
    account: { tier, credits: 4 },
    ends: [...REFUSED, ...PARAMETERS],
  })),
  ...([5, 9] as const).map((credits) => ({
    who: `an account on pro with ${credits} credits`,
    account: { tier: 'pro' as const, credits },
    ends: [...LIVE.slice(0, 3), TOO_FEW, 'live 5', 'not_found', TOO_FEW, ...PARAMETERS],
  })),
  ...(['free', 'starter', 'pro', 'team'] as const).map((tier) => ({
    who: `an account on ${tier} with 10 credits`,
    account: { tier, credits: 10 },
    ends: [...LIVE, ...PARAMETERS],
  })),
  {
    who: 'an account on enterprise without credits',
    account: { tier: 'enterprise' },
    ends: [...LIVE, ...PARAMETERS],
  },
  {
    who: 'a free account with 5 credits that has unlocked the contact',
    account: { credits: 5 },
    prepare: unlockAda,
    ends: [...LIVE.slice(0, 3), 'live 5', 'live 5', 'not_found', 'sample 10', ...PARAMETERS],
  },
  {
    who: 'an account on pro over its reveal cap',
    account: { tier: 'pro', credits: 100 },
    prepare: overReveals,
    ends: [...LIVE.slice(0, 3), 'reveal_cap_exceeded', ...LIVE.slice(4), ...PARAMETERS],
  },
  ...(['free', 'pro'] as const).map((tier) => ({
    who: `an account on ${tier} with 9 credits over its reveal cap`,
    account: { tier, credits: 9 },
    prepare: overReveals,
    ends: [
      ...LIVE.slice(0, 3),
      tier === 'free' ? 'sample 10' : TOO_FEW,
      ...['live 5', 'not_found', tier === 'free' ? 'sample 10' : TOO_FEW, ...PARAMETERS],
    ],
  })),
  {
    who: 'an account over its reveal cap that has unlocked the contact',
    account: { tier: 'pro', credits: 100 },
    prepare: async (world, caller) => {
      await overReveals(world, caller)
      await unlockAda(world, caller)
    },
    ends: [...LIVE.slice(0, 3), 'live 5', ...LIVE.slice(4), ...PARAMETERS],
  },
  {
    who: 'a key that may spend 5 credits a day',
    account: { tier: 'pro', credits: 100, cap: { credits: 5, period: 'day' } },
    ends: [
      ...LIVE.slice(0, 3),
      ...['key_cap_exceeded', 'live 5', 'not_found', 'key_cap_exceeded', ...PARAMETERS],
    ],
  },
  {
    who: 'a key that may spend 4 credits a month',
    account: { tier: 'pro', credits: 100, cap: { credits: 4, period: 'month' } },
    ends: ['live 0', ...Array(6).fill('key_cap_exceeded'), ...PARAMETERS],
  },
]

export function gates(suite: Suite): void {
  group(suite, 'contract/Errors, Limits, Credit prices', ({ story }) => {
    for (const row of CALLERS) {
      story(`${row.who}: each call ends, and costs, as HEAD says before it`, async (world) => {
        const ends: [string, string][] = []
        for (const [request, path] of Object.entries(REQUESTS)) {
          ends.push([request, await endFor(world, row, path)])
        }
        expect(ends).toEqual(Object.keys(REQUESTS).map((name, n) => [name, row.ends[n] ?? '']))
      })
    }

    for (const path of BILLED_CALLS) {
      story(
        `GET ${path} costs 5, needs read:metadata, and is a sample or a 402 without credits`,
        async (world) => {
          const paid = { tier: 'pro', credits: 5 } as const
          const callers: [CallerRow, string][] = [
            [{ who: '', account: paid, ends: [] }, 'live 5'],
            [
              { who: '', account: { ...paid, scopes: ['read:contacts'] }, ends: [] },
              'missing_scope',
            ],
            [{ who: '', account: { ...paid, credits: 4 }, ends: [] }, TOO_FEW],
            [{ who: '', ends: [] }, 'sample 5'],
            [{ who: '', key: null, ends: [] }, 'unauthorized'],
          ]
          for (const [row, end] of callers) expect(await endFor(world, row, path)).toBe(end)
        },
      )
    }
  })
}

/** Ends after the price was compared with the balance, which HEAD says with price and balance. */
const PRICED =
  /^(live|first_reveal|sample|insufficient_credits|key_cap_exceeded|not_found|reveal_cap)/

/** The end of a HEAD and of the GET after it, by an account made for them; the books say what the answers say. */
async function endFor(world: World, row: CallerRow, path: string): Promise<string> {
  const { account = {}, prepare, key } = row
  const caller = await world.account(account)
  await prepare?.(world, caller)
  const headers = {
    ...world.fromElsewhere(),
    ...(key !== null && { authorization: `Bearer ${key ?? caller.key}` }),
  }
  const before = await world.balance(caller)
  const head = await world.api(path, { method: 'HEAD', headers })
  expectWhole(world, head, 'HEAD')
  const written = async () => [await world.ledger(caller), await world.unlocks(caller)]
  const untouched = await written()
  const get = await world.api(path, { headers })
  expectWhole(world, get)
  const end = endOf(get)
  expect([
    head.status,
    path === REQUESTS.planned || path === REQUESTS.noPath ? end : quoteOf(head),
  ]).toEqual([get.status, end])
  const { meta, error } = get.body
  const charged = meta?.creditsCharged ?? 0
  expect([await world.balance(caller), before - charged]).toEqual([
    before - charged,
    meta?.creditsBalance ?? before,
  ])
  if (charged === 0) expect(await written()).toEqual(untouched)
  const quoted = ['required', 'balance'].map((name) => head.headers[`service-credits-${name}`])
  const isPriced = PRICED.test(end) && path !== REQUESTS.noPath
  expect([end, ...quoted.map((value) => value !== undefined)]).toEqual([end, isPriced, isPriced])
  if (end === TOO_FEW || end.startsWith('sample')) {
    const { creditsRequired, creditsBalance } = error ?? meta
    expect(quoted).toEqual([String(creditsRequired), String(before)])
    expect(creditsBalance).toBe(before)
  }
  return end
}
