/** Changing what one signs in with, and getting back in. */
import { describe, expect, test } from 'bun:test'
import { clean } from '../../../src/money/charge/housekeeping.ts'
import { rejection } from '../../helpers/rejection.ts'
import { linkIn, PASSWORD, requestWith, sentBack, sharedPeople, signedIn } from './fixtures.ts'

const people = sharedPeople()

const NEXT = 'another fine password'

describe('password', () => {
  test('changing it ends every session but a new one here, and the old one opens nothing', async () => {
    const { email, session, cookie } = await people.person()
    const elsewhere = await people.signIn(email)
    const answer = await people.unmailed.changePassword(
      session,
      { current: PASSWORD, password: NEXT },
      people.newAddress(),
    )
    const here = answer.outcome === 'changed' ? sentBack(answer.cookies) : ''
    const open = await Promise.all([cookie, elsewhere, here].map((each) => people.sessionOf(each)))
    expect(open.map((each) => each?.user.email)).toEqual([undefined, undefined, email])
    expect(
      await people.unmailed.signIn(
        { email, password: PASSWORD },
        requestWith(),
        people.newAddress(),
      ),
    ).toEqual({ outcome: 'wrong' })
    await people.signIn(email, NEXT)
  })

  test('the current one is asked for, and what is wrong with both is said at once', async () => {
    const { session, cookie } = await people.person()
    const change = (password: string) =>
      people.unmailed.changePassword(session, { current: 'a guess', password }, people.newAddress())
    expect(await rejection(change(NEXT))).toMatchObject({ field: 'current', others: [] })
    expect(await rejection(change('short'))).toMatchObject({
      field: 'current',
      others: [{ field: 'password' }],
    })
    expect(await people.sessionOf(cookie)).toBeDefined()
  })

  test('a letter’s link sets a new one once, ends all sessions and proves the address', async () => {
    const { email, cookie } = await people.person()
    const address = people.newAddress()
    expect(await people.mailed.requestReset(email, address)).toEqual({ outcome: 'done' })
    const token = linkIn(people.letters, email)
    const reset = (password: string) => people.mailed.resetPassword({ token, password }, address)
    expect(await reset(NEXT)).toMatchObject({ outcome: 'changed' })
    expect(await reset(PASSWORD)).toEqual({ outcome: 'used' })
    expect(await people.sessionOf(cookie)).toBeUndefined()
    const session = await people.sessionOf(await signedIn(people.mailed, email, NEXT, address))
    expect(session?.user.emailVerified).toBe(true)
  })

  test('an unknown address is answered alike, and gets no letter', async () => {
    const lettersBefore = people.letters.length
    const answer = await people.mailed.requestReset('stranger@example.com', people.newAddress())
    expect(answer).toEqual({ outcome: 'done' })
    expect(people.letters).toHaveLength(lettersBefore)
  })

  test('a link is good for an hour, and of no use once another has set the password', async () => {
    const { email } = await people.person()
    const address = people.newAddress()
    await people.mailed.requestReset(email, address)
    const first = linkIn(people.letters, email)
    await people.mailed.requestReset(email, address)
    const second = linkIn(people.letters, email)
    expect(
      await people.mailed.resetPassword({ token: second, password: NEXT }, address),
    ).toMatchObject({ outcome: 'changed' })
    expect(
      await people.mailed.resetPassword({ token: first, password: PASSWORD }, address),
    ).toEqual({ outcome: 'expired' })
    await people.mailed.requestReset(email, address)
    await people.clock.advance(3_600)
    const late = { token: linkIn(people.letters, email), password: PASSWORD }
    expect(await people.mailed.resetPassword(late, address)).toEqual({ outcome: 'expired' })
  })
})

describe('address', () => {
  test('without mail it is changed at once, the account with it; one that is taken stays its owner’s', async () => {
    const [one, other] = [await people.person(), await people.person()]
    const change = (email: string) =>
      people.unmailed.changeEmail(one.session, { password: PASSWORD, email }, people.newAddress())
    expect(await change(other.email)).toEqual({ outcome: 'taken' })
    expect(await change('moved@example.com')).toEqual({ outcome: 'done' })
    const session = await people.sessionOf(one.cookie)
    expect(session?.user).toMatchObject({ email: 'moved@example.com', emailVerified: false })
    const [account] =
      await people.sql`select email from accounts where id = ${one.session.account.id}`
    expect(account?.email).toBe('moved@example.com')
  })

  test('with mail the new address must answer first; the old one is told', async () => {
    const { email, session, cookie } = await people.person()
    const address = people.newAddress()
    const next = `next-${email}`
    expect(
      await people.mailed.changeEmail(session, { password: PASSWORD, email: next }, address),
    ).toEqual({ outcome: 'done' })
    expect((await people.sessionOf(cookie))?.user.email).toBe(email)
    expect(await people.mailed.confirmEmail(linkIn(people.letters, next), address)).toEqual({
      outcome: 'confirmed',
    })
    expect((await people.sessionOf(cookie))?.user).toMatchObject({
      email: next,
      emailVerified: true,
    })
    expect(people.letters.at(-1)).toMatchObject({ to: email })
  })

  test('with mail an address that is taken is answered like a free one', async () => {
    const [one, other] = [await people.person(), await people.person()]
    const answer = await people.mailed.changeEmail(
      one.session,
      { password: PASSWORD, email: other.email },
      people.newAddress(),
    )
    expect(answer).toEqual({ outcome: 'done' })
    expect(people.letters.at(-1)).toMatchObject({ to: other.email })
    expect(linkIn(people.letters, other.email)).toBe('')
  })

  test('a reset link that went to an address that was given up opens nothing', async () => {
    const { email, session } = await people.person()
    const address = people.newAddress()
    await people.mailed.requestReset(email, address)
    const token = linkIn(people.letters, email)
    await people.unmailed.changeEmail(
      session,
      { password: PASSWORD, email: `gone-${email}` },
      address,
    )
    expect(await people.mailed.resetPassword({ token, password: NEXT }, address)).toEqual({
      outcome: 'expired',
    })
  })
})

test('a change of address that was asked for before the password changed moves nothing', async () => {
  const { email, session } = await people.person('Owner')
  const change = { email: 'thief@example.com', password: PASSWORD }
  await people.mailed.changeEmail(session, change, people.newAddress())
  const link = linkIn(people.letters, 'thief@example.com')
  await people.mailed.requestReset(email, people.newAddress())
  const form = { token: linkIn(people.letters, email), password: NEXT }
  const reset = await people.mailed.resetPassword(form, people.newAddress())
  expect(reset.outcome).toBe('changed')
  expect(link).not.toBe('')
  expect(await people.mailed.confirmEmail(link, people.newAddress())).toEqual({
    outcome: 'expired',
  })
  await signedIn(people.mailed, email, NEXT, people.newAddress())
})

test('the name changes on the account too', async () => {
  const { session, cookie } = await people.person()
  await people.unmailed.changeName(session, '  Ada   King ')
  const after = await people.sessionOf(cookie)
  expect([after?.user.name, after?.account.name]).toEqual(['Ada   King', 'Ada   King'])
})

test('housekeeping deletes sessions, links and turns that ended, and no others', async () => {
  await clean(people.database)
  const { email, cookie } = await people.person()
  await people.mailed.requestReset(email, people.newAddress())
  const count = async () => {
    const [row] = await people.sql`
      select (select count(*) from sessions)::integer as sessions, (select count(*) from user_links)::integer as links,
             (select count(*) from turns)::integer as turns`
    return row
  }
  const before = await count()
  await clean(people.database)
  expect(await count()).toEqual(before)
  expect(await people.sessionOf(cookie)).toBeDefined()
  await people.clock.advance(31 * 86_400)
  await clean(people.database)
  expect(await count()).toEqual({ sessions: 0, links: 0, turns: 0 })
})
