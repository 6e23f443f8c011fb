/** My contacts: what an account revealed is seen by all who act for it, with notes and tags, at no cost, and by nobody else. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ADA, BEN, fixtures } from '../helpers/fixtures.ts'
import { postgresService, type TestService } from '../helpers/service.ts'
import { expectBooksToBalance } from '../metering/fixtures.ts'
import { textIn } from './reading.ts'
import { chargedTo, loadForm, type Person, startTown, type Town } from './visitor.ts'

setDefaultTimeout(30_000)

const ADAS = `/people/${ADA.slug}`
let service: TestService
let town: Town

beforeAll(async () => {
  service = await postgresService(fixtures)
  town = await startTown(service, { trialCredits: 0 })
})
afterAll(async () => {
  await expectBooksToBalance(service.sql)
  expect(town.site.logged.join()).not.toContain(ADA.email)
  await service.stop()
})

/** Somebody with Ada revealed, and a member of the same workspace. */
async function workspace(): Promise<[Person, Person]> {
  const [owner, member] = [await town.customer(100, 'team'), await town.person('Ben')]
  await service.sql`
    insert into members (account_id, user_id, role, joined_at)
    values (${owner.accountId}, ${member.userId}, 'member', now())`
  await service.sql`update sessions set account_id = ${owner.accountId} where user_id = ${member.userId}`
  await owner.post(ADAS, await loadForm(owner, ADAS))
  return [owner, member]
}
const NOTE = `/contacts/note?id=${ADA.id}`

test('a note and tags of one member are seen by the others, and found by; nothing of it is charged', async () => {
  const [owner, member] = await workspace()
  expect(textIn(await member.text('/contacts'))).toContain(ADA.email)
  const fields = { id: ADA.id, note: 'Met <b>in</b> Lisbon', tags: 'Founder, vip' }
  const saved = await member.submit(NOTE, fields)
  expect(saved.headers.get('location')).toBe('/contacts?said=noted')
  const page = await owner.text('/contacts')
  expect(page).toContain('Met &lt;b&gt;in&lt;/b&gt; Lisbon')
  expect(page).toContain('href="/contacts?tag=Founder"')
  for (const [query, isFound] of [
    ['tag=founder', true],
    ['q=ada+lisbon', true],
    ['channel=telegram', true],
    ['q=somebody', false],
    ['page=7', true],
  ] as const) {
    const found = textIn(await owner.text(`/contacts?${query}`))
    expect([query, found.includes(ADA.email)]).toEqual([query, isFound])
  }
  expect(await chargedTo(service, owner)).toBe(10)
})

test('the file has all of them, with their channels, and no cell that a spreadsheet would run', async () => {
  const [owner] = await workspace()
  await owner.submit(NOTE, { id: ADA.id, note: '=HYPERLINK("x")', tags: 'a, b' })
  const answer = await owner.get('/contacts/contacts.csv')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const [header, line, ...rest] = (await answer.text()).trimEnd().split('\r\n')
  expect(header).toContain('email,phone,telegram,linkedinUrl,note,tags,revealedAt')
  expect(line).toContain(ADA.email)
  expect(line).toContain(`,"'=HYPERLINK(""x"")",a|b,`)
  expect(rest).toEqual([])
  expect(await chargedTo(service, owner)).toBe(10)
})

test('who revealed nobody has nothing to note: another account’s contact answers as one that does not exist', async () => {
  await workspace()
  const other = await town.customer(100, 'pro')
  for (const id of [ADA.id, BEN.id, crypto.randomUUID(), 'x']) {
    expect((await other.get(`/contacts/note?id=${id}`)).status).toBe(404)
    const sent = await other.submit('/settings', { id, note: 'x', tags: '' }, '/contacts/note')
    expect(sent.status).toBe(404)
  }
  expect(textIn(await other.text('/contacts'))).toContain('Nobody yet.')
  expect((await other.get('/contacts/contacts.csv')).status).toBe(200)
  const stranger = await town.visitor().get('/contacts')
  expect(stranger.headers.get('location')).toBe('/sign-in?returnUrl=%2Fcontacts')
})

test('what is too long or not allowed is refused beside its field, and an unknown filter by name', async () => {
  const [owner] = await workspace()
  const long = await owner.submit(NOTE, { id: ADA.id, note: 'x'.repeat(2_001), tags: '' })
  expect([long.status, textIn(await long.text()).includes('At most 2000 characters.')]).toEqual([
    422,
    true,
  ])
  const bad = await owner.get('/contacts?channel=fax')
  expect([bad.status, textIn(await bad.text()).includes('channel')]).toEqual([400, true])
})
