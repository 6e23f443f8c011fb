/** Pages and API calls of a suspended account. */
import { expect, test } from 'bun:test'
import { resumeAccount, suspendAccount } from '../../src/console/acts/accounts.ts'
import { perform } from '../../src/console/acts/perform.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { ADA, fixtures, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { csrfIn, loadForm, type Person, startTown } from './visitor.ts'

const BY = { via: 'command', userId: null, who: 'root', address: null } as const
const REASON = 'A card was refused. Pay the invoice of May.'

const service = sharedService(fixtures)
const town = shared(() =>
  startTown(service, { environment: { PRIVACY_CONTACT: 'help@directory.example' } }),
)
const ADAS = `/people/${ADA.slug}`

const suspend = (account: string) =>
  perform(service.database, BY, suspendAccount, account, { reason: REASON })

const reveal = async (someone: Person) => someone.post(ADAS, await loadForm(someone, ADAS))

/** The ledger, keys, unlocks and orders of an account, as numbers. */
const writtenFor = ({ accountId }: Person) => service.sql`
  select (select count(*) from ledger where account_id = ${accountId}) as entries,
         (select count(*) from api_keys where account_id = ${accountId}) as keys,
         (select count(*) from unlocks where account_id = ${accountId}) as unlocks,
         (select count(*) from payments where account_id = ${accountId}) as orders`

test('every page says why and whom to ask, the ledger is there, and nothing can be revealed, made or ordered until it goes on', async () => {
  const someone = await town.customer(1_000, 'pro')
  const { accountId } = someone
  // Whoever has the page open already can still press its button.
  const opened = await loadForm(someone, ADAS)
  await suspend(accountId)
  for (const path of ['/overview', '/balance', '/keys', '/credits', '/contacts', ADAS]) {
    const page = await someone.text(path)
    expect(page).toContain(REASON)
    expect(page).toContain('help@directory.example')
  }
  const before = await writtenFor(someone)
  const refused = [
    await someone.submit('/keys', { label: 'another', scopes: ['read:metadata'] }),
    await someone.submit('/credits', { topUp: 'small' }),
    await someone.post(ADAS, opened),
  ]
  for (const response of refused) {
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('Nothing was done and nothing was charged')
  }
  expect(await writtenFor(someone)).toEqual(before)
  await perform(service.database, BY, resumeAccount, accountId)
  expect(await someone.text('/balance')).not.toContain(REASON)
  const made = await someone.submit('/keys', { label: 'another', scopes: ['read:metadata'] })
  expect(made.status).toBe(200)
})

test('what was unlocked is not shown while the account is suspended, and is there afterwards', async () => {
  const someone = await town.customer(1_000, 'pro')
  expect((await reveal(someone)).status).toBe(200)
  const channelsOn = async (path: string) => {
    const text = await someone.text(path)
    return PRIVATE_VALUES.some((value) => text.includes(value))
  }
  const paths = ['/contacts', ADAS, '/contacts/contacts.csv']
  for (const path of paths) expect([path, await channelsOn(path)]).toEqual([path, true])
  await suspend(someone.accountId)
  for (const path of paths) expect([path, await channelsOn(path)]).toEqual([path, false])
  // They are not gone: the account has them by their names, and is told why it sees no more.
  for (const path of paths.slice(0, 1).concat('/contacts/contacts.csv')) {
    const text = await someone.text(path)
    expect(text).toContain(ADA.lastName)
    expect(text).not.toContain('No longer in the directory')
  }
  await perform(service.database, BY, resumeAccount, someone.accountId)
  for (const path of paths) expect([path, await channelsOn(path)]).toEqual([path, true])
})

test('nobody of a suspended account is offered to reveal, and whoever is led to the price reads why not', async () => {
  const someone = await town.customer(1_000, 'pro')
  const others = [ADAS, '/people']
  for (const path of others) expect(await someone.text(path)).toContain('Reveal ')
  await suspend(someone.accountId)
  for (const path of others) {
    const page = await someone.text(path)
    expect([path, page.includes('>Reveal ')]).toEqual([path, false])
    expect(page).toContain('Add to list')
  }
  expect(await someone.text(ADAS)).toContain('shown again afterwards')
  const price = await someone.get(`/reveal?ids=${ADA.id}`)
  expect([price.status, await price.text()]).toEqual([403, expect.stringContaining(REASON)])
})

test('what a suspended account can’t send is no form on its pages: keys, orders, exports and bulk searches', async () => {
  const someone = await town.customer(1_000, 'pro')
  const { id } = await createKey(service.database, someone.accountId, 'old', ['read:metadata'])
  const rotate = `/keys/rotate?id=${id}`
  const offered: [path: string, what: RegExp][] = [
    ['/keys', /Create key<|>Rotate</],
    ['/credits', /aria-label="Choose /],
    ['/credits/order?topUp=small', /Send order/],
    ['/export/people', /Download /],
    ['/bulk-search', /See price/],
    [rotate, /Rotate key</],
  ]
  for (const [path, what] of offered) expect(await someone.text(path)).toMatch(what)
  await suspend(someone.accountId)
  for (const [path, what] of offered) {
    const page = await someone.get(path)
    expect([path, page.status]).toEqual([path, path === rotate ? 403 : 200])
    const html = await page.text()
    expect([path, what.exec(html)]).toEqual([path, null])
    expect(html).toMatch(/[Nn]ot while (the account is )?suspended|Nothing was done/)
  }
  // Revoking a key is still there.
  expect(await someone.text('/keys')).toContain('>Revoke<')
  const search = await someone.post('/bulk-search', [
    ['csrf', csrfIn(await someone.text('/keys'))],
    ['lines', 'Ada'],
  ])
  expect(search.status).toBe(403)
})

test('a key of a suspended account is told so, with what to do, by GET and HEAD, and works again afterwards', async () => {
  const { accountId } = await town.customer(1_000, 'pro')
  const { key } = await createKey(service.database, accountId, 'script', ['read:metadata'])
  const headers = { authorization: `Bearer ${key}` }
  const ask = (path: string, method = 'GET') => service.request(path, { headers, method })
  expect((await ask('/v1/projects')).status).toBe(200)
  await suspend(accountId)
  for (const path of ['/v1/projects', '/v1/me', '/v1/projects?sort=nonsense']) {
    const { status, body } = await ask(path)
    expect([status, body.error.code, body.error.charged]).toEqual([403, 'account_suspended', 0])
    expect(body.error.message).toContain('whom to ask')
    expect(JSON.stringify(body)).not.toContain(REASON)
  }
  const head = await ask('/v1/projects', 'HEAD')
  expect(head.headers.get('service-outcome')).toBe('account_suspended')
  expect(head.headers.get('service-credits-required')).toBeNull()
  await perform(service.database, BY, resumeAccount, accountId)
  expect((await ask('/v1/projects')).status).toBe(200)
})
