/** Views of lists that an account keeps. */
import { expect, test } from 'bun:test'
import { viewsOf } from '../../src/people/contacts/saved-views.ts'
import { AURORA, fixtures } from '../helpers/fixtures.ts'
import { formOn, listed } from './keeping.ts'
import { factIn, textIn } from './reading.ts'
import { sharedTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

test('a form of a view that says what no list takes is refused, and keeps nothing', async () => {
  const [owner] = await town.workspace()
  const lists = [
    'sort=name&sort=recent',
    `company=${Array.from({ length: 120 }, (_, i) => `c${i}`)}`,
    'q=%00',
    'q='.padEnd(300, 'x'),
  ]
  for (const query of lists) {
    const answer = await owner.submit('/views/new/people', { name: 'Bad', query })
    expect([query, [400, 422].includes(answer.status)]).toEqual([query, true])
  }
  expect(await viewsOf(service.database, owner.accountId)).toEqual([])
})

test('a view and an export say what they are of in the words of the list', async () => {
  const [owner] = await town.workspace()
  const query = `roles=founder&channels=email&company=${AURORA.slug}&sort=recent`
  for (const path of ['/views/new/people', '/export/people']) {
    const page = await owner.text(`${path}?${query}`)
    const words = ['Role', 'Channel on file', 'Company', 'Sort by']
    expect([path, words.map((word) => factIn(page, word))]).toEqual([
      path,
      ['Founder', 'Email', AURORA.name, 'Newest'],
    ])
  }
})

test('of a filter with many values a view and an export name five and count the others', async () => {
  const [owner] = await town.workspace()
  const sectors = ['AI', 'DEX', 'DeFi', 'Gaming', 'NFT', 'RWA', 'Wallets']
  for (const [count, words] of [
    [5, 'AI, DEX, DeFi, Gaming and NFT'],
    [7, 'AI, DEX, DeFi, Gaming, NFT and 2 more'],
  ] as const) {
    const query = new URLSearchParams({ sector: sectors.slice(0, count).join() })
    for (const path of ['/views/new/projects', '/export/projects']) {
      const page = await owner.text(`${path}?${query}`)
      expect([path, factIn(page, 'Sector')]).toEqual([path, words])
    }
  }
})

test('a view keeps filters and order, opens for a member, is replaced and deleted', async () => {
  const [owner, member] = await town.workspace()
  const list = '/people?roles=founder&sort=name'
  expect(await owner.text(list)).toContain('href="/views/new/people?roles=founder&amp;sort=name"')
  const asked = '/views/new/people?roles=founder&sort=name&page=2'
  const saved = await owner.post(
    '/views/new/people',
    new URLSearchParams([
      ...(await formOn(owner, asked, '/views/new/people')),
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
  const [owner] = await town.workspace()
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
