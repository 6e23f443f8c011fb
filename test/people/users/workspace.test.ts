/** Accounts that people share. */
import { describe, expect, test } from 'bun:test'
import { setAccount } from '../../../src/money/accounts/accounts.ts'
import {
  acceptInvitation,
  accountsOf,
  cancelInvitation,
  invitationsOf,
  invite,
  leaveWorkspace,
  membersOf,
  nameWorkspace,
  removeMember,
  showInvitation,
  switchAccount,
} from '../../../src/people/users/workspace.ts'
import { startPlan } from '../../money/charge/fixtures.ts'
import { type Person, sharedPeople } from './fixtures.ts'

const people = sharedPeople()

async function owner(): Promise<Person> {
  const person = await people.person('Owner')
  await setAccount(people.database, person.session.account.id, {
    tier: 'team',
    organization: 'Engines',
  })
  return person
}

async function invited(by: Person): Promise<string> {
  const made = await invite(people.database, by.session, 'for Grace')
  return made?.token ?? ''
}

/** An owner with a member, and the member's session as it is now. */
async function shared() {
  const [boss, member] = [await owner(), await people.person('Member')]
  await acceptInvitation(people.database, member.session, await invited(boss))
  const now = await people.sessionOf(member.cookie)
  if (!now) throw new Error('the member is not signed in')
  return { boss, member, now }
}

describe('invitations', () => {
  test('a link tells what it invites to, and its person acts for the account from then on', async () => {
    const [boss, guest] = [await owner(), await people.person('Guest')]
    const token = await invited(boss)
    expect(await showInvitation(people.database, token)).toMatchObject({
      workspace: 'Engines',
      invitedBy: 'Owner',
    })
    expect(await acceptInvitation(people.database, guest.session, token)).toBe(true)
    const session = await people.sessionOf(guest.cookie)
    expect(session).toMatchObject({
      role: 'member',
      account: { id: boss.session.account.id, organization: 'Engines' },
    })
    const list = await membersOf(people.database, boss.session.account.id)
    expect(list.map(({ name, role }) => [name, role])).toEqual([
      ['Owner', 'owner'],
      ['Guest', 'member'],
    ])
  })

  test('it is good for one person: of ten who press at once, one joins', async () => {
    const boss = await owner()
    const token = await invited(boss)
    const guests = await Promise.all(Array.from({ length: 10 }, () => people.person('Guest')))
    const joined = await Promise.all(
      guests.map(({ session }) => acceptInvitation(people.database, session, token)),
    )
    expect(joined.filter(Boolean)).toHaveLength(1)
    expect(await membersOf(people.database, boss.session.account.id)).toHaveLength(2)
  })

  test('it ends after a week, when it is taken back, and when the account has no workspace any more', async () => {
    const [boss, guest] = [await owner(), await people.person()]
    const { id: account } = boss.session.account
    const [old, taken, lapsed] = [await invited(boss), await invited(boss), await invited(boss)]
    const open = await invitationsOf(people.database, account)
    expect(open).toHaveLength(3)
    const takenId = await people.sql`select id from invitations order by created_at, ctid`
    const second = takenId.at(-2)?.id
    expect(await cancelInvitation(people.database, account, second)).toBe(true)
    expect(await acceptInvitation(people.database, guest.session, taken)).toBe(false)
    await setAccount(people.database, account, { tier: 'free' })
    expect(await showInvitation(people.database, lapsed)).toBeUndefined()
    expect(await acceptInvitation(people.database, guest.session, lapsed)).toBe(false)
    await setAccount(people.database, account, { tier: 'team' })
    await people.clock.advance(7 * 86_400)
    expect(await showInvitation(people.database, old)).toBeUndefined()
    expect(await acceptInvitation(people.database, guest.session, old)).toBe(false)
    expect(await invitationsOf(people.database, account)).toEqual([])
  })

  test('only the owner of a plan with a workspace invites', async () => {
    const { now } = await shared()
    expect(await invite(people.database, now, 'x')).toBeUndefined()
    expect(await invite(people.database, (await people.person()).session, 'x')).toBeUndefined()
  })

  test('the database holds no link', async () => {
    const token = await invited(await owner())
    expect(JSON.stringify(await people.sql`select * from invitations`)).not.toContain(token)
  })
})

describe('members', () => {
  test('removing one ends their sessions of this account, and nothing of their own', async () => {
    const { boss, member, now } = await shared()
    const elsewhere = await people.signIn(member.email)
    expect(await removeMember(people.database, boss.session, now.user.id)).toBe(true)
    for (const cookie of [member.cookie, elsewhere]) {
      expect(await people.sessionOf(cookie)).toBeUndefined()
    }
    const back = await people.signIn(member.email)
    const session = await people.sessionOf(back)
    expect(session).toMatchObject({ role: 'owner', account: { id: member.session.account.id } })
  })

  test('a member removes nobody, and nobody removes an owner', async () => {
    const { boss, now } = await shared()
    expect(await removeMember(people.database, now, boss.session.user.id)).toBe(false)
    expect(await removeMember(people.database, now, now.user.id)).toBe(false)
    expect(await removeMember(people.database, boss.session, boss.session.user.id)).toBe(false)
    expect(await leaveWorkspace(people.database, boss.session)).toBe(false)
  })

  test('a member leaves by themselves', async () => {
    const { boss, member, now } = await shared()
    expect(await leaveWorkspace(people.database, now)).toBe(true)
    expect(await people.sessionOf(member.cookie)).toBeUndefined()
    expect(await membersOf(people.database, boss.session.account.id)).toHaveLength(1)
  })

  test('members act for the account while it has a workspace', async () => {
    const { boss, member } = await shared()
    await setAccount(people.database, boss.session.account.id, { tier: 'pro' })
    expect(await people.sessionOf(member.cookie)).toBeUndefined()
    expect(await people.sessionOf(boss.cookie)).toBeDefined()
    const back = await people.signIn(member.email)
    expect((await people.sessionOf(back))?.account.id).toBe(member.session.account.id)
  })

  test('a plan that has run out opens no workspace, though no call was made since', async () => {
    const { boss, member } = await shared()
    const { id } = boss.session.account
    await startPlan(people.sql, id, 'team')
    await people.clock.advance(86_400)
    expect((await people.sessionOf(member.cookie))?.account.tier).toBe('team')
    await people.sql`update sessions set used_at = ${new Date(people.clock.now() + 31 * 86_400_000)} where account_id = ${id}`
    await people.sql`update sessions set ends_at = ends_at + interval '90 days' where account_id = ${id}`
    await people.clock.advance(31 * 86_400)
    expect(await people.sessionOf(member.cookie)).toBeUndefined()
    expect((await people.sessionOf(boss.cookie))?.account.tier).toBe('free')
  })

  test('one goes over to another of one’s accounts and back', async () => {
    const { boss, member, now } = await shared()
    const list = await accountsOf(people.database, now)
    expect(list.map(({ id, role }) => [id, role])).toEqual([
      [member.session.account.id, 'owner'],
      [boss.session.account.id, 'member'],
    ])
    expect(await switchAccount(people.database, now, member.session.account.id)).toBe(true)
    expect((await people.sessionOf(member.cookie))?.account.id).toBe(member.session.account.id)
    expect(await switchAccount(people.database, now, boss.session.account.id)).toBe(true)
  })

  test('the owner names the workspace, and /v1/me says so; a member doesn’t', async () => {
    const { boss, now } = await shared()
    expect(await nameWorkspace(people.database, now, 'Mine')).toBe(false)
    expect(await nameWorkspace(people.database, boss.session, ' Difference Engines ')).toBe(true)
    const named = () =>
      people.sql`select organization from accounts where id = ${boss.session.account.id}`
    expect((await named())[0]?.organization).toBe('Difference Engines')
    await nameWorkspace(people.database, boss.session, '')
    expect((await named())[0]?.organization).toBeNull()
  })
})

test('ids of somebody else’s account answer as if they did not exist', async () => {
  const { boss, now } = await shared()
  await invited(boss)
  const [invitation] = await invitationsOf(people.database, boss.session.account.id)
  const stranger = await owner()
  expect(
    await cancelInvitation(people.database, stranger.session.account.id, invitation?.id ?? ''),
  ).toBe(false)
  expect(await removeMember(people.database, stranger.session, now.user.id)).toBe(false)
  expect(await switchAccount(people.database, stranger.session, boss.session.account.id)).toBe(
    false,
  )
  expect(await acceptInvitation(people.database, stranger.session, 'x'.repeat(43))).toBe(false)
  expect(await membersOf(people.database, boss.session.account.id)).toHaveLength(2)
  expect(await invitationsOf(people.database, boss.session.account.id)).toHaveLength(1)
})

test('what is no id at all answers so too', async () => {
  const { session } = await owner()
  for (const id of ['', 'x', "' or true --", '0'.repeat(36)]) {
    expect(await cancelInvitation(people.database, session.account.id, id)).toBe(false)
    expect(await removeMember(people.database, session, id)).toBe(false)
    expect(await switchAccount(people.database, session, id)).toBe(false)
  }
})
