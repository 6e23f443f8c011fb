/** The operator's pages of accounts: listed, found, shown whole, and what their acts do beyond what `operator-acts.test.ts` holds of all. */
import { describe, expect, test } from 'bun:test'
import { notesOf } from '../../src/console/acts/accounts.ts'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { confirmPath } from '../../src/console/ui/confirm-link.tsx'
import { creditsOf, listGrants } from '../../src/money/accounts/credits.ts'
import { createKey, keysOf } from '../../src/money/accounts/keys.ts'
import { operatorIn, sharedOperator, twoSteps } from './operators.ts'
import { textIn } from './reading.ts'
import { csrfIn, type Person, sharedTown } from './visitor.ts'

const { service, town } = sharedTown()

const NOBODY = '0190a000-0000-7000-8000-000000000999'

const operator = sharedOperator(service, town)

const pathOf = ({ accountId }: Person) => `/operator/accounts/${accountId}`
const balanceOf = async ({ accountId }: Person) =>
  (await creditsOf(service.database, accountId))?.balance
const actsOn = async ({ accountId }: Person) =>
  (await readAuditLog(service.database, { account: accountId, limit: 50 })).map(({ act }) => act)
const once = () => crypto.randomUUID()
const send = (person: Person, action: string, fields: Record<string, string> = {}) =>
  operator.submit(pathOf(person), { action, idempotencyKey: once(), ...fields })
const confirm = (act: string, { accountId: on }: Person, of = '', more = {}) =>
  operator.submit(confirmPath(act, on, of), {
    act,
    on,
    of,
    idempotencyKey: once(),
    ...more,
    ...operator.proof(),
  })
const led = (response: Response) => response.headers.get('location')?.split('said=')[1]

describe('search', () => {
  test('finds an account by parts of names and addresses, by ids of what is its own, and by a key', async () => {
    const person = await town.customer(10, 'pro')
    const { accountId } = person
    await service.sql`
      update accounts set name = 'Zoë 100%_Sure', organization = 'Aurora Öl' where id = ${accountId}`
    const { id, key, prefix } = await createKey(service.database, accountId, 'x', [])
    const [grant] = (await listGrants(service.database, accountId)) ?? []
    const asked = [
      ...['zoë 100%_', 'ÖL', person.email.toUpperCase(), accountId.toUpperCase()],
      ...[person.userId, id, grant?.id ?? '', key, prefix, `${prefix}…`],
    ]
    for (const q of asked) {
      const page = await operator.text(`/operator/accounts?${new URLSearchParams({ q })}`)
      const found = [...page.matchAll(/\/operator\/accounts\/([0-9a-f-]{36})"/g)].map(
        ([, at]) => at,
      )
      expect([q, found]).toEqual([q, [accountId]])
    }
  })

  test('says where nothing is found, and what of an address is wrong', async () => {
    for (const q of ['nobody is called this', '100%%', NOBODY, 'ck_live_000000']) {
      const page = await operator.get(`/operator/accounts?${new URLSearchParams({ q })}`)
      expect([q, page.status]).toEqual([q, 200])
      expect(await page.text()).toContain('No account is found')
    }
    const none = textIn(await operator.text('/operator/accounts?q=nobody+at+all&show=paying'))
    expect(none).toContain('No account is found for “nobody at all” under Paying.')
    expect(none).not.toContain('0 accounts')
    for (const page of ['0', '-1', 'x', '1e2', '201', '99999999999']) {
      const answer = await operator.get(`/operator/accounts?page=${page}`)
      expect([page, answer.status]).toEqual([page, 400])
      expect(await answer.text()).toContain('page: expected a whole number from 1 to 200')
    }
    for (const id of [NOBODY, 'x', '%00']) {
      expect((await operator.get(`/operator/accounts/${id}`)).status).toBe(404)
    }
  })
})

test('an account is shown whole: balance, grants, plan, limits, keys, people, orders, ledger', async () => {
  const person = await town.customer(1_234, 'team')
  await createKey(service.database, person.accountId, 'laptop <b>', ['read:metadata'])
  const text = textIn(await operator.text(pathOf(person)))
  for (const said of [
    ...['1,484 credits', 'Top-up', '1,234 of 1,234', '250 of 250', 'Tier', 'Team'],
    ...['300 a minute', 'Unlocked', '0 contacts', 'laptop <b>', person.email, 'password alone'],
    ...['Nothing was ordered', '+1,234'],
  ]) {
    expect(text).toContain(said)
  }
})

test('credits are given once, however often the form is sent', async () => {
  const person = await town.customer(0, 'free')
  const csrf = csrfIn(await operator.text(pathOf(person)))
  const form = { csrf, action: 'credits.grant', amount: '1,000', source: 'topup', expires: '30d' }
  const sent = Object.entries({ ...form, idempotencyKey: once() })
  const answers = await Promise.all([1, 2, 3].map(() => operator.post(pathOf(person), sent)))
  expect(answers.map(led).sort()).toEqual(['before', 'before', 'credits.grant'])
  expect(await balanceOf(person)).toBe(1_250)
  expect(await actsOn(person)).toEqual(['credits.grant'])
})

test('a plan is started once, its renewal stopped, and what was changed alone is set', async () => {
  const person = await town.customer(0, 'free')
  const plan = { plan: 'pro', renews: 'yes', idempotencyKey: once() }
  for (const form of [plan, plan]) await send(person, 'plan.start', form)
  expect(await balanceOf(person)).toBe(6_250)
  expect(led(await send(person, 'plan.stop-renewal'))).toBe('plan.stop-renewal.later')
  // The form was shown before another operator named the account anew.
  const changed = { tier: 'team', tierWas: 'pro', name: 'Old', nameWas: 'Old' }
  await send(person, 'account.set', { ...changed, organization: 'Acme', organizationWas: '' })
  expect(led(await send(person, 'account.set', { tier: 'team', tierWas: 'team' }))).toBeUndefined()
  expect(await actsOn(person)).toEqual(['account.set', 'plan.stop', 'plan.start'])
  const [row] = await service.sql`
    select name, organization, tier, plan_renews from accounts where id = ${person.accountId}`
  expect(row).toEqual({ name: 'Ada', organization: 'Acme', tier: 'team', plan_renews: false })
})

test('credits are taken back up to what is typed, which is checked before the code is used; a plan is ended, every key revoked', async () => {
  const person = await town.customer(100, 'free')
  for (const label of ['one', 'two'])
    await createKey(service.database, person.accountId, label, ['read:metadata'])
  const grants = (await listGrants(service.database, person.accountId)) ?? []
  const of = grants.find(({ source }) => source === 'topup')?.id ?? ''
  const idempotencyKey = once()
  const taking = { act: 'credits.take-back', on: person.accountId, of, ...operator.proof() }
  const take = (most: string) =>
    operator.submit(confirmPath(taking.act, taking.on, of), { ...taking, idempotencyKey, most })
  expect((await take('x')).status).toBe(422)
  expect(led(await take('30'))).toBe('credits.take-back')
  expect(await balanceOf(person)).toBe(320)
  // Somebody goes back and sends the form again, with a new code.
  Object.assign(taking, operator.proof())
  expect(led(await take('30'))).toBe('before')
  expect(await balanceOf(person)).toBe(320)
  await confirm('credits.take-back', person, of)
  expect((await operator.get(confirmPath(taking.act, taking.on, of))).status).toBe(404)
  await send(person, 'plan.start', { plan: 'essential', renews: 'no' })
  expect((await creditsOf(service.database, person.accountId))?.plan?.renews).toBe(false)
  expect(textIn(await operator.text(pathOf(person)))).toContain('End Essential now')
  expect(led(await confirm('plan.stop', person))).toBe('plan.stop.now')
  expect((await creditsOf(service.database, person.accountId))?.plan).toBeNull()
  await confirm('key.revoke-all', person)
  const keys = await keysOf(service.database, person.accountId)
  expect(keys.map(({ inForce }) => inForce)).toEqual([false, false])
  expect((await actsOn(person)).slice(0, 2)).toEqual(['key.revoke', 'key.revoke'])
})

test('what was changed since its confirmation was opened is not done, and asked about anew', async () => {
  const person = await town.customer(0, 'free')
  await send(person, 'plan.start', { plan: 'essential', renews: 'no' })
  const page = await operator.text(confirmPath('plan.stop', person.accountId, ''))
  const [, title = ''] = /name="title" value="([^"]+)"/.exec(page) ?? []
  expect(title).toContain('End the essential plan of')
  await send(person, 'plan.start', { plan: 'pro', renews: 'yes' })
  const answer = await confirm('plan.stop', person, '', { title })
  expect(answer.status).toBe(422)
  expect(textIn(await answer.text())).toContain(`something else when you opened it: “${title}?”`)
  expect((await creditsOf(service.database, person.accountId))?.plan?.renews).toBe(true)
  const now = title.replace('essential', 'pro')
  expect(led(await confirm('plan.stop', person, '', { title: now }))).toBe('plan.stop.now')
})

test('somebody is signed out, gets a link for a password, and has two steps turned off', async () => {
  const person = await town.customer(0, 'free')
  await twoSteps(service, person)
  expect((await person.get('/settings')).status).toBe(200)
  await confirm('user.end-sessions', person, person.userId)
  expect((await person.get('/settings')).status).toBe(303)
  const read = { email: person.email }
  const shown = await (await confirm('user.reset-link', person, person.userId, read)).text()
  const [, link = ''] = /chainkin\.example(\/reset\?token=[\w-]{43})/.exec(shown) ?? []
  expect(await town.visitor().text(link)).toContain('New password')
  await confirm('user.second-factor-off', person, person.userId)
  expect(await operator.text(pathOf(person))).not.toContain('act=user.second-factor-off')
})

test('how another operator signs in is no matter of these pages, nor is what another account has', async () => {
  const [colleague, person] = [await operatorIn(service, town), await town.customer(10, 'free')]
  for (const act of ['user.reset-link', 'factor-off']) {
    expect((await confirm(act, colleague, colleague.userId)).status).toBe(404)
  }
  const { id } = await createKey(service.database, colleague.accountId, 'x', [])
  const [grant] = (await listGrants(service.database, colleague.accountId)) ?? []
  for (const [act, of] of [
    ['key.revoke', id],
    ['credits.take-back', grant?.id],
    ['user.end-sessions', colleague.userId],
    ['plan.stop', ''],
    ['key.revoke-all', ''],
    ['constructor', ''],
  ] as const) {
    const page = confirmPath(act, person.accountId, of ?? '')
    expect([act, (await operator.get(page)).status]).toEqual([act, 404])
    expect([act, (await confirm(act, person, of)).status]).toEqual([act, 404])
  }
  expect(await actsOn(person)).toEqual([])
})

async function statusFor({ accountId }: Person) {
  const { key } = await createKey(service.database, accountId, 'x', ['read:metadata'])
  const headers = { authorization: `Bearer ${key}` }
  return async () => (await service.request('/v1/projects', { headers })).status
}

test('a suspended account’s calls are refused from then on, lists and the page say so, and a form that is sent again does nothing', async () => {
  const person = await town.customer(100, 'pro')
  const call = await statusFor(person)
  const form = {
    action: 'account.suspend',
    reason: 'Pay the <i>invoice</i>.',
    idempotencyKey: once(),
  }
  expect(led(await operator.submit(pathOf(person), form))).toBe('account.suspend')
  expect(await call()).toBe(403)
  const page = await operator.text(pathOf(person))
  expect(textIn(page)).toContain('Pay the <i>invoice</i>.')
  expect(await operator.text(`/operator/accounts?q=${person.email}`)).toContain('Suspended</span>')
  expect(await person.text('/balance')).toContain('Pay the &lt;i&gt;invoice')
  const lift = { action: 'account.resume', idempotencyKey: once() }
  expect(led(await operator.submit(pathOf(person), lift))).toBe('account.resume')
  expect(await call()).toBe(200)
  // Somebody goes back and sends both forms again.
  expect(led(await operator.submit(pathOf(person), form))).toBe('before')
  expect(led(await operator.submit(pathOf(person), lift))).toBe('before')
  expect(led(await operator.submit(pathOf(person), { ...lift, idempotencyKey: once() }))).toBe(
    'account.resume.idle',
  )
  expect(await call()).toBe(200)
  expect(await actsOn(person)).toEqual(['account.resume', 'account.suspend'])
})

test('the reason is changed while the account stays suspended', async () => {
  const person = await town.customer(0, 'free')
  for (const reason of ['Unpaid.', 'Unpaid since May.'])
    await send(person, 'account.suspend', { reason })
  expect(await person.text('/balance')).toContain('Unpaid since May.')
})

test('a note is kept once with who wrote it and when, operators read it as text, and the customer nowhere', async () => {
  const person = await town.customer(0, 'free')
  const text = 'Asked for an <b>invoice</b>.\nSecond line.'
  const form = { action: 'account.note', text, idempotencyKey: once() }
  expect(led(await operator.submit(pathOf(person), form))).toBe('account.note')
  expect(led(await operator.submit(pathOf(person), form))).toBe('before')
  const [note, ...others] = await notesOf(service.database, person.accountId)
  expect(others).toEqual([])
  expect(note).toMatchObject({ who: operator.email, text, at: expect.any(String) })
  const page = await operator.text(pathOf(person))
  expect(page).toContain('&lt;b&gt;invoice')
  expect(textIn(page)).toContain(operator.email)
  for (const path of ['/overview', '/balance', '/settings'])
    expect(await person.text(path)).not.toContain('invoice')
  expect(await actsOn(person)).toEqual(['account.note'])
})

test('an address is taken for confirmed with a code, and only the one that the operator has read', async () => {
  const person = await town.customer(0, 'free')
  const unverify = () =>
    service.sql`update users set email_verified_at = null where id = ${person.userId}`
  const fields = { act: 'user.verify', on: person.accountId, of: person.userId }
  const page = `/operator/confirm?${new URLSearchParams(fields)}`
  // It is confirmed.
  expect(await operator.text(pathOf(person))).not.toContain('act=user.verify')
  expect((await operator.get(page)).status).toBe(404)
  await unverify()
  expect(await operator.text(pathOf(person))).toContain('act=user.verify')
  const answerTo = (email: string, proof = {}) =>
    operator.submit(page, { ...fields, email, ...proof })
  expect((await answerTo(person.email)).status).toBe(422)
  expect((await answerTo('other@example.com', operator.proof())).status).toBe(404)
  expect(await actsOn(person)).toEqual([])
  expect(led(await answerTo(person.email, operator.proof()))).toBe('user.verify')
  const [row] = await service.sql`
    select email, email_verified_at is not null as done from users where id = ${person.userId}`
  expect(row).toEqual({ email: person.email, done: true })
  const colleague = await operatorIn(service, town)
  const of = { act: 'user.verify', on: colleague.accountId, of: colleague.userId }
  await service.sql`update users set email_verified_at = null where id = ${colleague.userId}`
  expect((await operator.get(`/operator/confirm?${new URLSearchParams(of)}`)).status).toBe(404)
})

describe('lists', () => {
  /** The names of the accounts of a list, all of which are called after this test. */
  async function listed(query: Record<string, string>) {
    const page = await operator.text(`/operator/accounts?${new URLSearchParams(query)}`)
    const names = [...page.matchAll(/<a href="\/operator\/accounts\/[^"]+"><bdi>Lister (\w+)/g)]
    const said = names.length > 0 ? `${names.length} account` : 'No account is found'
    expect(textIn(page)).toContain(said)
    return names.map(([, name]) => name).join(' ')
  }

  test('show the accounts of a kind, exactly counted, in the order that is asked for, and say what of an address is wrong', async () => {
    const { sql } = service
    const is = async (name: string, { accountId }: Person, credits: number) => {
      await sql`update accounts set name = ${`Lister ${name}`}, balance = ${credits} where id = ${accountId}`
    }
    const [b, a, c, d, e] = [
      await town.customer(0, 'free'),
      await town.customer(0, 'pro'),
      await town.customer(0, 'enterprise'),
      await town.customer(0, 'pro'),
      await town.customer(0, 'pro'),
    ]
    await sql`update accounts set plan = 'pro' where id = ${a.accountId}`
    // An order that was paid, and one of which all was paid back.
    for (const [{ accountId }, reversed] of [
      [d, null],
      [e, 1900],
    ] as const) {
      await sql`
        insert into payments (account_id, kind, item, credits, usd, state, charged, reversed, created_at)
        values (${accountId}, 'topup', 'small', 500, 19, 'accepted', 1900, ${reversed}, now())`
    }
    await operator.submit(pathOf(e), {
      action: 'account.suspend',
      reason: 'Unpaid.',
      idempotencyKey: once(),
    })
    for (const [name, person, credits] of [
      ['b', b, 4],
      ['a', a, 5],
      ['c', c, 0],
      ['d', d, 7],
      ['e', e, 6],
    ] as const)
      await is(name, person, credits)
    const q = 'lister'
    expect(await listed({ q })).toBe('e d c a b')
    expect(await listed({ q, sort: 'oldest' })).toBe('b a c d e')
    expect(await listed({ q, sort: 'name' })).toBe('a b c d e')
    expect(await listed({ q, sort: 'most-credits' })).toBe('d e a b c')
    expect(await listed({ q, sort: 'fewest-credits' })).toBe('c b a e d')
    expect(await listed({ q, show: 'paying' })).toBe('d a')
    // The tier of c has no ceiling.
    expect(await listed({ q, show: 'out-of-credits' })).toBe('b')
    expect(await listed({ q, show: 'suspended' })).toBe('e')
    expect(await listed({ q: 'nobody of this name' })).toBe('')
    for (const wrong of ['show=none', 'sort=best', 'sort=constructor']) {
      const answer = await operator.get(`/operator/accounts?${wrong}`)
      expect([wrong, answer.status]).toEqual([wrong, 400])
      expect(await answer.text()).toContain(`${wrong.split('=')[0]}: expected one of`)
    }
  })
})
