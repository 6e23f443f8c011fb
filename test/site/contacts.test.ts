/** My contacts: what an account revealed is seen by all who act for it, with notes and tags, at no cost, and by nobody else. */
import { afterAll, expect, test } from 'bun:test'
import { ADA, BEN, fixtures } from '../helpers/fixtures.ts'
import { textIn } from './reading.ts'
import { chargedTo, loadForm, type Person, sharedPostgresTown } from './visitor.ts'

const ADAS = `/people/${ADA.slug}`
const { service, town } = sharedPostgresTown(fixtures, () => ({ trialCredits: 0 }))
afterAll(() => {
  expect(town.site.logged.join()).not.toContain(ADA.email)
})

/** Somebody with Ada revealed, and a member of the same workspace. */
async function workspace(): Promise<[Person, Person]> {
  const [owner, member] = await town.workspace()
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

test('the file has all of them, with their channels as they are, and no cell that a spreadsheet would run', async () => {
  const [owner] = await workspace()
  await owner.submit(NOTE, { id: ADA.id, note: '=HYPERLINK("x")', tags: 'a, b' })
  const answer = await owner.get('/contacts/contacts.csv')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const text = new TextDecoder().decode(bytes)
  const [header, line, ...rest] = text.trimEnd().split('\r\n')
  expect(line).toContain(`,${ADA.phone},`)
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
  expect(textIn(await other.text('/contacts'))).toContain('No contacts yet.')
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

/** Unlocks so many people for somebody's account who are in the directory no more. */
const unlocked = ({ accountId }: Person, count: number) =>
  service.sql`
    with added as (
      insert into unlocks (account_id, person_id, at)
      select ${accountId}, gen_random_uuid(), now() from generate_series(1, ${count}::integer)
    )
    update accounts set unlock_count = unlock_count + ${count}::integer where id = ${accountId}`

test('a file has each contact once, also where somebody is revealed while it is sent', async () => {
  const owner = await town.customer(0, 'team')
  const reveal = (count: number) => unlocked(owner, count)
  await reveal(501)
  const { body } = await owner.get('/contacts/contacts.csv')
  let text = ''
  let pieces = 0
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (++pieces === 2) await reveal(3)
  }
  const ids = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0])
  expect([ids.length, new Set(ids).size]).toEqual([501, 501])
})

test('a job title that is read from right to left turns nothing of its row', async () => {
  const [owner] = await workspace()
  await service.sql`update people set job_title = 'مدير' where id = ${ADA.id}`
  await service.directory.refresh()
  expect(await owner.text('/contacts')).toContain('<bdi>مدير</bdi> · ')
})

test('a page of long notes and many tags stays below 60 KB', async () => {
  const owner = await town.customer(0, 'team')
  await unlocked(owner, 30)
  await service.sql`
    insert into contact_notes (account_id, person_id, note, tags, updated_at)
    select account_id, person_id, repeat('words ', 330), array(
             select 'a tag of forty characters, number ' || n || ' ' || i from generate_series(1, 20) i), now()
      from (select *, row_number() over () n from unlocks where account_id = ${owner.accountId}) u`
  const page = await owner.text('/contacts?tag=chosen')
  expect(page).toContain('<option value="chosen" selected')
  expect((await owner.text('/contacts')).length).toBeLessThan(60 * 1024)
})
