/** Lists and views that an account keeps (D158, D159): seen and changed by all who act for it, and by nobody else. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { viewsOf } from '../../src/contacts/saved-views.ts'
import { idsQuery } from '../../src/web/directory/selected.ts'
import { withReturnUrl } from '../../src/web/http/return-url.ts'
import { ADA, AURORA, BEN, CLEO, EMBER, fixtures, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { formIn, textIn } from './reading.ts'
import { chargedTo, loadForm, type Person, sharedTown } from './visitor.ts'

setDefaultTimeout(30_000)

const { service, town } = sharedTown(fixtures)

const add = (ids: readonly string[]) =>
  `/lists/add?${new URLSearchParams(ids.map((id) => ['ids', id]))}`

/** Puts records on a list of this name, as its page does. @returns the list's path */
async function keep(someone: Person, ids: readonly string[], name: string): Promise<string> {
  const form = await loadFormOf(someone, add(ids), '/lists/add')
  form.set('name', name)
  const answer = await someone.post('/lists/add', form)
  return answer.headers.get('location')?.split('?')[0] ?? `status ${answer.status}`
}
async function loadFormOf(someone: Person, page: string, action: string) {
  const form = formIn(await someone.text(page), action)
  if (!form) throw new Error(`${page} has no form ${action}`)
  return form
}
const listed = (text: string) =>
  [...text.matchAll(/<a class="name" href="([^"]*)"/g)].map(([, path]) => path!)

async function workspace(): Promise<[Person, Person]> {
  const [owner, member] = [await town.customer(100, 'team'), await town.person('Ben')]
  await service.sql`
    insert into members (account_id, user_id, role, joined_at)
    values (${owner.accountId}, ${member.userId}, 'member', now())`
  await service.sql`update sessions set account_id = ${owner.accountId} where user_id = ${member.userId}`
  return [owner, member]
}

test('a list has the rows of the directory by kind, in the order of adding or another; a member sees and changes the same', async () => {
  const [owner, member] = await workspace()
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
  const [owner, member] = await workspace()
  const path = await keep(owner, [ADA.id, BEN.id], 'To call')
  const id = path.split('/').at(-1)!
  const form = await loadFormOf(member, add([ADA.id, AURORA.id]), '/lists/add')
  form.set('list', id)
  const twice = await Promise.all([
    member.post('/lists/add', form),
    member.post('/lists/add', form),
  ])
  expect(twice.map((it) => it.headers.get('location'))).toEqual(Array(2).fill(`${path}?said=added`))
  // Cleo was selected on another page and is not on the list.
  const remove = `/lists/remove?list=${id}&ids=${ADA.id}&ids=${CLEO.id}`
  expect(textIn(await member.text(remove))).toContain('1 record goes off the list.')
  await member.post('/lists/remove', await loadFormOf(member, remove, '/lists/remove'))
  expect(listed(await owner.text(path))).toEqual([`/people/${BEN.slug}`])
  await owner.submit(`/lists/rename?id=${id}`, { id, name: 'Called' })
  const question = await owner.text(`/lists/delete?id=${id}`)
  expect(textIn(question)).toContain('Delete Called? The list goes, for everybody')
  expect(textIn(question)).toContain('2 records')
  await owner.submit(`/lists/delete?id=${id}`, { id })
  expect((await member.get(path)).status).toBe(404)
  expect((await member.get(`/people/${BEN.slug}`)).status).toBe(200)
})

test('the file is free, and has the channels of those whom the account has unlocked and no field that an export charges for', async () => {
  const [owner] = await workspace()
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
  const [owner] = await workspace()
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
  const [owner] = await workspace()
  expect((await owner.get('/lists/add')).status).toBe(400)
  expect((await owner.get(`${add([ADA.id])}&ids=x`)).status).toBe(400)
  const many = Array.from({ length: 101 }, () => crypto.randomUUID())
  expect(textIn(await owner.text(add(many)))).toContain('at most 100 at once; there were 101')
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

test('a view keeps filters and order, opens for a member, is replaced and deleted', async () => {
  const [owner, member] = await workspace()
  const list = '/people?roles=founder&sort=name'
  expect(await owner.text(list)).toContain('href="/views/new/people?roles=founder&amp;sort=name"')
  const asked = '/views/new/people?roles=founder&sort=name&page=2'
  const saved = await owner.post(
    '/views/new/people',
    new URLSearchParams([
      ...(await loadFormOf(owner, asked, '/views/new/people')),
      ['name', 'By name'],
    ]),
  )
  const [view] = await viewsOf(service.database, owner.accountId)
  const opened = `/people?view=${view!.id}&roles=founder&sort=name`
  expect(saved.headers.get('location')).toBe(opened)
  expect((await member.get(`/views/${view!.id}`)).headers.get('location')).toBe(opened)
  const page = await member.text(opened)
  expect(page).toContain(`href="/views/${view!.id}" aria-current="true">By name</a>`)
  expect(page).not.toContain('Save this view')
  expect(listed(page)).toEqual(listed(await member.text(list)))
  // Changed, it is kept instead of the one that was opened.
  const changed = `/views/new/people?view=${view!.id}&roles=founder&sort=recent`
  expect(await member.text(`/people?roles=founder&sort=recent&view=${view!.id}`)).toContain(
    `href="${changed.replaceAll('&', '&amp;')}"`,
  )
  expect(await member.text(changed)).toMatch(new RegExp(`value="${view!.id}" selected`))
  await member.submit(changed, {
    query: 'roles=founder&sort=recent',
    name: 'Newest',
    replaced: view!.id,
  })
  expect(await viewsOf(service.database, owner.accountId)).toEqual([
    { id: view!.id, list: 'people', name: 'Newest', query: 'roles=founder&sort=recent' },
  ])
  const id = view!.id
  await owner.submit(`/views/change?id=${id}`, { id, action: 'rename', name: 'New' })
  expect(textIn(await owner.text('/lists'))).toContain('New People')
  await owner.submit(`/views/change?id=${id}`, { id, action: 'delete' })
  expect(await viewsOf(service.database, owner.accountId)).toEqual([])
})

test('a view whose filter is gone opens with the others, and says what is gone', async () => {
  const [owner] = await workspace()
  const query = 'kind=project,guild&sector=DeFi,Zeppelins&sort=by-luck&mood=good'
  await service.sql`
    insert into saved_views (account_id, list, name, query) values (${owner.accountId}, 'projects', 'Old', ${query})`
  const [view] = await viewsOf(service.database, owner.accountId)
  const opened = (await owner.get(`/views/${view!.id}`)).headers.get('location')!
  expect(opened).toBe(`/projects?view=${view!.id}&kind=project&sector=DeFi%2CZeppelins`)
  const text = textIn(await owner.text(opened))
  expect(text).toContain('which is left out: Kind: guild; Sort: by-luck; Mood: good.')
  expect(text).toContain('Sector: Zeppelins')
  expect(listed(await owner.text(opened))).toContain(`/projects/${AURORA.slug}`)
})

test('a stranger sees the price of a selection, and both ways in lead back to it', async () => {
  const visitor = town.visitor()
  const page = await visitor.text(`/reveal?ids=${ADA.id}&ids=${CLEO.id}`)
  const text = textIn(page)
  expect(text).toContain('Reveal 2 people')
  expect(text).toContain('Price 10 credits')
  const back = encodeURIComponent(`/reveal?ids=${ADA.id}&ids=${CLEO.id}`)
  expect(page).toContain(`href="/sign-up?returnUrl=${back}"`)
  expect(page).toContain(`href="/sign-in?returnUrl=${back}"`)
  for (const value of PRIVATE_VALUES) expect(page).not.toContain(value)
  // Of the most that can be selected, the address back is still short enough.
  const many = Array.from({ length: 100 }, () => crypto.randomUUID())
  const longest = withReturnUrl('/sign-up', `/reveal?${idsQuery(many)}`)
  expect((await visitor.get(longest)).status).toBe(200)
})
