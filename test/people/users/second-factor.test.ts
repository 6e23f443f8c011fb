/** Two-step sign-in, on a real PostgreSQL: codes are taken once, and no password alone gets past them. */
import { describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { perform } from '../../../src/console/acts/perform.ts'
import { turnSecondFactorOff } from '../../../src/console/acts/users.ts'
import { hasSecondFactor } from '../../../src/people/users/second-factor-store.ts'
import { rejection } from '../../helpers/rejection.ts'
import {
  linkIn,
  PASSWORD,
  type Person,
  requestWith,
  sentBack,
  sharedPeople,
  signedIn,
  tokenIn,
  turnOnTwoSteps,
} from './fixtures.ts'

const people = sharedPeople()

/** The code of the app so many steps from now. */
function codeOf(secret: string, steps = 0): string {
  const timestamp = people.clock.now() + steps * 30_000
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp })
}

interface Careful extends Person {
  secret: string
  codes: string[]
}

/** Somebody with a second factor. */
async function careful(name?: string): Promise<Careful> {
  const person = await people.person(name)
  await people.sql`update users set email_verified_at = meter_now() where email = ${person.email}`
  return { ...person, ...(await turnOnTwoSteps(people.sql, person.session.user.id)) }
}

async function begin({ session }: Person) {
  const begun = await people.mailed.secondFactor.begin(session, PASSWORD, people.newAddress())
  if (begun.outcome !== 'begun') throw new Error(begun.outcome)
  return { cookie: sentBack(begun.cookies) }
}

/** The first step: @returns the cookie of whoever is to show a code. */
async function firstStep(email: string, password = PASSWORD, browser?: string): Promise<string> {
  const answer = await people.mailed.signIn(
    { email, password },
    requestWith(browser),
    people.newAddress(),
  )
  if (answer.outcome !== 'code') throw new Error(answer.outcome)
  return [browser, sentBack(answer.cookies)].filter(Boolean).join('; ')
}

const secondStep = (cookie: string, code: string, address = people.newAddress()) =>
  people.mailed.finishSignIn(code, requestWith(cookie), address)

async function outcomeOf(attempt: Promise<{ outcome: string }>): Promise<string> {
  return attempt.then(
    ({ outcome }) => outcome,
    (error: Error) => error.name,
  )
}

describe('turning it on', () => {
  test('signs out every other browser, and a copy of this one’s cookie of before', async () => {
    const person = await people.person('Turner')
    const elsewhere = await people.signIn(person.email)
    const { cookie } = await begin(person)
    expect(await people.sessionOf(person.cookie)).toBeUndefined()
    const session = await people.sessionOf(cookie)
    if (!session) throw new Error('nobody is signed in')
    expect(await hasSecondFactor(people.database, session.user.id)).toBe(false)
    const { secret = '', uri = '' } = (await people.mailed.secondFactor.setup(session)) ?? {}
    expect(uri).toStartWith('otpauth://totp/Test:')
    const on = await people.mailed.secondFactor.turnOn(session, codeOf(secret), requestWith(cookie))
    expect(on).toMatchObject({ outcome: 'on' })
    expect(await hasSecondFactor(people.database, session.user.id)).toBe(true)
    expect(await people.sessionOf(elsewhere)).toBeUndefined()
    expect(await people.sessionOf(cookie)).toBeDefined()
    expect(people.letters.findLast(({ to }) => to === person.email)?.text).toContain('turned on')
  })

  test('asks for the password, and for a code that the app shows now', async () => {
    const person = await people.person()
    const { secondFactor } = people.mailed
    const wrong = secondFactor.begin(person.session, 'wrong', people.newAddress())
    expect(await rejection(wrong)).toMatchObject({ name: 'FieldError', field: 'password' })
    const { cookie } = await begin(person)
    const session = await people.sessionOf(cookie)
    if (!session) throw new Error('nobody is signed in')
    const { secret = '' } = (await secondFactor.setup(session)) ?? {}
    for (const code of [
      '',
      '000',
      '٠٠٠٠٠٠',
      codeOf(secret, -2),
      codeOf(secret, 2),
      'x'.repeat(9_000),
    ]) {
      const refused = secondFactor.turnOn(session, code, requestWith(cookie))
      expect(await rejection(refused)).toMatchObject({ name: 'FieldError', field: 'code' })
    }
    await people.clock.advance(3_601)
    expect(await secondFactor.turnOn(session, codeOf(secret), requestWith(cookie))).toEqual({
      outcome: 'expired',
    })
    expect(await hasSecondFactor(people.database, session.user.id)).toBe(false)
  })

  test('only the session that began it sees the secret', async () => {
    const person = await people.person()
    const elsewhere = await people.signIn(person.email)
    await begin(person)
    const other = await people.sessionOf(elsewhere)
    expect(other && (await people.mailed.secondFactor.setup(other))).toBeUndefined()
  })

  test('is refused where it is on', async () => {
    const person = await careful()
    const again = people.mailed.secondFactor.begin(person.session, PASSWORD, people.newAddress())
    expect(await again).toEqual({ outcome: 'on' })
    expect(await people.sessionOf(person.cookie)).toBeDefined()
  })
})

describe('signing in', () => {
  test('a password alone begins no session, and makes no browser known', async () => {
    const { email, secret } = await careful()
    const answer = await people.mailed.signIn(
      { email, password: PASSWORD },
      requestWith(),
      people.newAddress(),
    )
    if (answer.outcome !== 'code') throw new Error(answer.outcome)
    const cookie = sentBack(answer.cookies)
    expect(cookie).toMatch(/^ck_pending=[\w-]{43}$/)
    expect(await people.sessionOf(cookie.replace('pending', 'session'))).toBeUndefined()
    const done = await secondStep(cookie, codeOf(secret))
    if (done.outcome !== 'signed_in') throw new Error(done.outcome)
    expect(await people.sessionOf(sentBack(done.cookies))).toBeDefined()
    expect(await secondStep(cookie, codeOf(secret, 1))).toEqual({ outcome: 'expired' })
  })

  test('a code is taken once, whoever shows it again', async () => {
    const { email, secret } = await careful()
    const [one, other] = [await firstStep(email), await firstStep(email)]
    expect(await secondStep(one, codeOf(secret))).toMatchObject({ outcome: 'signed_in' })
    expect(await rejection(secondStep(other, codeOf(secret)))).toMatchObject({ field: 'code' })
    expect(await rejection(secondStep(other, codeOf(secret, -1)))).toMatchObject({ field: 'code' })
    expect(await secondStep(other, codeOf(secret, 1))).toMatchObject({ outcome: 'signed_in' })
  })

  test('a code that was taken while the clock ran ahead keeps no later one out once the clock is right', async () => {
    const { email, secret } = await careful()
    const right = people.clock.now()
    await people.clock.advance(7_200)
    expect(await secondStep(await firstStep(email), codeOf(secret))).toMatchObject({
      outcome: 'signed_in',
    })
    await people.clock.set(right)
    const [one, other] = [await firstStep(email), await firstStep(email)]
    expect(await secondStep(one, codeOf(secret))).toMatchObject({ outcome: 'signed_in' })
    expect(await rejection(secondStep(other, codeOf(secret)))).toMatchObject({ field: 'code' })
  })

  test.each(['app', 'recovery'])(
    'of ten browsers that show one %s code at once, one gets in',
    async (kind) => {
      const { email, secret, codes, session } = await careful()
      const code = kind === 'app' ? codeOf(secret) : (codes[0] ?? '')
      const cookies = await Promise.all(Array.from({ length: 10 }, () => firstStep(email)))
      const outcomes = await Promise.all(
        cookies.map((cookie) => outcomeOf(secondStep(cookie, code))),
      )
      expect(outcomes.sort()).toEqual([...Array(9).fill('FieldError'), 'signed_in'])
      const [row] = await people.sql`
      select count(*)::integer as sessions from sessions where user_id = ${session.user.id}`
      expect(row?.sessions).toBe(2)
    },
  )

  test('of one form that is sent twice at once, one begins a session', async () => {
    const { email, codes } = await careful()
    const cookie = await firstStep(email)
    const outcomes = await Promise.all(
      codes.slice(0, 5).map((code) => outcomeOf(secondStep(cookie, code))),
    )
    expect(outcomes.filter((outcome) => outcome === 'signed_in')).toEqual(['signed_in'])
  })

  test('a recovery code works once, however it is typed, and a mail says so', async () => {
    const { email, codes } = await careful()
    expect(codes.length).toBe(10)
    const [code = ''] = codes
    expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `
    expect(await secondStep(await firstStep(email), typed)).toMatchObject({ outcome: 'signed_in' })
    const letter = people.letters.findLast(({ to }) => to === email)
    expect(letter?.text).toContain('9 codes still work')
    expect(letter?.text).not.toContain(code)
    expect(await rejection(secondStep(await firstStep(email), code))).toMatchObject({
      field: 'code',
    })
  })

  test('it ends after ten minutes, and with the password', async () => {
    const { email, secret, session } = await careful()
    const late = await firstStep(email)
    await people.clock.advance(601)
    expect(await secondStep(late, codeOf(secret))).toEqual({ outcome: 'expired' })
    const pending = await firstStep(email)
    const form = { current: PASSWORD, password: `${PASSWORD} too` }
    await people.mailed.changePassword(session, form, people.newAddress())
    expect(await secondStep(pending, codeOf(secret))).toEqual({ outcome: 'expired' })
    expect(await people.mailed.isPending(requestWith(pending))).toBe(false)
  })

  test('a password that was reset by a mail still asks for a code', async () => {
    const { email, secret } = await careful()
    await people.mailed.requestReset(email, people.newAddress())
    const token = linkIn(people.letters, email)
    const password = 'another good password'
    await people.mailed.resetPassword({ token, password }, people.newAddress())
    const pending = await firstStep(email, password)
    expect(await secondStep(pending, codeOf(secret))).toMatchObject({ outcome: 'signed_in' })
  })

  test('the session in which a password was changed goes on without a code', async () => {
    const { session } = await careful()
    const form = { current: PASSWORD, password: `${PASSWORD} too` }
    const changed = await people.mailed.changePassword(session, form, people.newAddress())
    if (changed.outcome !== 'changed') throw new Error(changed.outcome)
    expect(await people.sessionOf(sentBack(changed.cookies))).toBeDefined()
  })

  test('whoever was signed out while their form was on its way stays out', async () => {
    const { email, session } = await careful()
    await people.sql`delete from sessions where id = ${session.id}`
    const form = { current: PASSWORD, password: `${PASSWORD} too` }
    const late = people.mailed.changePassword(session, form, people.newAddress())
    expect(await rejection(late)).toMatchObject({ name: 'FieldError', field: 'current' })
    await firstStep(email)
    const other = await people.person()
    await people.sql`delete from sessions where id = ${other.session.id}`
    const begun = people.mailed.secondFactor.begin(other.session, PASSWORD, people.newAddress())
    expect(await rejection(begun)).toMatchObject({ name: 'FieldError', field: 'password' })
    const [row] = await people.sql`
      select count(*)::integer as sessions from sessions where user_id = ${session.user.id} or user_id = ${other.session.user.id}`
    expect(row?.sessions).toBe(0)
  })

  test('an instance of the last release lets nobody in by a password alone', async () => {
    const [one, other] = [await careful(), await people.person()]
    const begunBy = async ({ email }: Person) => {
      const [row] = await people.sql`
        select session_begin(id, password, ${crypto.randomUUID()}, interval '1 day') as begun
          from users where email = ${email}`
      return row?.begun
    }
    expect(await begunBy(one)).toBe(false)
    expect(await begunBy(other)).toBe(true)
  })
})

describe('limits', () => {
  test('strangers who know the password are stopped together; the owner is told and gets in', async () => {
    const { email, secret, codes } = await careful()
    const before = await secondStep(await firstStep(email), codeOf(secret))
    if (before.outcome !== 'signed_in') throw new Error(before.outcome)
    const known = /ck_browser=[\w-]+/.exec(sentBack(before.cookies))?.[0]
    await people.clock.advance(60)
    const right = [-1, 0, 1].map((at) => codeOf(secret, at))
    const wrong =
      ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
    const stranger = await firstStep(email)
    const tries: string[] = []
    for (let count = 0; count < 11; count++) {
      tries.push(await outcomeOf(secondStep(stranger, wrong)))
    }
    expect(tries).toEqual([...Array(10).fill('FieldError'), 'limited'])
    const letter = people.letters.findLast(({ to }) => to === email)
    expect(letter?.subject).toContain('may know your password')
    expect(await secondStep(stranger, codeOf(secret))).toMatchObject({ outcome: 'limited' })
    const owner = await firstStep(email, PASSWORD, known)
    expect(await secondStep(owner, codeOf(secret))).toMatchObject({ outcome: 'signed_in' })
    // Away from every browser that the account knows, a recovery code gets in.
    expect(await secondStep(stranger, codes[0] ?? '')).toMatchObject({ outcome: 'signed_in' })
  })

  test('in a day strangers try thirty codes of one person', async () => {
    const { email, secret } = await careful()
    const right = codeOf(secret, 1)
    const outcomes: string[] = []
    for (let quarter = 0; quarter < 4; quarter++) {
      const stranger = await firstStep(email)
      const wrong = ['000000', '111111'].find((code) => code !== right) ?? ''
      for (let count = 0; count < 10; count++) {
        outcomes.push(await outcomeOf(secondStep(stranger, wrong)))
      }
      await people.clock.advance(901)
    }
    expect(outcomes.filter((outcome) => outcome === 'limited').length).toBe(10)
  })

  test('what is no code at all counts as no attempt', async () => {
    const { email, secret } = await careful()
    const pending = await firstStep(email)
    for (const typed of [
      '',
      ' ',
      '12345',
      '1234567',
      '<b>',
      'nul\0',
      '٠٠٠٠٠٠',
      'u'.repeat(16),
      'x'.repeat(9_000),
    ]) {
      expect(await rejection(secondStep(pending, typed))).toMatchObject({
        name: 'FieldError',
        field: 'code',
      })
    }
    const [row] = await people.sql`
      select count(*)::integer as counted from turns
       where subject = 'code strangers ' || (select id from users where email = ${email})`
    expect(row?.counted).toBe(0)
    const digits = codeOf(secret)
    expect(await secondStep(pending, ` ${digits.slice(0, 3)} ${digits.slice(3)} `)).toMatchObject({
      outcome: 'signed_in',
    })
  })
})

describe('turning it off', () => {
  test('asks for password and code, and then the password alone signs in', async () => {
    const { email, secret, session } = await careful()
    const { secondFactor } = people.mailed
    const act = (password: string, code: string) =>
      secondFactor.turnOff(session, { password, code }, people.newAddress())
    expect(await rejection(act('wrong', codeOf(secret)))).toMatchObject({ field: 'password' })
    expect(await rejection(act(PASSWORD, codeOf(secret, 3)))).toMatchObject({ field: 'code' })
    const pending = await firstStep(email)
    expect(await act(PASSWORD, codeOf(secret))).toEqual({ outcome: 'done' })
    expect(people.letters.findLast(({ to }) => to === email)?.text).toContain('turned off')
    expect(await secondStep(pending, codeOf(secret, 1))).toEqual({ outcome: 'expired' })
    await signedIn(people.mailed, email, PASSWORD, people.newAddress())
    const [row] = await people.sql`
      select count(*)::integer as codes from recovery_codes where user_id = ${session.user.id}`
    expect(row?.codes).toBe(0)
  })

  test('the operator turns it off for somebody who has lost both', async () => {
    const { email, session } = await careful()
    const by = { via: 'command', userId: null, who: 'root', address: null } as const
    const turnOff = () => perform(people.database, by, turnSecondFactorOff, session.user.id)
    expect(await turnOff()).toBe(true)
    expect(await turnOff()).toBeUndefined()
    await signedIn(people.mailed, email, PASSWORD, people.newAddress())
  })
})

test('new recovery codes replace the old ones', async () => {
  const { email, secret, session, codes } = await careful()
  const proof = { password: PASSWORD, code: codeOf(secret) }
  const made = await people.mailed.secondFactor.renewCodes(session, proof, people.newAddress())
  if (made.outcome !== 'done') throw new Error(made.outcome)
  const pending = await firstStep(email)
  expect(await rejection(secondStep(pending, codes[0] ?? ''))).toMatchObject({ field: 'code' })
  expect(await secondStep(pending, made.codes[0] ?? '')).toMatchObject({ outcome: 'signed_in' })
})

test('the database holds no token of a pending sign-in and no recovery code', async () => {
  const { email, codes } = await careful()
  const pending = await firstStep(email)
  const token = /ck_pending=([\w-]+)/.exec(pending)?.[1] ?? ''
  const rows = JSON.stringify([
    ...(await people.sql`select * from pending_sign_ins`),
    ...(await people.sql`select * from recovery_codes`),
  ])
  expect(rows).not.toContain(token)
  for (const code of codes) {
    expect(rows).not.toContain(code)
    expect(rows).not.toContain(code.replaceAll('-', ''))
  }
  expect(tokenIn(pending)).toBe('')
})
