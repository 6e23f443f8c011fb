/** Lists that an account keeps: seen and changed by all who act for it, and by nobody else. */
import { expect, test } from 'bun:test'
import { MAX_LISTS } from '../../src/people/contacts/record-lists.ts'
import { MAX_VIEWS, viewsOf } from '../../src/people/contacts/saved-views.ts'
import { withReturnUrl } from '../../src/site/http/return-url.ts'
import { idsQuery } from '../../src/site/profiles/selection.tsx'
import { insertPerson } from '../directory/records/fixtures.ts'
import { ADA, AURORA, BEN, CLEO, EMBER, fixtures, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { addPath, formOn, keep, listed } from './keeping.ts'
import { textIn } from './reading.ts'
import { chargedTo, loadForm, sharedTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

test('a list has the rows of the directory by kind, in the order of adding or another; a member sees and changes the same', async () => {
  const [owner, member] = await town.workspace()
  const path = await keep(owner, [ADA.id, AURORA.id, EMBER.id], 'To call')
  expect(await keep(member, [BEN.id, ADA.id], 'to CALL')).toBe(path)
  const page = await owner.text(path)
  expect(textIn(page)).toContain('People 2 Projects 1 Investors 1')
  expect(listed(page)).toEqual([`/people/${BEN.slug}`, `/people/${ADA.slug}`])
  expect(listed(await owner.text(`${path}?sort=name`))).toEqual([
    `/people/${ADA.slug}`,
    `/people/${BEN.slug}`,
  ])
  expect(listed(await member.text(`${path}?of=investors&sort=roi`))).toEqual([
    `/investors/${EMBER.slug}`,
  ])
  expect(listed(await member.text(`${path}?of=projects&page=9`))).toEqual([
    `/projects/${AURORA.slug}`,
  ])
  expect(textIn(await owner.text('/lists'))).toContain('To call 4 records')
  expect(await chargedTo(service, owner)).toBe(0)
})

test('a form that is sent twice adds once; removing, renaming and deleting ask before, and do what they say', async () => {
  const [owner, member] = await town.workspace()
  const path = await keep(owner, [ADA.id, BEN.id], 'To call')
  const id = path.split('/').at(-1)!
  const form = await formOn(member, addPath([ADA.id, AURORA.id]), '/lists/add')
  form.set('list', id)
  const twice = await Promise.all([
    member.post('/lists/add', form),
    member.post('/lists/add', form),
  ])
  expect(twice.map((it) => it.headers.get('location'))).toEqual(Array(2).fill(`${path}?said=added`))
  // Cleo was selected on another page and is not on the list.
  const remove = `/lists/remove?list=${id}&ids=${ADA.id}&ids=${CLEO.id}`
  expect(textIn(await member.text(remove))).toContain('1 record is removed from the list.')
  await member.post('/lists/remove', await formOn(member, remove, '/lists/remove'))
  expect(listed(await owner.text(path))).toEqual([`/people/${BEN.slug}`])
  await owner.submit(`/lists/rename?id=${id}`, { id, name: 'Called' })
  const question = await owner.text(`/lists/delete?id=${id}`)
  expect(textIn(question)).toContain(
    'Delete “Called”? The list of 2 records is deleted for everybody',
  )
  expect(textIn(question)).toContain('2 records')
  await owner.submit(`/lists/delete?id=${id}`, { id })
  expect((await member.get(path)).status).toBe(404)
  expect((await member.get(`/people/${BEN.slug}`)).status).toBe(200)
})

test('the file is free, and has the channels of those whom the account has unlocked and no field that an export charges for', async () => {
  const [owner] = await town.workspace()
  const path = await keep(owner, [ADA.id, BEN.id, AURORA.id], 'To call')
  await owner.post(`/people/${ADA.slug}`, await loadForm(owner, `/people/${ADA.slug}`))
  const before = await chargedTo(service, owner)
  const answer = await owner.get(`/lists/list.csv?id=${path.split('/').at(-1)}`)
  const [header, ...lines] = (await answer.text()).trimEnd().split('\r\n')
  expect(header).toBe('kind,id,slug,name,addedAt,email,phone,telegram,linkedinUrl')
  expect(lines).toHaveLength(3)
  const [ada] = lines.filter((line) => line.includes(ADA.id))
  expect(ada).toContain(ADA.email)
  const others = lines.filter((line) => line !== ada).join()
  for (const value of PRIVATE_VALUES) expect(others).not.toContain(value)
  expect(await chargedTo(service, owner)).toBe(before)
})

test('another account’s list and view answer as what does not exist, and a stranger is asked to sign in', async () => {
  const [owner] = await town.workspace()
  const path = await keep(owner, [ADA.id], 'To call')
  const id = path.split('/').at(-1)!
  await owner.submit('/views/new/people?roles=founder', { query: 'roles=founder', name: 'F' })
  const [view] = await viewsOf(service.database, owner.accountId)
  const other = await town.customer(0, 'pro')
  const paths = [
    path,
    `/lists/list.csv?id=${id}`,
    `/lists/rename?id=${id}`,
    `/lists/delete?id=${id}`,
    `/lists/remove?list=${id}&ids=${ADA.id}`,
    `/views/${view!.id}`,
    `/views/change?id=${view!.id}`,
  ]
  for (const each of paths) {
    expect([each, (await other.get(each)).status]).toEqual([each, 404])
    const stranger = await town.visitor().get(each)
    expect(stranger.headers.get('location')).toStartWith('/sign-in?returnUrl=')
  }
  const sent = { id, list: id, ids: [ADA.id], name: 'Mine', action: 'delete' }
  for (const action of ['/lists/add', '/lists/remove', '/lists/rename', '/lists/delete']) {
    const answer = await other.submit(
      '/lists',
      { ...sent, name: action === '/lists/add' ? '' : 'Mine' },
      action,
    )
    expect([action, answer.status]).toEqual([action, 404])
  }
  const change = await other.submit('/lists', { id: view!.id, action: 'delete' }, '/views/change')
  expect(change.status).toBe(404)
  expect(listed(await owner.text(path))).toEqual([`/people/${ADA.slug}`])
  expect(textIn(await other.text('/people'))).not.toContain('Views')
})

test('what is too much or nothing is refused by name, and nothing is kept', async () => {
  const [owner] = await town.workspace()
  expect((await owner.get('/lists/add')).status).toBe(400)
  expect((await owner.get(`${addPath([ADA.id])}&ids=x`)).status).toBe(400)
  const many = Array.from({ length: 101 }, () => crypto.randomUUID())
  expect(textIn(await owner.text(addPath(many)))).toContain('at most 100 at once; there were 101')
  const bare = await owner.submit('/lists', { ids: [ADA.id], list: '', name: ' ' }, '/lists/add')
  expect([bare.status, textIn(await bare.text())]).toEqual([
    422,
    expect.stringContaining('Choose a list, or name a new one.'),
  ])
  const long = await owner.submit('/lists', { name: 'x'.repeat(101) })
  expect([long.status, textIn(await long.text())]).toEqual([
    422,
    expect.stringContaining('At most 100 characters.'),
  ])
  expect(textIn(await owner.text('/lists'))).toContain('No list yet.')
  expect((await owner.get('/views/new/nobody')).status).toBe(404)
  const nothing = await owner.submit('/views/new/people', { name: 'All', query: '' })
  expect(textIn(await nothing.text())).toContain('Choose a filter or an order first.')
})

test('of records that are not there nothing is said to be on a list, and no list is made for them', async () => {
  const [owner] = await town.workspace()
  const nobody = crypto.randomUUID()
  const none = await owner.submit('/lists', { ids: [nobody], name: 'Nobody' }, '/lists/add')
  expect([none.status, textIn(await owner.text('/lists'))]).toEqual([
    404,
    expect.stringContaining('No list yet.'),
  ])
  const fields = { ids: [nobody, ADA.id], name: 'Some' }
  const path = (await owner.submit('/lists', fields, '/lists/add')).headers.get('location')!
  expect(textIn(await owner.text(path))).toContain(
    'Some records are no longer in the directory. The others were added to the list.',
  )
})

test('who adds from a profile keeps what is selected elsewhere', async () => {
  const [owner] = await town.workspace()
  const [, page] = /href="(\/lists\/add[^"]*)"/.exec(await owner.text(`/people/${ADA.slug}`))!
  const form = await formOn(owner, page!.replaceAll('&amp;', '&'), '/lists/add')
  form.set('name', 'One')
  const path = (await owner.post('/lists/add', form)).headers.get('location')!
  const one = await owner.text(path)
  expect(textIn(one)).toContain('Added to the list.')
  expect(one).not.toContain('data-selection-done')
  const more = await owner.submit('/lists', { ids: [BEN.id], name: 'One' }, '/lists/add')
  expect(await owner.text(more.headers.get('location')!)).toContain('data-selection-done')
})

test('those who are gone are removed by what the database says: who is new to this instance stays', async () => {
  const [owner] = await town.workspace()
  const path = await keep(owner, [ADA.id], 'To call')
  const id = path.split('/').at(-1)!
  const late = await insertPerson(service.sql, 'Late')
  await service.sql`
    insert into list_entries (list_id, record_id, kind, added_at)
    select ${id}, gone, 'person', now() from unnest(array[${late}, gen_random_uuid()]::uuid[]) gone`
  expect(textIn(await owner.text(path))).toContain('2 records of the list are not in the directory')
  const question = `/lists/remove?list=${id}&gone=yes`
  await owner.post('/lists/remove', await formOn(owner, question, '/lists/remove'))
  await service.directory.refresh()
  expect(listed(await owner.text(path))).toEqual([`/people/p-${late}`, `/people/${ADA.slug}`])
})

test('as many lists and views as there may be, with the longest names, stand in pages below 60 KB', async () => {
  const [owner] = await town.workspace()
  await service.sql`
    insert into record_lists (account_id, name)
    select ${owner.accountId}, repeat('資', 97) || n from generate_series(100, ${99 + MAX_LISTS}::integer) n`
  await service.sql`
    insert into saved_views (account_id, list, name, query)
    select ${owner.accountId}, 'people', repeat('＆', 97) || n, 'sort=name'
      from generate_series(100, ${99 + MAX_VIEWS}::integer) n`
  const seen = new Set<string>()
  for (let page = 1; page <= 5; page++) {
    const text = await owner.text(`/lists?page=${page}&views=${page}`)
    expect(Buffer.byteLength(text)).toBeLessThan(60_000)
    for (const path of listed(text)) seen.add(path)
  }
  expect(seen.size).toBe(MAX_LISTS + MAX_VIEWS)
  expect(await owner.text('/lists?page=9')).toContain('/lists?page=4')
  for (const path of ['/palette', addPath([ADA.id]), '/views/new/people?sort=name']) {
    expect([path, Buffer.byteLength(await owner.text(path)) < 60_000]).toEqual([path, true])
  }
})

test('a stranger sees the price of a selection, and both ways in lead back to it', async () => {
  const visitor = town.visitor()
  const page = await visitor.text(`/reveal?ids=${ADA.id}&ids=${CLEO.id}`)
  const text = textIn(page)
  expect(text).toContain('Reveal 1 person')
  expect(text).toContain('Price 10 credits')
  const back = encodeURIComponent(`/reveal?ids=${ADA.id}&ids=${CLEO.id}`)
  expect(page).toContain(`href="/sign-up?returnUrl=${back}"`)
  expect(page).toContain(`href="/sign-in?returnUrl=${back}"`)
  for (const value of PRIVATE_VALUES) expect(page).not.toContain(value)
  // The return URL of the largest selection is still short enough.
  const many = Array.from({ length: 100 }, () => crypto.randomUUID())
  const longest = withReturnUrl('/sign-up', `/reveal?${idsQuery(many)}`)
  expect((await visitor.get(longest)).status).toBe(200)
})
