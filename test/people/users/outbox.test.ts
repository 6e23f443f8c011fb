/** How many mails an address gets, whoever asks for them. On a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { MAIL_LIMIT } from '../../../src/people/users/mail-queue.ts'
import { PASSWORD, requestWith, sharedPeople } from './fixtures.ts'

const people = sharedPeople()

const subjectsTo = (address: string) =>
  people.letters.filter(({ to }) => to === address).map(({ subject }) => subject)

test('whatever asks, at most three mails of a kind reach an address in an hour, and the forms answer alike', async () => {
  const { email } = await people.person('Grace')
  const other = await people.person('Eve')
  for (let round = 0; round < 5; round++) {
    const address = people.newAddress()
    const form = { name: 'Eve', email, password: 'some fine password' }
    expect(await people.mailed.signUp(form, address)).toEqual({ outcome: 'done' })
    expect(await people.mailed.requestReset(email, address)).toEqual({ outcome: 'done' })
    const change = { email, password: PASSWORD }
    expect(await people.mailed.changeEmail(other.session, change, address)).toEqual({
      outcome: 'done',
    })
  }
  const subjects = subjectsTo(email)
  expect(subjects.filter((subject) => subject.startsWith('A new password'))).toHaveLength(3)
  expect(subjects.filter((subject) => subject.startsWith('You have an account'))).toHaveLength(3)
  expect(subjects).toHaveLength(6)
  await people.clock.advance(MAIL_LIMIT.seconds)
  await people.mailed.requestReset(email, people.newAddress())
  expect(subjectsTo(email)).toHaveLength(7)
})

test('confirmations are counted together, from sign-up, from sign-in and from a change', async () => {
  const email = 'new@example.com'
  const form = { name: 'New', email, password: PASSWORD }
  const changing = await people.person()
  const change = () =>
    people.mailed.changeEmail(changing.session, { email, password: PASSWORD }, people.newAddress())
  await change()
  await people.mailed.signUp(form, people.newAddress())
  for (let count = 0; count < 4; count++) {
    expect(await people.mailed.signIn(form, requestWith(), people.newAddress())).toEqual({
      outcome: 'unverified',
    })
  }
  expect(subjectsTo(email)).toEqual(Array(3).fill('Confirm your address for Test'))
})

test('twenty at once on one address send three; a link that is not sent is not made', async () => {
  const { email, session } = await people.person('Many')
  await Promise.all(
    Array.from({ length: 20 }, () => people.mailed.requestReset(email, people.newAddress())),
  )
  expect(subjectsTo(email)).toHaveLength(3)
  const [row] = await people.sql`
    select count(*)::integer as links from user_links where user_id = ${session.user.id}`
  expect(row?.links).toBe(3)
})

test('the counts hold no address in plain text', async () => {
  await people.mailed.requestReset('curious@example.com', people.newAddress())
  const { email } = await people.person()
  await people.mailed.requestReset(email, people.newAddress())
  const rows = await people.sql`select subject from turns`
  expect(JSON.stringify(rows)).not.toContain('@')
})
