/** Attacks: forms of other sites, ids of other accounts, a session used as a key and a key as a session. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { isUuid } from '../../src/database/uuid.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { ROUTES } from '../../src/site/routes.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { addressOf, SITE } from './site.ts'
import { csrfIn, PASSWORD, sharedTown, type Visitor } from './visitor.ts'

const SESSION = '__Host-ck_session'
const FORM = '__Host-ck_form'

const { service, town } = sharedTown(fixtures)

/** Somebody on a plan that has everything. */
async function owner(name = 'Olga') {
  const someone = await town.person(name)
  await setAccount(service.database, someone.accountId, { tier: 'team' })
  return someone
}

type Person = Awaited<ReturnType<typeof owner>>

/** All that is stored, but what merely looking changes. */
async function books(): Promise<Record<string, string>> {
  const tables = await service.sql<{ name: string }[]>`
    select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'turns'`
  const sums = tables.map(async ({ name }): Promise<[string, string]> => {
    const [row] = await service.sql`
      select md5(string_agg((to_jsonb(t) - 'used_at')::text, ',' order by to_jsonb(t)::text)) as sum
        from ${service.sql(name)} t`
    return [name, row?.sum]
  })
  return Object.fromEntries(await Promise.all(sums))
}

const POSTED = ROUTES.filter(({ post }) => post)

describe('forms of other sites', () => {
  test.each(POSTED.map((route) => [addressOf(route), route] as const))(
    '%s takes none without its token, with another’s, or from elsewhere, and does nothing',
    async (path, { needsSignIn }) => {
      const visitors: Visitor[] = [await owner()]
      if (!needsSignIn) visitors.push(town.visitor())
      const mallory = csrfIn(await (await town.person('Mallory')).text('/settings'))
      const stranger = csrfIn(await town.visitor().text('/sign-in'))
      for (const visitor of visitors) {
        const own =
          csrfIn(await visitor.text('/settings')) || csrfIn(await visitor.text('/sign-in'))
        const before = await books()
        const tries: [[string, string][], Record<string, string>][] = [
          [[], {}],
          [[['csrf', 'x']], {}],
          [[['csrf', mallory]], {}],
          [[['csrf', stranger]], {}],
          [
            [
              ['csrf', own],
              ['csrf', own],
            ],
            {},
          ],
          [[['csrf', own]], { 'sec-fetch-site': 'cross-site' }],
          [[['csrf', own]], { 'sec-fetch-site': 'same-site' }],
        ]
        for (const [form, headers] of tries) {
          expect([form, (await visitor.post(path, form, headers)).status]).toEqual([form, 403])
        }
        const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
        const sendPlainly = (url: string, type: string, body: string, origin = 'null') =>
          town.site.get(url, {
            method: 'POST',
            headers: { cookie, origin, 'content-type': type },
            body,
          })
        const urlencoded = 'application/x-www-form-urlencoded'
        for (const origin of ['https://evil.example', 'null']) {
          const sent = await sendPlainly(path, urlencoded, `csrf=${own}`, origin)
          expect([origin, sent.status]).toEqual([origin, 403])
        }
        expect((await sendPlainly(`${path}?csrf=${own}`, urlencoded, '', SITE.appUrl)).status).toBe(
          403,
        )
        // Another site can send text/plain without a preflight.
        const text = await sendPlainly(path, 'text/plain', `csrf=${own}`, SITE.appUrl)
        expect(text.status).toBe(415)
        expect(await books()).toEqual(before)

        const taken = await visitor.post(path, [['csrf', own]])
        expect([path, taken.status]).not.toEqual([path, 403])
      }
    },
  )

  test('a token that was planted before somebody signed in is of no use after', async () => {
    const { email } = await town.person()
    const mallory = town.visitor()
    const planted = csrfIn(await mallory.text('/sign-in'))
    const victim = town.visitor()
    victim.cookies.set(FORM, mallory.cookies.get(FORM) ?? '')
    const form = { csrf: planted, email, password: PASSWORD }
    expect((await victim.post('/sign-in', Object.entries(form))).status).toBe(303)
    expect((await victim.get('/keys')).status).toBe(200)
    const rename = { csrf: planted, action: 'name', name: 'Mallory' }
    expect((await victim.post('/settings', Object.entries(rename))).status).toBe(403)
  })
})

/** An answer without what differs from one page to the next, and without what was asked for. */
async function plain(response: Response, asked: string) {
  const text = (await response.text())
    .replaceAll(/name="(csrf|idempotencyKey)" value="[^"]+"/g, '')
    .replaceAll(asked, 'ID')
  const headers = [...response.headers].filter(
    ([name]) => !['etag', 'content-length'].includes(name),
  )
  return {
    status: response.status,
    headers: headers.map(([name, value]) => [name, value.replaceAll(asked, 'ID')]),
    text,
  }
}

describe('what is somebody else’s', () => {
  /** Ids of everything that an account has. */
  async function belongings(person: Person) {
    const shown = await person.submit('/keys', { label: 'theirs', scopes: ['read:metadata'] })
    const made = /ck_live_\w+/.exec(await shown.text())?.[0]
    await service.request('/v1/people', { headers: { authorization: `Bearer ${made}` } })
    const open = await invited(person)
    const used = await invited(person)
    const member = await town.person('Ben')
    await member.submit(used, { token: tokenOf(used) })
    const withdrawn = await invited(person)
    const { sql } = service
    const [invitation] = await sql`
      select id from invitations where account_id = ${person.accountId} order by created_at desc`
    await person.submit('/workspace', { action: 'cancel', id: invitation?.id })
    const [left] = await sql`select id from invitations where account_id = ${person.accountId}`
    await person.submit(`/people/${ADA.slug}`, { idempotencyKey: crypto.randomUUID(), price: '10' })
    const [entry] = await sql`
      select request_id from ledger
       where account_id = ${person.accountId} and request_id is not null`
    const [key] = await sql`
      select id from api_keys where account_id = ${person.accountId} and label = 'theirs'`
    const [session] = await sql`select id from sessions where user_id = ${person.userId}`
    expect(open).not.toBe('')
    return {
      key: key?.id as string,
      invitation: left?.id as string,
      used: tokenOf(used),
      withdrawn: tokenOf(withdrawn),
      member: member.userId as string,
      account: person.accountId as string,
      session: session?.id as string,
      request: entry?.request_id as string,
    }
  }

  async function invited(person: Person): Promise<string> {
    const shown = await person.submit('/workspace', { action: 'invite', label: 'Ben' })
    return /chainkin\.example(\/invitation\?token=[\w-]+)/.exec(await shown.text())?.[1] ?? ''
  }
  const tokenOf = (link: string) => link.split('=')[1] ?? ''

  type Belonging = keyof Awaited<ReturnType<typeof belongings>>
  const get = (path: string) => (visitor: Visitor, id: string) => visitor.get(path + id)
  const post =
    (path: string, field: string, others: Record<string, string> = {}) =>
    (visitor: Visitor, id: string) =>
      visitor.submit('/settings', { ...others, [field]: id }, path)

  const WAYS: [Belonging, string, (visitor: Visitor, id: string) => Promise<Response>][] = [
    ['key', 'filtering the ledger', get('/balance?key=')],
    ['key', 'filtering the ledger’s file', get('/balance/ledger.csv?key=')],
    ['key', 'asked to revoke', get('/keys/revoke?id=')],
    ['key', 'asked to rotate', get('/keys/rotate?id=')],
    ['key', 'rotated', post('/keys/rotate', 'id', { grace: '7' })],
    ['key', 'revoked', post('/keys/revoke', 'id')],
    ['request', 'filtering the ledger', get('/balance?request=')],
    ['request', 'filtering the ledger’s file', get('/balance/ledger.csv?request=')],
    ['invitation', 'withdrawn', post('/workspace', 'id', { action: 'cancel' })],
    ['used', 'opened', get('/invitation?token=')],
    ['used', 'accepted', post('/invitation', 'token')],
    ['withdrawn', 'opened', get('/invitation?token=')],
    ['withdrawn', 'accepted', post('/invitation', 'token')],
    ['member', 'asked to remove', get('/workspace/remove?id=')],
    ['member', 'removed', post('/workspace/remove', 'id')],
    ['account', 'switched to', post('/workspace', 'id', { action: 'switch' })],
    ['session', 'ended', post('/settings', 'id', { action: 'end' })],
  ]
  /** An id or token that nobody has. */
  const nobodys = (id: string) => (isUuid(id) ? crypto.randomUUID() : 'A'.repeat(43))

  let theirs: Awaited<ReturnType<typeof belongings>>
  let mallory: Person
  beforeAll(async () => {
    theirs = await belongings(await owner())
    mallory = await owner('Mallory')
  })

  test.each(WAYS)(
    '%s, %s: answers byte for byte as what does not exist',
    async (what, _how, ask) => {
      const before = await books()
      const [id, other] = [theirs[what], nobodys(theirs[what])]
      expect(id).toBeTruthy()
      expect(await plain(await ask(mallory, id), id)).toEqual(
        await plain(await ask(mallory, other), other),
      )
      expect(await books()).toEqual(before)
    },
  )

  test('the same ways lead to one’s own', async () => {
    const person = await owner()
    const own = await belongings(person)
    for (const [what, how, ask] of WAYS) {
      // Links that are of no use any more are so for everybody.
      if (what === 'used' || what === 'withdrawn') continue
      const other = nobodys(own[what])
      const found = await plain(await ask(person, own[what]), own[what])
      const missing = await plain(await ask(person, other), other)
      expect({ what, how, alike: Bun.deepEquals(found, missing) }).toEqual({
        what,
        how,
        alike: false,
      })
    }
  })

  test('the value by which a form counts once is its own account’s: another’s takes, shows and holds up nothing', async () => {
    const [one, other] = [await owner(), await owner('Mallory')]
    const forms: [string, Record<string, string>][] = [
      ['/credits', { topUp: 'small' }],
      ['/export/people', { rows: '3' }],
      [`/people/${ADA.slug}`, { price: '10' }],
    ]
    for (const [path, fields] of forms) {
      const idempotencyKey = crypto.randomUUID()
      const answers: object[] = []
      for (const person of [one, other, other]) {
        const answer = await person.submit('/settings', { ...fields, idempotencyKey }, path)
        answers.push(await plain(answer, person.email))
      }
      const [theirs, fresh] = answers.map((it) =>
        JSON.stringify(it).replaceAll(/Olga|Mallory|request=[\w-]+/g, 'X'),
      )
      expect([path, fresh]).toEqual([path, theirs])
    }
    const counts = await service.sql`
      select account_id, count(*)::integer as payments from payments
       where account_id in ${service.sql([one.accountId, other.accountId])} group by 1`
    expect(counts.map(({ payments }) => payments)).toEqual([1, 1])
    const balances = await Promise.all([one, other].map((it) => service.balance(it.accountId)))
    expect(balances).toEqual([250 - 5 - 10, 250 - 5 - 10])
  })
})

describe('one credential for the other', () => {
  test.each(Object.values(ENDPOINTS).map(({ path }, number) => [path, number] as const))(
    'a session opens nothing at %s',
    async (path, number) => {
      const someone = await town.person()
      const token = someone.cookies.get(SESSION) ?? ''
      expect((await someone.get('/keys')).status).toBe(200)
      const url = `${path.replace(/:\w+/, ADA.slug)}?q=ada`
      for (const headers of [
        { cookie: `${SESSION}=${token}; ck_session=${token}` },
        { authorization: `Bearer ${token}` },
        { authorization: `Bearer ck_live_${token}` },
      ]) {
        // An address each: rejected keys are limited.
        const answer = await service.request(url, { headers }, `203.0.113.${number}`)
        expect(answer.status).toBe(401)
      }
    },
  )

  test.each(ROUTES.filter(({ needsSignIn }) => needsSignIn).map((route) => addressOf(route)))(
    'a key opens %s no more than nothing does: both are asked to sign in first',
    async (path) => {
      const caller = await service.account({ tier: 'team', credits: 100 })
      for (const headers of [
        {},
        { authorization: `Bearer ${caller.key}` },
        { cookie: `${SESSION}=${caller.key}` },
        { cookie: `${SESSION}=${caller.key.slice('ck_live_'.length)}` },
      ]) {
        const answers = [await town.site.get(path, { headers })]
        if (POSTED.some((route) => addressOf(route) === path)) {
          answers.push(await town.site.get(path, { method: 'POST', headers }))
        }
        for (const response of answers) {
          const next = encodeURIComponent(path)
          expect([response.status, response.headers.get('location')]).toEqual([
            303,
            `/sign-in?returnUrl=${next}`,
          ])
          expect(response.headers.get('cache-control')).toBe('no-store')
        }
      }
    },
  )
})

test('a form about a contact is charged at the price that its button named, or not at all', async () => {
  const someone = await owner()
  for (const price of ['', '0', '999', '-10', '1e1x', 'free']) {
    const fields = { idempotencyKey: crypto.randomUUID(), price }
    const answer = await someone.submit('/settings', fields, `/people/${ADA.slug}`)
    expect([price, answer.status]).toEqual([price, 400])
  }
  expect(await service.balance(someone.accountId)).toBe(250)
})
