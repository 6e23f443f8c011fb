/** Workspaces: members, invitations, and whose business they are. */
import { expect, test } from 'bun:test'
import type { Tier } from '../../src/contract/tiers.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { csrfIn, sharedTown } from './visitor.ts'

const { service, town } = sharedTown()

async function owner(tier: Tier = 'team') {
  const someone = await town.person('Olga')
  await setAccount(service.database, someone.accountId, { tier, organization: 'Ember Labs' })
  return someone
}

type Person = Awaited<ReturnType<typeof owner>>

async function invited(host: Person, label = 'Ben'): Promise<string> {
  const shown = await host.submit('/workspace', { action: 'invite', label })
  const text = await shown.text()
  return /https:\/\/chainkin\.example(\/invitation\?token=[\w-]+)/.exec(text)?.[1] ?? ''
}

async function join(host: Person) {
  const guest = await town.person('Ben')
  const link = await invited(host)
  const token = link.split('=')[1] ?? ''
  const joined = await guest.submit(link, { token })
  expect(joined.headers.get('location')).toBe('/workspace?said=joined')
  return guest
}

test.each(['free', 'starter', 'pro'] as const)(
  'on %s the page says what a workspace is and which plans have one, and invites nobody',
  async (tier) => {
    const someone = await owner(tier)
    const text = await someone.text('/workspace')
    expect(text).toContain('It comes with Team or Enterprise')
    expect(text).not.toContain('Invite a member')
    const csrf = csrfIn(text)
    const forms = [
      { action: 'invite', label: 'x' },
      { action: 'invite', label: '' },
      { action: 'name', organization: 'Not on this plan' },
    ]
    for (const form of forms) {
      const tried = await someone.post('/workspace', Object.entries({ csrf, ...form }))
      expect(tried.status).toBe(403)
    }
    const [account] = await service.sql`
      select organization from accounts where id = ${someone.accountId}`
    expect(account?.organization).toBe('Ember Labs')
  },
)

test('an invitation is looked at without effect, joined with a press, once', async () => {
  const host = await owner()
  const link = await invited(host)
  const token = link.split('=')[1] ?? ''
  const stranger = town.visitor()
  const seen = await stranger.text(link)
  expect(seen).toContain('Join “Ember Labs”')
  expect(seen).toContain(`/sign-in?returnUrl=${encodeURIComponent(link)}`)
  const guest = await town.person('Ben')
  expect(await guest.text(link)).toContain(guest.email)
  expect((await guest.submit(link, { token })).status).toBe(303)
  expect(await guest.text('/workspace')).toContain(host.email)
  const late = await town.person('Carl')
  expect((await late.get(link)).status).toBe(404)
  const csrf = csrfIn(await late.text('/settings'))
  expect((await late.post('/invitation', Object.entries({ csrf, token }))).status).toBe(404)
})

test('members share the keys, and switch between their accounts', async () => {
  const host = await owner()
  await host.submit('/keys', { label: 'shared key', scopes: ['read:metadata'] })
  const guest = await join(host)
  expect(await guest.text('/keys')).toContain('shared key')
  const switched = await guest.submit('/workspace', { action: 'switch', id: guest.accountId })
  expect(switched.headers.get('location')).toBe('/workspace?said=switched')
  expect(await guest.text('/keys')).not.toContain('shared key')
  const foreign = await owner()
  expect(
    (await guest.submit('/workspace', { action: 'switch', id: foreign.accountId })).status,
  ).toBe(404)
})

test('the owner removes a member after a question: their session in it ends', async () => {
  const host = await owner()
  const guest = await join(host)
  const page = `/workspace/remove?id=${guest.userId}`
  expect(await host.text(page)).toContain('Remove “Ben”?')
  const id = guest.userId.toUpperCase()
  expect(await host.text(`/workspace/remove?id=${id}`)).toContain('Remove “Ben”?')
  expect((await host.submit(page, { id })).status).toBe(303)
  expect((await guest.get('/keys')).headers.get('location')).toBe(
    '/sign-in?said=removed&returnUrl=%2Fkeys',
  )
  expect(await host.text('/workspace')).not.toContain(guest.email)
})

test('a member leaves after a question; the owner can not', async () => {
  const host = await owner()
  const guest = await join(host)
  expect(await guest.text('/workspace/leave')).toContain('Leave “Ember Labs”?')
  expect((await guest.submit('/workspace/leave', {})).headers.get('location')).toBe(
    '/sign-in?said=left',
  )
  expect((await guest.get('/workspace')).status).toBe(303)
  expect((await host.get('/workspace/leave')).status).toBe(404)
  expect((await host.submit('/workspace', {}, '/workspace/leave')).status).toBe(404)
})

test('a member may neither invite, withdraw, name nor remove; others’ ids are not there', async () => {
  const host = await owner()
  const guest = await join(host)
  const other = await join(host)
  await invited(host, 'open one')
  const [open] = await service.sql`select id from invitations where label = 'open one'`
  const csrf = csrfIn(await guest.text('/workspace'))
  const send = async (
    visitor: Person,
    token: string,
    path: string,
    fields: Record<string, string>,
  ) => (await visitor.post(path, Object.entries({ ...fields, csrf: token }))).status
  expect(await send(guest, csrf, '/workspace', { action: 'invite', label: 'x' })).toBe(409)
  expect(await send(guest, csrf, '/workspace', { action: 'name', organization: 'Mine' })).toBe(404)
  expect(await send(guest, csrf, '/workspace', { action: 'cancel', id: open?.id })).toBe(404)
  expect(await send(guest, csrf, '/workspace/remove', { id: other.userId })).toBe(404)
  expect((await guest.get(`/workspace/remove?id=${other.userId}`)).status).toBe(404)

  const stranger = await owner()
  const theirs = csrfIn(await stranger.text('/workspace'))
  for (const id of [open?.id, 'x', crypto.randomUUID()]) {
    expect(await send(stranger, theirs, '/workspace', { action: 'cancel', id })).toBe(404)
  }
  expect(await send(stranger, theirs, '/workspace/remove', { id: guest.userId })).toBe(404)
  expect((await stranger.get(`/workspace/remove?id=${guest.userId}`)).status).toBe(404)
  expect(await host.text('/workspace')).toContain('open one')
  expect((await guest.get('/workspace')).status).toBe(200)
})

test('the owner withdraws an invitation, and names the workspace, which /v1/me says', async () => {
  const host = await owner()
  const link = await invited(host, 'mistaken')
  const [row] = await service.sql`select id from invitations where label = 'mistaken'`
  expect((await host.submit('/workspace', { action: 'cancel', id: row?.id })).status).toBe(303)
  expect((await host.get(link)).status).toBe(404)
  const organization = `"><script>alert(1)</script>`
  expect((await host.submit('/workspace', { action: 'name', organization })).status).toBe(303)
  const text = await host.text('/workspace')
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('<h1>&quot;&gt;&lt;script&gt;alert')
  const shown = await host.submit('/keys', { label: 'k', scopes: ['read:metadata'] })
  const key = /<code>(ck_live_\w+)<\/code>/.exec(await shown.text())?.[1] ?? ''
  const me = await service.request('/v1/me', { headers: { authorization: `Bearer ${key}` } })
  expect(me.text).toContain(JSON.stringify(organization))
})
