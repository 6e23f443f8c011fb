/** The operator's lists of accounts by kind and order; an account suspended and let go on, noted about, its people's addresses confirmed. */
import { describe, expect, test } from 'bun:test'
import { notesOf } from '../../src/console/acts/accounts.ts'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { operatorIn, sharedOperator } from './operators.ts'
import { textIn } from './reading.ts'
import { type Person, sharedTown } from './visitor.ts'

const { service, town } = sharedTown()

const operator = sharedOperator(service, town)

const pathOf = ({ accountId }: Person) => `/operator/accounts/${accountId}`
const once = () => crypto.randomUUID()
const actsOn = async ({ accountId }: Person) =>
  (await readAuditLog(service.database, { account: accountId, limit: 50 })).map(({ act }) => act)
const led = (response: Response) => response.headers.get('location')?.split('said=')[1]

async function statusFor({ accountId }: Person) {
  const { key } = await createKey(service.database, accountId, 'x', ['read:metadata'])
  const headers = { authorization: `Bearer ${key}` }
  return async () => (await service.request('/v1/projects', { headers })).status
}

describe('an operator suspends an account on its page, and lets it go on', () => {
  test('its calls are refused from then on, lists and the page say so, and a form that is sent again does nothing', async () => {
    const person = await town.customer(100, 'pro')
    const call = await statusFor(person)
    const form = { action: 'suspend', reason: 'Pay the <i>invoice</i>.', idempotencyKey: once() }
    expect(led(await operator.submit(pathOf(person), form))).toBe('suspended')
    expect(await call()).toBe(403)
    const page = await operator.text(pathOf(person))
    expect(textIn(page)).toContain('Pay the <i>invoice</i>.')
    expect(await operator.text(`/operator/accounts?q=${person.email}`)).toContain(
      'Suspended</span>',
    )
    expect(await person.text('/balance')).toContain('Pay the &lt;i&gt;invoice')
    const lift = { action: 'resume', idempotencyKey: once() }
    expect(led(await operator.submit(pathOf(person), lift))).toBe('resumed')
    expect(await call()).toBe(200)
    // Somebody goes back and sends both forms again.
    expect(led(await operator.submit(pathOf(person), form))).toBe('before')
    expect(led(await operator.submit(pathOf(person), lift))).toBe('before')
    expect(led(await operator.submit(pathOf(person), { ...lift, idempotencyKey: once() }))).toBe(
      'running',
    )
    expect(await call()).toBe(200)
    expect(await actsOn(person)).toEqual(['account.resume', 'account.suspend'])
  })

  test('a reason is asked for, on one line, and is changed while the account stays suspended', async () => {
    const person = await town.customer(0, 'free')
    const sent = (reason: string) => ({ action: 'suspend', reason, idempotencyKey: once() })
    for (const [reason, problem] of [
      ['', 'Please fill this in.'],
      ['x'.repeat(501), 'At most 500 characters.'],
      ['a\nb', 'Only one line of text.'],
    ] as const) {
      const answer = await operator.submit(pathOf(person), sent(reason))
      expect([problem, answer.status]).toEqual([problem, 422])
      const page = await answer.text()
      expect(page).toContain(problem)
      // The form that is refused is not folded away.
      expect(page).toMatch(/<details class="folded" open[^>]*><summary><h2 id="suspend"/)
    }
    expect(await actsOn(person)).toEqual([])
    for (const reason of ['Unpaid.', 'Unpaid since May.'])
      await operator.submit(pathOf(person), sent(reason))
    expect(await person.text('/balance')).toContain('Unpaid since May.')
  })
})

test('a note is kept once with who wrote it and when, operators read it as text, and the customer nowhere', async () => {
  const person = await town.customer(0, 'free')
  const text = 'Asked for an <b>invoice</b>.\nSecond line.'
  const form = { action: 'note', text, idempotencyKey: once() }
  expect(led(await operator.submit(pathOf(person), form))).toBe('noted')
  expect(led(await operator.submit(pathOf(person), form))).toBe('before')
  const [note, ...others] = await notesOf(service.database, person.accountId)
  expect(others).toEqual([])
  expect(note).toMatchObject({ who: operator.email, text, at: expect.any(String) })
  const page = await operator.text(pathOf(person))
  expect(page).toContain('&lt;b&gt;invoice')
  expect(textIn(page)).toContain(operator.email)
  for (const path of ['/overview', '/balance', '/settings'])
    expect(await person.text(path)).not.toContain('invoice')
  for (const wrong of ['', ' \n ', 'x'.repeat(2_001)]) {
    const sent = { action: 'note', text: wrong, idempotencyKey: once() }
    expect((await operator.submit(pathOf(person), sent)).status).toBe(422)
  }
  expect(await actsOn(person)).toEqual(['account.note'])
})

test('an address is taken for confirmed with a code, and only the one that the operator has read', async () => {
  const person = await town.customer(0, 'free')
  const unverify = () =>
    service.sql`update users set email_verified_at = null where id = ${person.userId}`
  const fields = { act: 'verify', on: person.accountId, of: person.userId }
  const page = `/operator/confirm?${new URLSearchParams(fields)}`
  // It is confirmed.
  expect(await operator.text(pathOf(person))).not.toContain('act=verify')
  expect((await operator.get(page)).status).toBe(404)
  await unverify()
  expect(await operator.text(pathOf(person))).toContain('act=verify')
  const answerTo = (email: string, proof = {}) =>
    operator.submit(page, { ...fields, email, ...proof })
  expect((await answerTo(person.email)).status).toBe(422)
  expect((await answerTo('other@example.com', operator.proof())).status).toBe(404)
  expect(await actsOn(person)).toEqual([])
  expect(led(await answerTo(person.email, operator.proof()))).toBe('verified')
  const [row] = await service.sql`
    select email, email_verified_at is not null as done from users where id = ${person.userId}`
  expect(row).toEqual({ email: person.email, done: true })
  const colleague = await operatorIn(service, town)
  const of = { act: 'verify', on: colleague.accountId, of: colleague.userId }
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
      ...{ action: 'suspend', reason: 'Unpaid.', idempotencyKey: once() },
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
