/** Wrong passwords: what they cost whoever guesses, and that they cost the owner nothing. On a real PostgreSQL. */
import { describe, expect, spyOn, test } from 'bun:test'
import { TooBusy } from '../../../src/people/users/answers.ts'
import { WRONG_PASSWORDS } from '../../../src/people/users/password-check.ts'
import { createPasswords } from '../../../src/people/users/passwords.ts'
import { createUsers } from '../../../src/people/users/users.ts'
import {
  APP_URL,
  AT_ONCE,
  linkIn,
  PASSWORD,
  passwords,
  requestWith,
  sentBack,
  sharedPeople,
  signedIn,
} from './fixtures.ts'

/** `.ci/long models` makes 10,000 of them. */
const ATTEMPTS = Number(process.env.SIGN_IN_ATTEMPTS ?? 1_000)
const SECONDS = 900

const people = sharedPeople()

function signIn(email: string, password: string, address = people.newAddress(), cookie?: string) {
  return people.unmailed.signIn({ email, password }, requestWith(cookie), address)
}

/** Wrong passwords, each from an address of its own. */
async function attack(email: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++)
    expect(await signIn(email, 'wrong')).toEqual({ outcome: 'wrong' })
}

describe('whoever guesses', () => {
  test('is limited on one account by the address, and the account’s other visitors are not', async () => {
    const { email } = await people.person()
    const address = people.newAddress()
    const guesses = Array.from({ length: 20 }, () => signIn(email, 'wrong', address))
    const outcomes = (await Promise.all(guesses)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(WRONG_PASSWORDS.account)
    expect(await signIn(email, PASSWORD, address)).toEqual({
      outcome: 'limited',
      retryAfter: SECONDS,
    })
    expect(await signIn(email, PASSWORD)).toMatchObject({ outcome: 'signed_in' })
    await people.clock.advance(SECONDS)
    await signedIn(people.unmailed, email, PASSWORD, address)
  })

  test('is limited from one address, whomever the guesses are on; what worked doesn’t count', async () => {
    const { email } = await people.person()
    const address = people.newAddress()
    for (let count = 0; count < 3; count++)
      await signedIn(people.unmailed, email, PASSWORD, address)
    const attempts = Array.from({ length: WRONG_PASSWORDS.address + 5 }, (_, number) => number)
    const outcomes: string[] = []
    for (const number of attempts)
      outcomes.push((await signIn(`n${number}@example.com`, 'wrong', address)).outcome)
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(WRONG_PASSWORDS.address)
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(5)
  })

  test('is counted alike on an address that nobody has', async () => {
    const address = people.newAddress()
    const guess = () => signIn('nobody@example.com', 'wrong', address)
    for (let sent = 0; sent < WRONG_PASSWORDS.account; sent++) await guess()
    expect(await guess()).toEqual({ outcome: 'limited', retryAfter: SECONDS })
  })

  test(`${ATTEMPTS} guesses on one account, from as many addresses, cost ten hashes and one for each span between two`, async () => {
    const { email, cookie } = await people.person()
    await attack(email, WRONG_PASSWORDS.strangers)
    const anHour = 3_600_000
    const slowly = createUsers({
      ...people,
      mailer: { sends: false, send: async () => {} },
      passwords: createPasswords({
        settings: { cost: 2 ** 11, block: 8, parallel: 1 },
        apartMs: anHour,
      }),
      background: AT_ONCE,
      serviceName: 'Test',
      appUrl: APP_URL,
      trialCredits: 0,
    })
    const outcomes = new Map<string, number>()
    let [sent, answered] = [0, 0]
    async function guess() {
      sent++
      const form = { email, password: 'wrong' }
      const outcome = await slowly.signIn(form, requestWith(), people.newAddress()).then(
        (answer) => answer.outcome,
        (error: unknown) => (error instanceof TooBusy ? 'busy' : String(error)),
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      answered++
    }
    while (sent < ATTEMPTS) {
      for (let count = 0; count < 100; count++) void guess()
      // All but those who wait for their turn on the account.
      while (answered < sent - 20) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(Object.fromEntries(outcomes)).toEqual({ wrong: 1, busy: sent - 21 })
    // In the middle of it the owner is not even slower.
    const form = { email, password: PASSWORD }
    expect(await slowly.signIn(form, requestWith(cookie), people.newAddress())).toMatchObject({
      outcome: 'signed_in',
    })
  })
})

describe('during an attack on an account', () => {
  test('its owner signs in at the first attempt: by a browser that it knows, and by one that it has never seen', async () => {
    const { email, cookie } = await people.person()
    await attack(email, 3 * WRONG_PASSWORDS.strangers)
    const verify = spyOn(passwords, 'verify')
    expect(await signIn(email, PASSWORD, people.newAddress(), cookie)).toMatchObject({
      outcome: 'signed_in',
    })
    expect(verify.mock.calls[0]?.[2]).toMatchObject({ isKnown: true, isSlowed: false })
    verify.mockClear()
    expect(await signIn(email, PASSWORD)).toMatchObject({ outcome: 'signed_in' })
    // In line before whoever has failed already.
    expect(verify.mock.calls[0]?.[2]).toMatchObject({ isKnown: false, isSlowed: true, failures: 0 })
    verify.mockRestore()
  })

  test('a browser that it knows gets in from the attackers’ own address, and after mistakes of its own', async () => {
    const { email, cookie } = await people.person()
    const address = people.newAddress()
    for (let sent = 0; sent < 15; sent++) await signIn(email, 'wrong', address)
    expect(await signIn(email, PASSWORD, address)).toMatchObject({ outcome: 'limited' })
    for (let mistake = 1; mistake < WRONG_PASSWORDS.known; mistake++)
      expect(await signIn(email, 'mistake', address, cookie)).toEqual({ outcome: 'wrong' })
    expect(await signIn(email, PASSWORD, address, cookie)).toMatchObject({ outcome: 'signed_in' })
  })

  test('the browser in which a reset was done gets in at once, wherever it is', async () => {
    const { email } = await people.person()
    const address = people.newAddress()
    for (let sent = 0; sent < 15; sent++) await signIn(email, 'wrong', address)
    await people.mailed.requestReset(email, people.newAddress())
    const form = { token: linkIn(people.letters, email), password: `${PASSWORD} anew` }
    const reset = await people.mailed.resetPassword(form, address)
    const cookie = reset.outcome === 'changed' ? sentBack(reset.cookies) : ''
    expect(await people.sessionOf(cookie)).toBeUndefined()
    expect(await signIn(email, form.password, address)).toMatchObject({ outcome: 'limited' })
    expect(await signIn(email, form.password, address, cookie)).toMatchObject({
      outcome: 'signed_in',
    })
  })

  test('who is signed in still changes password and address', async () => {
    const { email, session } = await people.person()
    await attack(email, 2 * WRONG_PASSWORDS.strangers)
    const form = { password: PASSWORD, email: `calm-${email}` }
    const address = people.newAddress()
    expect(await people.unmailed.changeEmail(session, form, address)).toEqual({ outcome: 'done' })
  })
})

describe('a known browser', () => {
  const known = async (email: string, cookie: string) => {
    const verify = spyOn(passwords, 'verify')
    await signIn(email, 'wrong', people.newAddress(), cookie)
    const [, , place] = verify.mock.calls[0] ?? []
    verify.mockRestore()
    return place?.isKnown
  }

  test('is known to one account, and to no other', async () => {
    const [one, other] = [await people.person(), await people.person()]
    expect(await known(one.email, one.cookie)).toBe(true)
    expect(await known(one.email, other.cookie)).toBe(false)
    expect(await known('nobody@example.com', one.cookie)).toBe(false)
  })

  test('is known after signing out, for half a year, and until the password changes', async () => {
    const { email, cookie } = await people.person()
    await people.unmailed.signOut(requestWith(cookie))
    await people.clock.advance(179 * 86_400)
    expect(await known(email, cookie)).toBe(true)
    const again = await people.signIn(email)
    const session = await people.sessionOf(again)
    if (!session) throw new Error('nobody is signed in')
    const next = { current: PASSWORD, password: `${PASSWORD} next` }
    const changed = await people.unmailed.changePassword(session, next, people.newAddress())
    expect(await known(email, cookie)).toBe(false)
    const here = changed.outcome === 'changed' ? sentBack(changed.cookies) : ''
    expect(await known(email, here)).toBe(true)
    await people.clock.advance(180 * 86_400)
    expect(await known(email, here)).toBe(false)
  })

  test('opens nothing by itself, and is not in the database', async () => {
    const { email, cookie } = await people.person()
    const [, browser = ''] = /ck_browser=([\w-]+)/.exec(cookie) ?? []
    expect(await people.sessionOf(`ck_browser=${browser}`)).toBeUndefined()
    expect(await people.sessionOf(`ck_session=${browser}`)).toBeUndefined()
    for (const table of ['users', 'sessions', 'turns']) {
      const rows = await people.sql`select * from ${people.sql(table)}`
      expect(JSON.stringify(rows)).not.toContain(browser)
    }
    const forged = `${browser.slice(0, -4)}AAAA`
    for (const sent of [forged, '', 'x', browser.slice(1)])
      expect(await known(email, `ck_browser=${sent}`)).toBe(false)
  })

  test('guesses no more often than a stranger', async () => {
    const { email, cookie } = await people.person()
    const guess = () => signIn(email, 'wrong', people.newAddress(), cookie)
    for (let sent = 0; sent < WRONG_PASSWORDS.known; sent++)
      expect(await guess()).toEqual({ outcome: 'wrong' })
    expect(await guess()).toEqual({ outcome: 'limited', retryAfter: SECONDS })
  })
})

test('a password that found no place counts as an attempt of a stranger, and as none of a known browser', async () => {
  const { email, cookie } = await people.person()
  const address = people.newAddress()
  const verify = spyOn(passwords, 'verify').mockRejectedValue(new TooBusy('too many wait'))
  const outcome = (sent?: string) =>
    signIn(email, PASSWORD, address, sent).then(
      (answer) => answer.outcome,
      (error: unknown) => (error instanceof TooBusy ? 'busy' : String(error)),
    )
  for (let sent = 0; sent < 2 * WRONG_PASSWORDS.known; sent++)
    expect(await outcome(cookie)).toBe('busy')
  for (let sent = 0; sent < WRONG_PASSWORDS.account; sent++) expect(await outcome()).toBe('busy')
  verify.mockRestore()
  expect(await outcome()).toBe('limited')
  expect(await outcome(cookie)).toBe('signed_in')
})
