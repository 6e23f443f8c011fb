/** The operator's pages, asked for by everybody: who is no operator can't tell that they are there. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { perform } from '../../src/console/acts/perform.ts'
import { giveOperator, newOperatorLink, takeOperatorAway } from '../../src/console/acts/users.ts'
import { OPERATOR_ROUTES } from '../../src/console/routes.ts'
import { createJob } from '../../src/intake/import/jobs/store.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { openPayment } from '../../src/money/payments/payments.ts'
import { ADA, AURORA, AURORA_SEED, fixtures } from '../helpers/fixtures.ts'
import { sharedOperator, twoSteps } from './operators.ts'
import { csrfIn, PASSWORD, sharedTown, type Visitor } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

const COMMAND = { via: 'command', userId: null, who: 'root', address: null } as const
const OTHER_METHODS = ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const NO_TOKEN = 'A'.repeat(43)

/** With what each page may be asked for: an id, the token of a link. */
const QUERY = `?id=0190a000-0000-7000-8000-000000000999&token=${NO_TOKEN}`

const operator = sharedOperator(service, town)
/** Everybody who is no operator. `csrf` is a form's token that is really theirs. */
const others: Record<string, Asking & { csrf: string }> = {}

type Asking = Pick<Visitor, 'cookies'> & { key?: string }

beforeAll(async () => {
  const { database } = service
  const owner = await town.customer(100, 'team')
  const member = await town.person('Mel')
  const revoked = await town.person('Rex')
  const named = { id: revoked.userId, email: revoked.email }
  await perform(database, COMMAND, giveOperator, named.id)
  await perform(database, COMMAND, takeOperatorAway, named.id)
  await service.sql`
    insert into members (account_id, user_id, role, joined_at)
    values (${owner.accountId}, ${member.userId}, 'member', now())`
  await service.sql`
    update sessions set account_id = ${owner.accountId} where user_id = ${member.userId}`
  const [request] = await service.sql`
    insert into privacy_requests (kind, state, email, person, asked_at)
    values ('show', 'open', 'asks@example.com', 'Ada', now()) returning id`
  OF_RECORDS['/operator/directory/requests/:id'] = `/operator/directory/requests/${request?.id}`
  const payment = await openPayment(database, owner.accountId, owner.userId, { topUp: 'small' })
  OF_RECORDS['/operator/payments/:id'] = `/operator/payments/${payment}`
  const job = await createJob(database, { kind: 'companies', name: 'a.csv', by: COMMAND })
  for (const path of ['report.csv', ':id'])
    OF_RECORDS[`/operator/imports/${path}`] =
      `/operator/imports/${path.replace(':id', job)}?id=${job}`
  const { key } = await createKey(database, owner.accountId, 'x', ['read:metadata'])
  const { key: own } = await createKey(database, operator.accountId, 'x', ['read:metadata'])
  const asking: Record<string, Asking> = {
    owner,
    member,
    'revoked operator': revoked,
    stranger: town.visitor(),
    'an API key': { cookies: new Map(), key },
    'the operator’s API key': { cookies: new Map(), key: own },
    'a forged session': { cookies: new Map([['__Host-ck_session', NO_TOKEN]]) },
  }
  for (const [who, one] of Object.entries(asking))
    others[who] = { ...one, csrf: await tokenOf(one) }
})

/** An answer with all that is not new each time: a form's token is. */
async function answerTo(
  path: string,
  method: string,
  { cookies, key }: Asking,
  csrf: string | undefined,
) {
  const headers = new Headers({ 'sec-fetch-site': 'same-origin' })
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  if (cookie) headers.set('cookie', cookie)
  if (key) headers.set('authorization', `Bearer ${key}`)
  const hasBody = csrf !== undefined && !['GET', 'HEAD', 'OPTIONS'].includes(method)
  const body = hasBody ? new URLSearchParams({ csrf, action: 'credits.grant' }) : undefined
  const response = await town.site.get(path, { method, headers, ...(body && { body }) }, '10.9.9.9')
  const sent = [...response.headers]
    .map(([name, value]) => [name, name === 'set-cookie' ? value.replace(/=[^;]*/, '=') : value])
    .sort()
  const text = (await response.text()).replaceAll(/name="csrf" value="[^"]+"/g, '')
  return { status: response.status, sent, text }
}

async function tokenOf({ cookies }: Asking) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  return csrfIn(await (await town.site.get('/appearance', { headers: { cookie } })).text())
}

/** Answers to an unknown path, by reader and method. */
const unknown: Record<string, Awaited<ReturnType<typeof answerTo>>> = {}

describe.each(OPERATOR_ROUTES.map(({ path }) => path))('%s', (path) => {
  async function expectUnknown(who: string, method: string, asking: Asking, csrf?: string) {
    const own = await answerTo(path + QUERY, method, asking, csrf)
    const asked = `${who} ${method} ${csrf}`
    unknown[asked] ??= await answerTo(`/unknown${QUERY}`, method, asking, csrf)
    expect([asked, own]).toEqual([asked, unknown[asked]])
    expect(own.status).toBe(404)
  }

  test('is for everybody but operators an unknown path, to read and for a form of theirs', async () => {
    for (const [who, asking] of Object.entries(others)) {
      await expectUnknown(who, 'GET', asking)
      await expectUnknown(who, 'POST', asking, asking.csrf)
    }
  })

  test('is an unknown path by every method, and for a form with a forged token or none', async () => {
    const { owner } = others
    if (!owner) throw new Error('nobody asks')
    for (const method of OTHER_METHODS) await expectUnknown('owner', method, owner)
    for (const csrf of [undefined, NO_TOKEN]) await expectUnknown('owner', 'POST', owner, csrf)
  })
})

/** The operator's own pages: all but the link of the first start. */
const OWN = OPERATOR_ROUTES.filter(({ path }) => path.startsWith('/operator'))

/** Addresses of pages of one record, request or payment. */
const OF_RECORDS: Record<string, string> = {
  '/operator/directory/companies/:id': `/operator/directory/companies/${AURORA.id}`,
  '/operator/directory/people/:id': `/operator/directory/people/${ADA.id}`,
  '/operator/directory/rounds/:id': `/operator/directory/rounds/${AURORA_SEED.id}`,
  '/operator/directory/merge': `/operator/directory/merge?kind=person&id=${ADA.id}`,
}

/** An address of a page that takes more than its path. */
function addressOf(path: string): string {
  const account = operator.accountId
  if (path === '/operator/confirm')
    return `${path}?act=user.end-sessions&on=${account}&of=${operator.userId}`
  return OF_RECORDS[path] ?? path.replace(':id', account)
}

test.each(OWN.map((route) => route))(
  'an operator sees $path, and other methods are refused by name',
  async ({ path: pattern, post }) => {
    const path = addressOf(pattern)
    const page = await operator.get(path)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect([path, page.status]).toEqual([path, 200])
    const refused = await answerTo(path, 'PUT', operator, undefined)
    expect(refused.status).toBe(405)
    if (!post) expect((await operator.post(path, [])).status).toBe(405)
    else expect((await operator.post(path, [['csrf', NO_TOKEN]])).status).toBe(403)
  },
)

test.each(OWN.map((route) => route))(
  'an operator without a second factor gets of $path nothing but where to turn one on',
  async ({ path: pattern, post }) => {
    const path = addressOf(pattern)
    const one = await town.person('Pat')
    await perform(service.database, COMMAND, giveOperator, one.userId)
    const lines = await readAuditLog(service.database, { limit: 1 })
    const answers = [await one.get(path)]
    if (post) {
      const csrf = csrfIn(await one.text('/appearance'))
      const sent = ['credits.grant', 'payment.accept'].map((action) =>
        one.post(path, [
          ['csrf', csrf],
          ['action', action],
          ['amount', '5'],
          ['source', 'topup'],
          ['idempotencyKey', crypto.randomUUID()],
          ['password', PASSWORD],
        ]),
      )
      answers.push(...(await Promise.all(sent)))
    }
    for (const answer of answers) {
      expect([path, answer.status]).toEqual([path, 403])
      const text = await answer.text()
      expect(text).toContain('href="/settings/two-step"')
      expect(text).not.toContain(operator.accountId)
    }
    expect(await readAuditLog(service.database, { limit: 1 })).toEqual(lines)
    await twoSteps(service, one)
    expect((await one.get(path)).status).toBe(200)
  },
)

test('an address of the audit log that has a mistake in it is refused by name, to operators alone', async () => {
  const wrong = {
    before: ['x', '0', '-1', '1.5', '1e3', '9'.repeat(16)],
    account: ['x'],
    subject: ['1'],
    who: ['a%00b'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const path = `/operator/audit?${name}=${value}`
      const page = await operator.get(path)
      expect([path, page.status]).toEqual([path, 400])
      expect(await page.text()).toContain(`${name}: expected`)
    }
  }
  const stranger = await town.visitor().get('/operator/audit?before=x')
  expect(stranger.status).toBe(404)
})

test('a form of somebody who was signed out, or is no operator any more, while it was on its way changes nothing', async () => {
  const one = await town.person('Slow')
  const csrf = csrfIn(await one.text('/settings'))
  const form = new URLSearchParams({ csrf, action: 'name', name: 'Changed' }).toString()
  const [first, rest] = [form.slice(0, 20), form.slice(20)]
  let finish = () => {}
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(first))
      finish = () => {
        controller.enqueue(new TextEncoder().encode(rest))
        controller.close()
      }
    },
  })
  const cookie = [...one.cookies].map((pair) => pair.join('=')).join('; ')
  const asked = town.site.get('/settings', {
    method: 'POST',
    body,
    duplex: 'half',
    headers: {
      cookie,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
  } as RequestInit)
  // Meanwhile the session of the form that is on its way is read, as the one of this page.
  await one.get('/settings')
  await service.sql`delete from sessions where user_id = ${one.userId}`
  finish()
  expect((await asked).status).toBeOneOf([303, 403])
  const [row] = await service.sql`select name from users where id = ${one.userId}`
  expect(row?.name).toBe('Slow')
})

test('a role that is taken away ends with the request before', async () => {
  const one = await town.person('Once')
  await twoSteps(service, one)
  const named = { id: one.userId, email: one.email }
  await perform(service.database, COMMAND, giveOperator, named.id)
  expect((await one.get('/operator')).status).toBe(200)
  await perform(service.database, COMMAND, takeOperatorAway, named.id)
  expect((await one.get('/operator')).status).toBe(404)
})

test('the link of the first start makes one person the operator, once', async () => {
  await service.sql`update users set operator_since = null`
  const link = await newOperatorLink(service.database)
  const page = `/first-operator?token=${link?.token}`
  const stranger = await town.visitor().get(page)
  expect(stranger.headers.get('location')).toStartWith('/sign-in?returnUrl=')
  const [one, two] = [await town.person('One'), await town.person('Two')]
  const csrf = csrfIn(await two.text(page))
  await twoSteps(service, one)
  const done = await one.submit(page, {}, page)
  expect([done.status, done.headers.get('location')]).toEqual([303, '/operator'])
  expect((await one.get('/operator')).status).toBe(200)
  expect((await two.post(page, [['csrf', csrf]])).status).toBe(404)
  expect((await two.get('/operator')).status).toBe(404)
})
