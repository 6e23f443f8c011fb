/**
 * Two instances answer billed calls while exports and bulk searches run in two copies each, members are removed in
 * the middle of a download, and people are erased and merged: the credits that callers were told of, the ledger and
 * the balances are one sum. `BILLED_CALLS` says how many calls; 100,000 take some ten minutes.
 */
import { beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { SCOPES, WEB_OPERATIONS } from '../../src/contract/endpoints.ts'
import { erasePerson } from '../../src/intake/editing/data-subject.ts'
import { mergeRecords } from '../../src/intake/editing/edit.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { newToken } from '../../src/people/users/tokens.ts'
import { crowd, crowdId, fixtures, BILLED_CALLS as PATHS } from '../helpers/fixtures.ts'
import { LIMIT_MS } from '../helpers/limit.ts'
import { sharedDatabase, sharedServer } from '../helpers/shared.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import { formIn } from '../site/reading.ts'
import { INSTANCE_WORKERS } from './load.ts'

const CALLS = Number(process.env.BILLED_CALLS ?? 2_000)
const CALLERS = 40
const CONNECTIONS = 12
const CROWD = 2_150
const LINES = Array.from({ length: 45 }, (_, n) => `member ${String(n + 1).padStart(4, '0')}`)
const EXPORT = '/export/people?q=xu'
const { csvExport, bulkSearch } = WEB_OPERATIONS

const db = sharedDatabase(async (database) => {
  await fixtures(database)
  await crowd(database, CROWD)
})
const servers = INSTANCE_WORKERS.map((workers) =>
  sharedServer(() => ({
    DATABASE_URL: db.url,
    LOG_LEVEL: 'error',
    WORKERS: workers,
    PAGES_PER_MINUTE: '1000',
  })),
)

interface Caller {
  id: string
  key: string
}

/** One session of a workspace, as a browser holds it: the same on each instance. */
interface Visitor {
  accountId: string
  cookie: string
}

/** Copies of one form that were sent at once. */
interface Run {
  kind: 'export' | 'bulk search'
  accountId: string
  /** The run's request id in the ledger. */
  id: string
  /** Credits that the units which the copies handed out are worth. */
  worth: number
}

const callers: Caller[] = []
const told = { billed: 0, credits: 0, refused: 0, failed: 0, slowestMs: 0 }
const requests = new Map<string, number>()
const runs: Run[] = []
let isOver = false

const account = (name: string) =>
  createAccount(db.database, { name, email: `${name}@example.com`, tier: 'team' })

beforeAll(async () => {
  for (let n = 0; n < CALLERS; n++) {
    const id = await account(`caller-${n}`)
    await grantCredits(db.database, id, 200_000, 'topup')
    const { key } = await createKey(db.database, id, 'load', SCOPES)
    callers.push({ id, key })
  }
})

test(
  'what callers were told, the ledger and the balances are one sum, whatever goes on beside the calls',
  async () => {
    const sideWork = [
      researcher('export', 60),
      researcher('export', 1_000),
      researcher('bulk search', 90),
      researcher('bulk search', 1_000),
      removals(),
      erasuresAndMerges(),
    ]
    const started = performance.now()
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => calls(n))).finally(() => {
      isOver = true
    })
    await Promise.all(sideWork)
    const seconds = Math.round((performance.now() - started) / 1_000)
    const { erased, merged, removed } = changes
    console.log(JSON.stringify({ ...told, seconds, runs: runs.length, ...changes }))

    for (const kind of ['export', 'bulk search'])
      expect(runs.filter((run) => run.kind === kind).length).toBeGreaterThan(0)
    expect(told.failed).toBe(0)
    expect(await chargesThatDiffer()).toEqual([])
    expect(await runsThatDiffer()).toEqual([])
    const [sums] = await db.sql`
      select -sum(credits) filter (where kind = 'charge')::integer as charged,
             sum(credits)::integer as ledger, (select sum(balance)::integer from accounts) as balances
        from ledger`
    expect(sums?.charged).toBe(told.credits + runs.reduce((sum, { worth }) => sum + worth, 0))
    expect(sums?.ledger).toBe(sums?.balances)
    await expectBooksToBalance(db.sql)
    expect([erased > 0, merged > 0, removed > 0]).toEqual([true, true, true])
  },
  LIMIT_MS * 6,
)

/** One client, which makes billed calls of every account and endpoint until there were enough. */
async function calls(client: number): Promise<void> {
  for (let n = client; told.billed < CALLS; n += CONNECTIONS) {
    const caller = callers[n % CALLERS]
    const url = servers[n % servers.length]?.apiUrl
    const reveal = `/v1/people/${crowdId(1 + (n % CROWD))}?include=private`
    const path = n % 4 === 0 ? reveal : PATHS[Math.floor(n / CALLERS) % PATHS.length]
    const requestId = randomUUID()
    const startedMs = performance.now()
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${caller?.key}`, 'x-request-id': requestId },
    })
    const body = await response.json()
    told.slowestMs = Math.max(told.slowestMs, Math.round(performance.now() - startedMs))
    requests.set(requestId, body.meta?.creditsCharged ?? 0)
    told.credits += body.meta?.creditsCharged ?? 0
    if (body.meta?.creditsCharged > 0) told.billed++
    else if (response.status >= 500) told.failed++
    else if (response.status !== 200) told.refused++
    if (response.status === 429) await pause(20)
  }
}

/** Somebody who sends each form twice at once, to both instances, and is given credits while both go on. */
async function researcher(kind: Run['kind'], credits: number): Promise<void> {
  const accountId = await account(`researcher-${randomUUID()}`)
  const visitor = await signIn(accountId, 'owner')
  do {
    await grantCredits(db.database, accountId, credits, 'topup')
    const form = await formOf(visitor, kind)
    const copies = [send(visitor, kind, form, 0), send(visitor, kind, form, 1)]
    await pause(Math.random() * 100)
    await grantCredits(db.database, accountId, credits, 'topup')
    const units = (await Promise.all(copies)).map(({ units }) => units)
    const { credits: price } = kind === 'export' ? csvExport : bulkSearch
    runs.push({ kind, accountId, id: await runOf(accountId), worth: price * Math.max(...units) })
  } while (!isOver)
}

const changes = { erased: 0, merged: 0, removed: 0, cutShort: 0 }

/** Members are removed at any moment of their download: it ends before its next batch, and with it the charges. */
async function removals(): Promise<void> {
  do {
    const accountId = await account(`workspace-${randomUUID()}`)
    await grantCredits(db.database, accountId, 1_000, 'topup')
    await signIn(accountId, 'owner')
    const member = await signIn(accountId, 'member')
    const download = send(member, 'export', await formOf(member, 'export'), 0)
    await pause(Math.random() * 60)
    await db.sql`delete from members where account_id = ${accountId} and role = 'member'`
    const { units, isWhole } = await download
    const id = await runOf(accountId)
    runs.push({ kind: 'export', accountId, id, worth: csvExport.credits * units })
    changes.removed++
    if (!isWhole) changes.cutShort++
  } while (!isOver)
}

/** People of the crowd's far end are erased one by one, and merged two by two. */
async function erasuresAndMerges(): Promise<void> {
  for (let n = CROWD; n > CROWD / 2; n -= 3) {
    await erasePerson(db.database, crowdId(n), 'olga')
    changes.erased++
    await mergeRecords(db.database, 'person', [crowdId(n - 1), crowdId(n - 2)], 'olga')
    changes.merged++
    if (isOver) break
    await pause(500)
  }
}

/** Somebody new who is signed in to the workspace. */
async function signIn(accountId: string, role: 'owner' | 'member'): Promise<Visitor> {
  const { token, hash } = newToken()
  await db.sql`
    with someone as (
      insert into users (email, name, password, email_verified_at)
      values (${`${randomUUID()}@example.com`}, 'Ada', 'none', now()) returning id
    ), joined as (
      insert into members (account_id, user_id, role, joined_at)
      select ${accountId}, id, ${role}, now() from someone returning user_id
    )
    insert into sessions (hash, user_id, account_id, used_at, ends_at)
    select ${hash}, user_id, ${accountId}, now(), now() + interval '1 day' from joined`
  return { accountId, cookie: `ck_session=${token}` }
}

const pathOf = (kind: Run['kind']) => (kind === 'export' ? EXPORT : '/bulk-search')

/** The form that charges as its page shows it; of a bulk search, which is charged as its page is sent, that page's address. */
async function formOf({ cookie }: Visitor, kind: Run['kind']): Promise<URLSearchParams | string> {
  const url = servers[0]?.appUrl
  const page = await fetch(`${url}${pathOf(kind)}`, { headers: { cookie } })
  const first = formIn(await page.text(), pathOf(kind))
  if (kind === 'export') return first ?? new URLSearchParams()
  const body = new FormData()
  for (const [name, value] of first ?? []) body.append(name, value)
  body.append('lines', LINES.join('\n'))
  const headers = { cookie, origin: url ?? '', 'sec-fetch-site': 'same-origin' }
  const sending = { method: 'POST', redirect: 'manual', headers } as const
  const kept = await fetch(`${url}/bulk-search`, { ...sending, body })
  const search = kept.headers.get('location') ?? ''
  const price = await fetch(url + search, { headers })
  const confirm = formIn(await price.text(), search) ?? new URLSearchParams()
  await fetch(url + search, { ...sending, body: confirm })
  return search
}

/** Sends a form to an instance and reads the answer to its end. A form that is refused hands out nothing. */
async function send(
  { cookie }: Visitor,
  kind: Run['kind'],
  form: URLSearchParams | string,
  instance: number,
): Promise<{ units: number; isWhole: boolean }> {
  const url = servers[instance]?.appUrl ?? ''
  const headers = { cookie, origin: url, 'sec-fetch-site': 'same-origin' }
  const response =
    typeof form === 'string'
      ? await fetch(url + form, { headers })
      : await fetch(`${url}${pathOf(kind)}`, {
          method: 'POST',
          body: form,
          redirect: 'manual',
          headers,
        })
  const text = await response.text()
  if (response.status !== 200) return { units: 0, isWhole: false }
  if (kind === 'bulk search')
    return { units: text.split('<th scope="row">').length - 1, isWhole: true }
  const lines = text.trimEnd().split(/\r?\n/)
  const isWhole = !lines.at(-1)?.includes('Stopped after')
  return { units: Math.ceil((lines.length - (isWhole ? 1 : 2)) / csvExport.rows), isWhole }
}

/** The run that the account was charged for last. */
async function runOf(accountId: string): Promise<string> {
  const [row] = await db.sql`
    select request_id from ledger where account_id = ${accountId} and kind = 'charge'
     order by sequence desc limit 1`
  return row?.request_id ?? ''
}

/** Calls whose charge in the ledger is another than the caller was told. */
async function chargesThatDiffer() {
  const rows = await db.sql<{ request: string; credits: number }[]>`
    select request_id as request, -sum(credits)::integer as credits from ledger
     where account_id = any (${callers.map(({ id }) => id)}::uuid[]) and kind = 'charge'
     group by request_id`
  const charged = new Map(rows.map(({ request, credits }) => [request, credits]))
  const differing = [...requests].filter(([id, credits]) => (charged.get(id) ?? 0) !== credits)
  const unknown = [...charged.keys()].filter((id) => !requests.has(id))
  return [...differing, ...unknown]
}

/** Runs that were charged another sum than what their copies handed out is worth. */
async function runsThatDiffer() {
  const rows = await db.sql<{ request: string; credits: number }[]>`
    select request_id as request, -sum(credits)::integer as credits from ledger
     where request_id = any (${runs.map(({ id }) => id)}) and kind = 'charge' group by request_id`
  const charged = new Map(rows.map(({ request, credits }) => [request, credits]))
  return runs
    .map((run) => ({ ...run, charged: charged.get(run.id) ?? 0 }))
    .filter((run) => run.charged !== run.worth)
}
