/** contract/GET /v1/search. */
import { expect, test } from 'bun:test'
import { ADA, AURORA, crowd, DORADO, EMBER, fixtures } from '../helpers/fixtures.ts'
import { expectShape, PERSON, PROJECT } from '../helpers/shapes.ts'
import { startService } from './setup.ts'

const service = await startService(async (database) => {
  await fixtures(database)
  await crowd(database, 20)
})
const caller = await service.account({ tier: 'team', credits: 10_000 })

const bodyOf = async (path: string) => (await caller.get(path)).body
const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

test('contract/GET search: {q, limit, projects[], people[], meta}: no total, no paging', async () => {
  const body = await bodyOf('/v1/search?q=aurora')
  expect(Object.keys(body)).toEqual(['q', 'limit', 'projects', 'people', 'meta'])
  expect([body.q, body.limit]).toEqual(['aurora', 12])
})

test('contract/GET search: records have the same shapes as on the lists', async () => {
  const body = await bodyOf('/v1/search?q=a')
  expect(body.projects.length).toBeGreaterThan(0)
  expect(body.people.length).toBeGreaterThan(0)
  for (const project of body.projects) expectShape(project, PROJECT)
  for (const person of body.people) expectShape(person, PERSON)
})

test('contract/GET search: people channels stay locked', async () => {
  const [ada] = (await bodyOf('/v1/search?q=ada')).people
  expect([ada.id, ada.isLocked, ada.email, ada.phone]).toEqual([ADA.id, true, null, null])
})

test.each([
  ['', 12],
  ['&limit=12', 12],
  ['&limit=13', 12],
  ['&limit=100', 12],
  ['&limit=5', 5],
  ['&limit=1', 1],
  ['&limit=0', 1],
  ['&limit=-1', 1],
])(
  'contract/Limits: search: %p uses and reports a limit of %d, for each group',
  async (query, used) => {
    const body = await bodyOf(`/v1/search?q=xu${query}`)
    expect([body.limit, body.people.length]).toEqual([used, used])
  },
)

test.each(['a', 'aurora', 'xu', 'ada', 'cap', 'member 0003', '$aur'])(
  'the groups for %s hold the first of exactly what the lists page through',
  async (q) => {
    const query = `q=${encodeURIComponent(q)}`
    const { projects, people } = await bodyOf(`/v1/search?${query}`)
    expect(projects).toEqual((await bodyOf(`/v1/projects?${query}&limit=12`)).data)
    expect(people).toEqual((await bodyOf(`/v1/people?${query}&limit=12`)).data)
  },
)

test('contract/GET search: it crosses projects and people; funds and services are searched on their own lists', async () => {
  const { projects } = await bodyOf('/v1/search?q=ember')
  expect(idsOf(projects)).not.toContain(EMBER.id)
  expect(idsOf((await bodyOf('/v1/search?q=dorado')).projects)).toEqual([DORADO.id])
})

test('contract/GET search: q is echoed trimmed, as it was understood', async () => {
  expect((await bodyOf('/v1/search?q=%20%22aurora%22%20')).q).toBe('"aurora"')
})

test.each([
  ['AURORA', 'case'],
  ['áurörà', 'accents'],
  ['@aurora', 'a leading @'],
  ['$AUR', 'a leading $'],
  ['auro', 'the last word as a prefix'],
  ['aurora proto', 'every word, the last as a prefix'],
  ['aurara protocol', 'a typo in a longer word'],
])('%s finds Aurora Protocol: %s', async (q) => {
  const { projects } = await bodyOf(`/v1/search?q=${encodeURIComponent(q)}`)
  expect(idsOf(projects)).toEqual([AURORA.id])
})

test('every word must match', async () => {
  expect((await bodyOf('/v1/search?q=aurora+zebra')).projects).toEqual([])
})

test.each(['"', "'", '\\', ';--', '<script>', '%', '*', '(', '🙂', '🙂'.repeat(50)])(
  'a search for %s is an answer like any other, for 5 credits',
  async (q) => {
    const { status, body } = await caller.get(`/v1/search?q=${encodeURIComponent(q)}`)
    expect([status, body.q, body.meta.creditsCharged]).toEqual([200, q, 5])
  },
)
