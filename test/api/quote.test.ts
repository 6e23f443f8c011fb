/** HEAD says what the GET that follows at once would cost, and how it would end; and changes nothing but the rate. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CALL_CREDITS, REVEAL_CREDITS, SCOPES } from '../../src/contract/endpoints.ts'
import { TIER_RULES, TIERS } from '../../src/contract/tiers.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { ADA, AURORA, EMBER, HARBOR } from '../helpers/fixtures.ts'
import type { Answer } from '../helpers/service.ts'
import { startClockedApi } from './setup.ts'

const { service, clock } = await startClockedApi()

const RUNS = Number(process.env.QUOTE_RUNS ?? 60)

const NAMES = ['service-outcome', 'service-credits-required', 'service-credits-balance'] as const
const saidBy = ({ headers }: Answer) => NAMES.map((name) => headers.get(name))

function ask(method: 'GET' | 'HEAD', path: string, key: string, more: Record<string, string> = {}) {
  return service.request(path, { method, headers: { authorization: `Bearer ${key}`, ...more } })
}

/** The tables that a call may write, but for the account's count of requests. */
async function writtenFor(id: string) {
  const [row] = await service.sql`
    select a.balance, a.unallotted, a.reveal_count, a.unlock_count,
           (select count(*)::integer from ledger where account_id = a.id) as entries,
           (select count(*)::integer from unlocks where account_id = a.id) as unlocks,
           (select coalesce(sum(repeats + 1), 0)::integer from idempotency_keys where account_id = a.id) as bound,
           (select coalesce(sum(spent), 0)::integer from key_caps where account_id = a.id) as spent
      from accounts a where a.id = ${id}`
  return row
}

const PATHS = [
  '/v1/me',
  '/v1/people?q=ada',
  '/v1/search?q=aurora',
  '/v1/search',
  '/v1/projects?sort=nonsense',
  `/v1/people/${ADA.slug}`,
  `/v1/people/${ADA.id}?include=private`,
  `/v1/people/${ADA.id}?include=private`,
  '/v1/people/nobody?include=private',
  `/v1/projects/${AURORA.slug}`,
  `/v1/investors/${EMBER.slug}`,
  `/v1/investors/${AURORA.slug}`,
  `/v1/services/${HARBOR.slug}`,
  '/v1/services/no-such-provider',
]

const state = fc.record({
  tier: fc.constantFrom(...TIERS),
  credits: fc.constantFrom(
    0,
    1,
    CALL_CREDITS - 1,
    CALL_CREDITS,
    REVEAL_CREDITS - 1,
    REVEAL_CREDITS,
    1_000,
  ),
  cap: fc.option(fc.constantFrom(1, 5, 9, 10, 20)),
  /** Requests that the window still allows; null: all. */
  rateLeft: fc.option(fc.nat(4), { freq: 3 }),
  revealsLeft: fc.option(fc.nat(1), { freq: 3 }),
  isUnlocked: fc.boolean(),
  mayReveal: fc.boolean(),
  isSuspended: fc.nat(15).map((drawn) => drawn === 7),
  calls: fc.array(
    fc.record({
      path: fc.constantFrom(...PATHS),
      idempotencyKey: fc.constantFrom(null, 'one', 'one', 'two'),
      afterSeconds: fc.constantFrom(0, 0, 0, 61, 90_000),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})
type State = typeof state extends fc.Arbitrary<infer S> ? S : never

const ORDINARY: State = {
  tier: 'pro',
  credits: 1_000,
  cap: null,
  rateLeft: null,
  revealsLeft: null,
  isUnlocked: false,
  mayReveal: true,
  isSuspended: false,
  calls: [],
}
const callOf = (
  path: string,
  idempotencyKey: State['calls'][number]['idempotencyKey'] = null,
): State['calls'][number] => ({ path, idempotencyKey, afterSeconds: 0 })
/** Come first, so that no chance leaves out what few random states lead to. */
const RARE: State[] = [
  { ...ORDINARY, isSuspended: true, calls: [callOf('/v1/me'), callOf('/v1/search')] },
  { ...ORDINARY, revealsLeft: 0, calls: [callOf(`/v1/people/${ADA.id}?include=private`)] },
  {
    ...ORDINARY,
    calls: [
      callOf('/v1/people?q=ada', 'one'),
      callOf('/v1/people?q=ada', 'one'),
      callOf('/v1/search?q=aurora', 'one'),
    ],
  },
]

/** An account in that state, and its key. */
async function accountIn({ tier, credits, cap, mayReveal, ...said }: State) {
  const { id } = await service.account({ tier, credits })
  const scopes = mayReveal ? SCOPES : SCOPES.slice(0, 1)
  const limits = cap === null ? {} : { cap: { credits: cap, period: 'day' as const } }
  const { key } = await createKey(service.database, id, 'quoted', scopes, limits)
  const { rateLimit, revealLimit } = TIER_RULES[tier]
  await service.sql`
    update accounts
       set rate_started_at = meter_now(), rate_count = ${rateLimit - (said.rateLeft ?? rateLimit)},
           reveal_started_at = meter_now(), reveal_count = ${revealLimit - (said.revealsLeft ?? revealLimit)},
           unlock_count = ${said.isUnlocked ? 1 : 0}
     where id = ${id}`
  if (said.isSuspended) await service.sql`select account_suspend(${id}, 'a reason')`
  if (said.isUnlocked) {
    await service.sql`insert into unlocks (account_id, person_id, at) values (${id}, ${ADA.id}, meter_now())`
  }
  return { id, key }
}

test(`over ${RUNS} random states, the GET that follows at once ends and costs as HEAD said, and HEAD wrote nothing`, async () => {
  const seen = new Set<string>()
  const follow = fc.asyncProperty(state, async (given) => {
    const { id, key } = await accountIn(given)
    for (const { path, idempotencyKey, afterSeconds } of given.calls) {
      if (afterSeconds > 0) await clock.advance(afterSeconds)
      const more: Record<string, string> = idempotencyKey
        ? { 'idempotency-key': idempotencyKey }
        : {}
      const before = await writtenFor(id)
      const head = await ask('HEAD', path, key, more)
      expect(await writtenFor(id)).toEqual(before)
      const get = await ask('GET', path, key, more)
      const [outcome = '', required, balance] = saidBy(head)
      seen.add(outcome ?? 'none')

      expect([head.status, head.text]).toEqual([get.status, ''])
      // What an instance remembers of a rate that is used up goes by the machine's clock, and this test sets the database's.
      const isOver = outcome === 'rate_limited'
      expect(outcome).toBe(endOf(get, path))
      const charged = get.body.meta?.creditsCharged ?? 0
      const isCharged = outcome === 'live' || outcome === 'first_reveal'
      expect(charged).toBe(isCharged ? Number(required) : 0)
      if (outcome === 'insufficient_credits' || outcome === 'sample') {
        const { creditsRequired, creditsBalance } = get.body.error ?? get.body.meta
        expect([required, balance]).toEqual([String(creditsRequired), String(creditsBalance)])
      } else if (get.status === 200) {
        expect(Number(balance) - charged).toBe(get.body.meta.creditsBalance)
      }
      if (isOver) break
    }
  })
  await fc.assert(follow, { numRuns: RUNS, seed: 56, examples: RARE.map((given) => [given]) })
  // Random states must lead to each of these, or they prove less than they seem to.
  expect([...seen].sort()).toEqual([
    'account_suspended',
    'first_reveal',
    'idempotency_key_reused',
    'insufficient_credits',
    'invalid_parameter',
    'key_cap_exceeded',
    'live',
    'missing_parameter',
    'missing_scope',
    'not_found',
    'rate_limited',
    'replayed',
    'reveal_cap_exceeded',
    'sample',
  ])
})

/** What a GET's answer is, in the words of HEAD. */
function endOf({ status, headers, body }: Answer, path: string): string {
  if (status !== 200) return body.error.code
  if (headers.has('service-sample')) return 'sample'
  if (headers.has('idempotent-replayed')) return 'replayed'
  return path.includes('private') && body.meta.creditsCharged === REVEAL_CREDITS
    ? 'first_reveal'
    : 'live'
}
