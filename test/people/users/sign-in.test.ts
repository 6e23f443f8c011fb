/** Signing up, in and out, on a real PostgreSQL. */
import { describe, expect, test } from 'bun:test'
import { SESSION_IDLE_SECONDS, SESSION_LASTS_SECONDS } from '../../../src/people/users/sessions.ts'
import { rejection } from '../../helpers/rejection.ts'
import { expectBooksToBalance, ledgerOf } from '../../money/charge/fixtures.ts'
import {
  linkIn,
  PASSWORD,
  requestWith,
  sentBack,
  sharedPeople,
  signedIn,
  tokenIn,
} from './fixtures.ts'

const people = sharedPeople()

describe('signing up', () => {
  test('makes an account on trial: its credits, its owner, its ledger, all in one', async () => {
    const { session, email } = await people.person('Grace')
    expect(session).toMatchObject({
      user: { name: 'Grace', email, emailVerified: false },
      account: { name: 'Grace', organization: null, tier: 'free', creditsBalance: 250 },
      role: 'owner',
    })
    const [entry, ...others] = await ledgerOf(people.sql, session.account.id)
    expect([entry?.kind, entry?.credits, others]).toEqual(['grant', 250, []])
    const [grant] =
      await people.sql`select source, expires_at from credit_grants where account_id = ${session.account.id}`
    expect(grant?.source).toBe('trial')
    expect(grant?.expires_at.getTime()).toBe(people.clock.now() + 7 * 86_400_000)
    await expectBooksToBalance(people.sql)
  })

  test('an address that is taken is answered like a new one, and changes nothing', async () => {
    const { email } = await people.person()
    const before = await people.sql`select count(*)::integer as users from users`
    const answers = await Promise.all([
      people.unmailed.signUp(
        { name: 'Eve', email, password: 'another password' },
        people.newAddress(),
      ),
      people.unmailed.signUp(
        { name: 'Eve', email: 'new-eve@example.com', password: PASSWORD },
        people.newAddress(),
      ),
    ])
    expect(answers[0]).toEqual(answers[1])
    const after = await people.sql`select count(*)::integer as users from users`
    expect(after[0]?.users).toBe(before[0]?.users + 1)
    await people.signIn(email)
  })

  test('twenty sign-ups of one address at once make one person and one account', async () => {
    const form = { name: 'Many', email: 'many@example.com', password: PASSWORD }
    await Promise.all(
      Array.from({ length: 20 }, () => people.unmailed.signUp(form, people.newAddress())),
    )
    const [row] =
      await people.sql`select count(*)::integer as accounts from accounts where email = ${form.email}`
    expect(row?.accounts).toBe(1)
    await expectBooksToBalance(people.sql)
  })

  test.each([
    ['email', { email: 'nobody' }],
    ['email', { email: 'a@b@c.example' }],
    ['email', { email: `${'x'.repeat(250)}@example.com` }],
    ['name', { name: ' ' }],
    ['name', { name: 'two\nlines' }],
    ['password', { password: 'short' }],
    ['password', { password: 'x'.repeat(201) }],
  ])('a %s that can’t be taken is named', async (field, changes) => {
    const form = { name: 'Ada', email: 'fields@example.com', password: PASSWORD, ...changes }
    const refused = people.unmailed.signUp(form, people.newAddress())
    expect(await rejection(refused)).toMatchObject({ name: 'FieldError', field })
  })

  test('a referral code that can be nobody’s is as if there were none', async () => {
    for (const code of ['', 'x', 'nul\0', "' or true --", '0'.repeat(1_000)]) {
      const { session } = await people.person('Guest', code)
      const [row] =
        await people.sql`select referrer_id from referrals where account_id = ${session.account.id}`
      expect(row?.referrer_id).toBeNull()
    }
  })

  test('an address is the same however it is typed', async () => {
    const { email } = await people.person()
    await people.signIn(` ${email.toUpperCase()} `)
  })

  test('with mail: a letter confirms a new address, and one that is known gets a letter that says so', async () => {
    const form = { name: 'Mail', email: 'mail@example.com', password: PASSWORD }
    const address = people.newAddress()
    await people.mailed.signUp(form, address)
    const token = linkIn(people.letters, form.email)
    expect(await people.mailed.signIn(form, requestWith(), address)).toEqual({
      outcome: 'unverified',
    })
    expect(await people.mailed.confirmEmail(token, address)).toEqual({ outcome: 'confirmed' })
    expect(await people.mailed.confirmEmail(token, address)).toEqual({ outcome: 'expired' })
    await signedIn(people.mailed, form.email, PASSWORD, address)
    await people.mailed.signUp(form, address)
    expect(people.letters.at(-1)?.subject).toContain('You have an account')
    expect(people.letters.at(-1)?.text).not.toContain('token=')
  })
})

describe('signing in', () => {
  test('a wrong password and an unknown address are answered alike', async () => {
    const { email } = await people.person()
    const answers = await Promise.all(
      [email, 'stranger@example.com', 'no address', 'nul\0@example.com', 'x'.repeat(100_000)].map(
        (each) =>
          people.unmailed.signIn(
            { email: each, password: 'wrong' },
            requestWith(),
            people.newAddress(),
          ),
      ),
    )
    expect(answers).toEqual(Array(5).fill({ outcome: 'wrong' }))
  })
})

describe('sessions', () => {
  test('the cookie is HttpOnly, SameSite=Lax, of the whole host; over https bound to it', async () => {
    const { email } = await people.person()
    const answer = await people.unmailed.signIn(
      { email, password: PASSWORD },
      requestWith(),
      people.newAddress(),
    )
    const [cookie = '', browser = ''] = answer.outcome === 'signed_in' ? answer.cookies : []
    expect(browser).toMatch(
      /^ck_browser=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(cookie).toMatch(/^ck_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    const { createCookies } = await import('../../../src/people/users/cookies.ts')
    const secure = createCookies('https://app.example').setSession('x', 60)
    expect(secure).toMatch(
      /^__Host-ck_session=x; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
  })

  test('the database holds no token: what stands there opens nothing', async () => {
    const { cookie } = await people.person()
    const rows = await people.sql`select * from sessions`
    expect(JSON.stringify(rows)).not.toContain(tokenIn(cookie))
    for (const { hash } of rows) {
      expect(await people.sessionOf(`ck_session=${hash.slice(0, 43)}`)).toBeUndefined()
    }
  })

  test('fixation: a session that a browser had before opens nothing after signing in', async () => {
    const { email, cookie } = await people.person()
    const answer = await people.unmailed.signIn(
      { email, password: PASSWORD },
      requestWith(cookie),
      people.newAddress(),
    )
    const next = answer.outcome === 'signed_in' ? sentBack(answer.cookies) : ''
    expect(tokenIn(next)).not.toBe(tokenIn(cookie))
    expect(await people.sessionOf(cookie)).toBeUndefined()
    expect(await people.sessionOf(next)).toBeDefined()
  })

  test('signing out ends the session on the server', async () => {
    const { cookie } = await people.person()
    const { cookies } = await people.unmailed.signOut(requestWith(cookie))
    expect(cookies[0]).toStartWith('ck_session=; Max-Age=0')
    expect(await people.sessionOf(cookie)).toBeUndefined()
  })

  test('a session ends when it was not used for long, and when it is old however much it was used', async () => {
    const [idle, busy] = [await people.person(), await people.person()]
    const is = async (cookie: string) => (await people.sessionOf(cookie)) !== undefined
    await people.clock.advance(SESSION_IDLE_SECONDS - 1)
    expect(await is(busy.cookie)).toBe(true)
    await people.clock.advance(1)
    expect([await is(idle.cookie), await is(busy.cookie)]).toEqual([false, true])
    const left = SESSION_LASTS_SECONDS - SESSION_IDLE_SECONDS
    for (let passed = 86_400; passed < left; passed += 86_400) {
      await people.clock.advance(86_400)
      expect(await is(busy.cookie)).toBe(true)
    }
    await people.clock.advance(86_400)
    expect(await is(busy.cookie)).toBe(false)
  })

  test('two cookies of the name, or one of another form, are none', async () => {
    const { cookie } = await people.person()
    const own = `ck_session=${tokenIn(cookie)}`
    for (const sent of [`${own}; ${own}`, 'ck_session=', 'ck_session=x', `${own}x`]) {
      expect(await people.sessionOf(sent)).toBeUndefined()
    }
  })
})
