/** Rows as they are read: what the database computes for them, and what is shared between them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readRows } from '../../../src/directory/records/rows.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a moment is read to the microsecond, and a far one as exactly as a float can tell', async () => {
  await db.sql`
    insert into people (id, first_name, created_at)
    select gen_random_uuid(), 'Person ' || n, at from (
      select n, timestamptz '1850-01-01' + n * 4733551234567 * interval '1 microsecond' as at
        from generate_series(1, 2000) n
      union all
      select 0, unnest(array['1899-12-31 23:59:59.999999Z', '1900-01-01Z', '1969-12-31 23:59:59.999999Z', '2099-12-31 23:59:59.999999Z',
        '2100-01-01 00:00:00.000001Z', '9999-12-31 23:59:59.999Z', '0001-01-01 00:00:00.001Z']::timestamptz[])
    ) moments`
  const exact = await db.sql<{ id: string; ms: string }[]>`
    select id, (extract(epoch from created_at) * 1000)::text as ms from people`
  const rows = await readRows(db.database, 'people', { after: null, limit: 10_000 })
  const read = new Map(rows.map(({ id, createdAt }) => [id, createdAt]))
  expect(read.size).toBe(2_007)
  for (const { id, ms } of exact) expect(read.get(id)).toBe(Number(ms))
})

test('lists are read as they are, and equal ones are one', async () => {
  const roles = [[], ['a', 'b'], ['a,b'], ['"a"', '\\', '{}', 'null', ' '], ['a', 'b']]
  for (const [n, list] of roles.entries()) {
    await db.sql`
      insert into people (id, first_name, roles)
      select ${`00000000-0000-7000-8000-00000000000${n}`}, 'Listed', array(
        select value from json_array_elements_text(${JSON.stringify(list)}::text::json) with ordinality order by ordinality)`
  }
  const rows = await readRows(db.database, 'people', { after: null, limit: 10_000 })
  const listed = rows.filter(({ firstName }) => firstName === 'Listed').map((row) => row.roles)
  expect(listed).toEqual(roles)
  expect(listed[4]).toBe(listed[1]!)
})
