/** Every page that links lead to, read by somebody who unlocked nobody: no private channel stands on one. */
import { beforeAll, expect, test } from 'bun:test'
import { deleteRecord, setRecord } from '../../src/intake/editing/edit.ts'
import { ADA, BEN, fixtures } from '../helpers/fixtures.ts'
import { sharedOperator } from './operators.ts'
import { sharedTown, type Visitor } from './visitor.ts'

const { service, town } = sharedTown(fixtures)
const operator = sharedOperator(service, town)

const MOST_PAGES = 160

beforeAll(async () => {
  const change = { email: 'changed@ada.example', phone: '+1 555 010 7777' }
  await setRecord(service.database, 'person', ADA.id, change, 'olga')
  await setRecord(service.database, 'person', ADA.id, { phone: '' }, 'olga')
  await deleteRecord(service.database, 'person', BEN.id, 'olga')
})

/** Pages with a value of these, of those that links and forms lead to from the first ones. */
async function pagesWith(values: readonly string[], reader: Visitor) {
  const paths = new Set(['/', '/people', '/companies', '/rounds', '/overview', '/operator'])
  const found: string[] = []
  for (const path of paths) {
    const text = await (await reader.get(path)).text()
    if (values.some((value) => text.includes(value))) found.push(path)
    for (const [, link = ''] of text.matchAll(/(?:href|action)="(\/[^"#]*)/g)) {
      const isPage = !/sign-out|^\/assets\//.test(link)
      if (isPage && paths.size < MOST_PAGES) paths.add(link.replaceAll('&amp;', '&'))
    }
  }
  return { found, count: paths.size }
}

test.each([
  ['a visitor', async () => town.visitor()],
  ['a customer', () => town.customer(10, 'free')],
  ['an operator', async () => operator],
] as const)('of %s', async (_, reader) => {
  const rows = await service.sql`
    select v.value
      from (select to_jsonb(c) as one from private_channels c
             union all select before from journal_entries where table_name = 'private_channels' and before is not null) c
     cross join lateral jsonb_each_text(one - 'person_id') v where v.value <> ''`
  const values = rows.map(({ value }) => String(value))
  expect(values.length).toBeGreaterThan(5)
  const { found, count } = await pagesWith(values, await reader())
  expect(found).toEqual([])
  expect(count).toBeGreaterThan(100)
})
