/** One trial for each person, as mail providers see them. */
import { describe, expect, test } from 'bun:test'
import { connect } from '../../../src/database/client.ts'
import { isThrowaway, mailboxOf } from '../../../src/people/users/mailbox.ts'
import { insertUser, trialRefusalOf } from '../../../src/people/users/repository.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { expectBooksToBalance } from '../../money/charge/fixtures.ts'
import { linkIn, PASSWORD, sharedPeople } from './fixtures.ts'

const people = sharedPeople(({ sql }) => expectBooksToBalance(sql))

const signUp = (email: string, users = people.unmailed) =>
  users.signUp({ name: 'Ada', email, password: PASSWORD }, people.newAddress())

/** The trial credits of each address, null where it has no account. */
async function trialsOf(...emails: string[]) {
  return Promise.all(
    emails.map(async (email) => {
      const [row] = await people.sql<{ balance: number }[]>`
        select a.balance::integer from users u
          join members m on m.user_id = u.id join accounts a on a.id = m.account_id
         where u.email = ${email}`
      return row?.balance ?? null
    }),
  )
}

describe('one mailbox', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['ada+news@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['a.d.a@example.com', 'a.d.a@example.com'],
    ['a.d.a+x@gmail.com', 'ada@gmail.com'],
    ['ada@googlemail.com', 'ada@gmail.com'],
    ['a-d_a.x@pm.me', 'adax@proton.me'],
    ['ada.x@ya.ru', 'adax@yandex.ru'],
    // Anybody may own such a domain; its mailboxes are not the provider's.
    ['ada@yandex.mallory.example', 'ada@yandex.mallory.example'],
    ['ada@me.com', 'ada@icloud.com'],
    ['ada-shop@yahoo.co.uk', 'ada@yahoo.co.uk'],
    ['ada-shop@example.com', 'ada-shop@example.com'],
    ['anything@ada.fastmail.com', 'ada@fastmail.com'],
    ['any+thing@ada.fastmail.co.uk', 'ada@fastmail.co.uk'],
    ['a@b.ada.sent.com', 'ada@sent.com'],
    ['ada+x@fastmail.fm', 'ada@fastmail.fm'],
    ['fastmail@example.com', 'fastmail@example.com'],
    ['anything@ada.notfastmail.com', 'anything@ada.notfastmail.com'],
    ['anything@fastmail.com.mallory.example', 'anything@fastmail.com.mallory.example'],
    ['+ada@example.com', '+ada@example.com'],
    ['...@gmail.com', '...@gmail.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ])('%s is %s', (email, mailbox) => {
    expect(mailboxOf(email)).toBe(mailbox)
  })

  test.each([
    ['ada@mailinator.com', true],
    ['ada@deep.under.mailinator.com', true],
    ['ada@yopmail.com', true],
    ['ada@example.com', false],
    ['"odd"@example.com', false],
    ['ünï@bücher.example', false],
    ['ada@gmail.com', false],
  ])('%s is one to throw away: %p', async (email, expected) => {
    expect(await isThrowaway(email)).toBe(expected)
  })
})

describe('a trial', () => {
  test('of 20 aliases that sign up at once, on two instances, one gets the trial', async () => {
    const other = connect({ url: people.url, connections: 4, deadlineMs: PATIENCE_MS })
    const emails = Array.from({ length: 20 }, (_, i) => `g.race+${i}@gmail.com`)
    await Promise.all(
      emails.map((email, i) =>
        insertUser(i % 2 ? other : people.database, {
          email,
          name: 'Ada',
          password: 'hashed',
          trialCredits: 250,
        }),
      ),
    )
    await other.close()
    const trials = await trialsOf(...emails)
    expect(trials.sort()).toEqual([...Array(19).fill(0), 250])
  })

  test('an alias gets none, nor do other spellings; another person does', async () => {
    for (const email of [
      'one@gmail.com',
      'o.ne@gmail.com',
      'one+x@googlemail.com',
      'two@gmail.com',
    ])
      await signUp(email)
    expect(
      await trialsOf('one@gmail.com', 'o.ne@gmail.com', 'one+x@googlemail.com', 'two@gmail.com'),
    ).toEqual([250, 0, 0, 250])
  })

  test('an address to throw away signs up without one, and the answer says so, taken or not', async () => {
    const email = 'somebody@mailinator.com'
    expect(await signUp(email)).toEqual({ outcome: 'throwaway' })
    expect(await signUp(email)).toEqual({ outcome: 'throwaway' })
    expect(await trialsOf(email)).toEqual([0])
  })

  test('moving to another address brings nobody a second trial', async () => {
    const { session, email } = await people.person('Mover')
    await people.sql`select user_set_email(${session.user.id}, 'moved@example.com', false)`
    await signUp(email)
    await signUp(email.replace('@', '+x@'))
    expect(await trialsOf('moved@example.com', email, email.replace('@', '+x@'))).toEqual([
      250, 0, 0,
    ])
  })

  test('where mail is sent it begins with the confirmation: nobody takes it with somebody else’s address', async () => {
    const [stranger, owner] = ['vic+x@gmail.com', 'vic@gmail.com']
    await signUp(stranger, people.mailed)
    await signUp(owner, people.mailed)
    expect(await trialsOf(stranger, owner)).toEqual([0, 0])
    const confirm = (email: string) =>
      people.mailed.confirmEmail(linkIn(people.letters, email), people.newAddress())
    await people.clock.advance(3_600)
    expect(await confirm(owner)).toEqual({ outcome: 'confirmed' })
    expect(await trialsOf(stranger, owner)).toEqual([0, 250])
    const [grant] = await people.sql`
      select g.expires_at from credit_grants g join accounts a on a.id = g.account_id where a.email = ${owner}`
    expect(Date.parse(grant?.expires_at)).toBe(people.clock.now() + 7 * 86_400_000)
    expect(await confirm(stranger)).toEqual({ outcome: 'confirmed' })
    expect(await trialsOf(stranger, owner)).toEqual([0, 250])
  })

  test('an account knows why it has none', async () => {
    const reasons = await Promise.all(
      ['why@gmail.com', 'w.h.y@gmail.com', 'why@yopmail.com'].map(async (email) => {
        await signUp(email)
        const [account] = await people.sql`select id from accounts where email = ${email}`
        return trialRefusalOf(people.database, account?.id)
      }),
    )
    expect(reasons.filter((reason) => reason === null)).toHaveLength(1)
    expect(reasons.filter((reason) => reason === 'mailbox')).toHaveLength(1)
    expect(reasons[2]).toBe('throwaway')
  })

  test('the last release signs up as before, and one address has one trial', async () => {
    const signUp160 = () => people.sql`
      select user_sign_up('old@example.com', 'Old', 'hashed', 250, interval '7 days', null) as id`
    expect((await signUp160())[0]?.id).toBeString()
    expect((await signUp160())[0]?.id).toBeNull()
    expect(await trialsOf('old@example.com')).toEqual([250])
  })
})
