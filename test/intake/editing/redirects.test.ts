/** What is read by an id or slug of a record that was merged, over the API, the application and a rebuild. */
import { expect, test } from 'bun:test'
import { deleteRecord, mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { ADA, AURORA, BEN, BOREALIS, fixtures } from '../../helpers/fixtures.ts'
import { sharedService } from '../../helpers/shared.ts'

const service = sharedService(fixtures)
const ask = (path: string) => service.web(new Request(`http://localhost${path}`))

test('the API answers with the survivor by its own id, charges a reveal once, and pages redirect', async () => {
  const caller = await service.account({ tier: 'team', credits: 100 })
  const { id, merged, change } = await mergeRecords(
    service.database,
    'person',
    [ADA.slug, BEN.slug],
    'olga',
  )
  const gone = [ADA, BEN].find((person) => person.id === merged)!
  await service.directory.refresh()
  const read = async () => {
    const answer = await caller.get(`/v1/people/${gone.slug}?include=private`)
    return [answer.status, answer.body.data.person.id, answer.body.meta.creditsCharged]
  }
  expect(await read()).toEqual([200, id, 10])
  await service.directory.rebuild()
  expect(await read()).toEqual([200, id, 5])
  const page = await ask(`/people/${gone.slug}`)
  const stayed = [ADA, BEN].find((person) => person.id === id)!
  expect([page.status, page.headers.get('location')]).toEqual([301, `/people/${stayed.slug}`])
  await undoChange(service.database, change, 'olga')
  await service.directory.refresh()
  expect((await caller.get(`/v1/people/${gone.slug}`)).body.data.person.id).toBe(gone.id)
})

test('companies too; a survivor that is deleted takes its other names along', async () => {
  const caller = await service.account({ tier: 'team', credits: 100 })
  const { id } = await mergeRecords(
    service.database,
    'company',
    [AURORA.slug, BOREALIS.slug],
    'olga',
  )
  await service.directory.refresh()
  for (const { slug } of [AURORA, BOREALIS]) {
    expect((await caller.get(`/v1/projects/${slug}`)).body.project.id).toBe(id)
  }
  await deleteRecord(service.database, 'company', id, 'olga')
  await service.directory.refresh()
  const statuses = [AURORA, BOREALIS].map(
    async ({ slug }) => (await caller.get(`/v1/projects/${slug}`)).status,
  )
  expect(await Promise.all(statuses)).toEqual([404, 404])
})
