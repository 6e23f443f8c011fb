/** Views of lists that an account keeps, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  deleteView,
  keepView,
  MAX_VIEW_QUERY,
  MAX_VIEWS,
  viewOf,
  viewsOf,
} from '../../../src/people/contacts/saved-views.ts'
import { rejection } from '../../helpers/rejection.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { newAccount } from '../../money/charge/fixtures.ts'

const t = sharedDatabase()

async function keeper() {
  const { id: account } = await newAccount(t.sql, { tier: 'team', credits: 0 })
  const keep = (name: string, query: string, replaced?: string, list = 'projects') =>
    keepView(t.database, account, { list, name, query }, replaced)
  return { account, keep }
}

test('a form that is sent twice keeps one view; a name that says something else is refused', async () => {
  const { account, keep } = await keeper()
  const [id, same] = await Promise.all([keep('DeFi', 'sector=DeFi'), keep('defi', 'sector=DeFi')])
  expect(same).toBe(id)
  expect(await rejection(keep('DEFI', 'sector=NFT'))).toMatchObject({ field: 'name' })
  expect(await keep('DeFi', 'sector=DeFi', undefined, 'services')).not.toBe(id)
  expect(await keep('DeFi, new', 'sector=DeFi&sort=recent', id)).toBe(id)
  expect(await viewOf(t.database, account, id!)).toEqual({
    id: id!,
    list: 'projects',
    name: 'DeFi, new',
    query: 'sector=DeFi&sort=recent',
  })
  await keep('Other', 'sort=name')
  expect(await rejection(keep('other', 'sort=raised', id))).toMatchObject({ field: 'name' })
  expect((await viewsOf(t.database, account, 'projects')).map(({ name }) => name)).toEqual([
    'DeFi, new',
    'Other',
  ])
})

test('what another account keeps answers as what does not exist', async () => {
  const [mine, other] = [await keeper(), await keeper()]
  const id = (await mine.keep('DeFi', 'sector=DeFi'))!
  for (const asked of [id, randomUUID(), 'x']) {
    expect(await viewOf(t.database, other.account, asked)).toBeUndefined()
    expect(await other.keep('Theirs', 'sort=name', asked)).toBeUndefined()
    expect(await deleteView(t.database, other.account, asked)).toBe(false)
  }
  // Nor is a view of one list replaced by one of another.
  expect(await mine.keep('DeFi', 'sort=name', id, 'people')).toBeUndefined()
  expect(await deleteView(t.database, mine.account, id)).toBe(true)
  expect(await viewsOf(t.database, other.account)).toEqual([])
})

test('an account has 100 views at most, also where several are kept at once, and each says something of bounded length', async () => {
  const { account, keep } = await keeper()
  await t.sql`
    insert into saved_views (account_id, list, name, query)
    select ${account}, 'people', 'n ' || i, 'sort=name' from generate_series(2, ${MAX_VIEWS}::integer) i`
  const ends = await Promise.allSettled(['x', 'y', 'z'].map((name) => keep(name, 'sort=name')))
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await viewsOf(t.database, account)).toHaveLength(MAX_VIEWS)
  for (const [name, query] of [
    ['', 'sort=name'],
    ['x'.repeat(101), 'sort=name'],
    ['nothing', ''],
    ['long', 'q='.padEnd(MAX_VIEW_QUERY + 1, 'x')],
  ] as const) {
    expect(await rejection(keep(name, query))).toMatchObject({ field: 'name' })
  }
})
