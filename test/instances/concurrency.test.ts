/** Two instances on one PostgreSQL, of one process and of several (INSTANCE_WORKERS): every limit and every balance is shared exactly. */
import { beforeAll, expect, test } from 'bun:test'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { newCaller } from '../helpers/caller.ts'
import { get } from '../helpers/command.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { sharedDatabase, sharedServer } from '../helpers/shared.ts'
import {
  expectLedgerToAgree,
  expectLimitsToHold,
  INSTANCE_WORKERS,
  load,
  loadAccounts,
} from './load.ts'

const db = sharedDatabase(fixtures)
const servers = INSTANCE_WORKERS.map((workers) =>
  sharedServer(() => ({ DATABASE_URL: db.url, LOG_LEVEL: 'error', WORKERS: workers })),
)
let urls: string[] = []

const CALLS = 10_000
/** Number of simultaneous calls that reach every process of both instances. */
const ALL = 16

beforeAll(() => {
  urls = servers.map((server) => server.apiUrl)
})

const caller = (tier: 'free' | 'pro' | 'team', credits: number) =>
  newCaller(db.database, { tier, credits })

/** Simultaneous calls over the instances in turn. A call that waited too long isn't charged, and is repeated. */
function atOnce(count: number, key: string, path: string) {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      for (;;) {
        const answer = await get(`${urls[i % urls.length]}${path}`, key)
        if (answer.status !== 503 || answer.body.error.charged !== 0) return answer
      }
    }),
  )
}

test('10,000 mixed calls over 50 accounts from 64 connections add up to the credit', async () => {
  const accounts = await loadAccounts(db.database, 50)
  const seen = await load({ urls, accounts, connections: 64, calls: CALLS })
  expect(seen).toHaveLength(CALLS)
  expect(seen.filter(({ status }) => status === 0 || status >= 500)).toEqual([])
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 400, 402, 404, 429]))
  await expectLedgerToAgree(db.sql, accounts, seen)
  expectLimitsToHold(seen)
})

test('50 simultaneous first reveals over two instances: one 10, forty-nine 5, one unlock', async () => {
  const { id, key } = await caller('pro', 1_000)
  const answers = await atOnce(50, key, `/v1/people/${ADA.id}?include=private`)
  const charged = answers.map(({ body }) => body.meta.creditsCharged).sort((a, b) => b - a)
  expect(charged).toEqual([10, ...Array<number>(49).fill(5)])
  for (const { body } of answers) expect(body.data.person.email).toBe(ADA.email)
  const [row] =
    await db.sql`select count(*)::integer as unlocks from unlocks where account_id = ${id}`
  expect(row?.unlocks).toBe(1)
})

test('100 simultaneous calls on 250 credits: exactly 50 live answers, the rest samples', async () => {
  const { key } = await caller('free', 250)
  const answers = await atOnce(100, key, '/v1/projects?limit=1')
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
  expect(answers.filter(({ body }) => !body.sample)).toHaveLength(50)
  expect(answers.filter(({ body }) => body.sample === true)).toHaveLength(50)
})

test('contract/Errors: two calls on the last 5 credits of a paid key: one answer, one 402', async () => {
  const { key } = await caller('pro', 5)
  const answers = await atOnce(2, key, '/v1/projects')
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402])
})

test('a key revoked through one instance’s database is refused by both at its next request', async () => {
  const { key } = await caller('pro', 100)
  const statuses = async () => {
    const answers = await atOnce(ALL, key, '/v1/projects')
    return answers.map(({ status }) => status)
  }
  expect(await statuses()).toEqual(Array(ALL).fill(200))
  await db.sql`update api_keys set revoked_at = now() where account_id = (select account_id from api_keys order by created_at desc limit 1)`
  expect(await statuses()).toEqual(Array(ALL).fill(401))
})

test('a tier raised while an account is over its rate is seen within a second by both', async () => {
  const { id, key } = await caller('pro', 10_000)
  const first = await atOnce(130, key, '/v1/me')
  expect(first.filter(({ status }) => status === 200)).toHaveLength(120)
  await setAccount(db.database, id, { tier: 'team' })
  await new Promise((resolve) => setTimeout(resolve, 1_050))
  const raised = await atOnce(ALL, key, '/v1/me')
  expect(raised.map(({ status }) => status)).toEqual(Array(ALL).fill(200))
})
