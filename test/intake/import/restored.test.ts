/** What a row may say of the past, so that an export comes back as it was: times, investments' ids, no roles at all. */
import { expect, test } from 'bun:test'
import { uuid } from '../../helpers/fixtures.ts'
import { company, emptyDatabase, load } from './sources.ts'

const t = emptyDatabase()

const LONG_AGO = '2020-01-02T03:04:05.678Z'
const person = { id: uuid(1), firstName: 'Ann', updatedAt: LONG_AGO, createdAt: '2019-01-01' }

const updatedAt = async () => {
  const [row] =
    await t.sql`select updated_at, has_email, has_phone from people where id = ${uuid(1)}`
  return { at: row?.updated_at.toISOString(), flags: [row?.has_email, row?.has_phone] }
}

test('updatedAt is of a new person, also of one with channels; a change later is of its own time', async () => {
  await load(t.database, 'people', [{ ...person, email: 'ann@example.com' }])
  expect(await updatedAt()).toEqual({ at: LONG_AGO, flags: [true, false] })
  const again = await load(t.database, 'people', [{ ...person, updatedAt: '2021-01-01' }])
  expect(again.unchanged).toBe(1)
  expect((await updatedAt()).at).toBe(LONG_AGO)
  await load(t.database, 'people', [{ ...person, phone: '+1 555 010 0123' }])
  const { at, flags } = await updatedAt()
  expect(flags).toEqual([true, true])
  expect(Date.parse(at)).toBeGreaterThan(Date.parse(LONG_AGO))
})

test('a new investment has the id that the row asks for, unless it is another’s or no id', async () => {
  await load(
    t.database,
    'companies',
    [1, 2, 3].map((n) => company({ id: uuid(n), name: `C${n}` })),
  )
  const part = (investor: number, investmentId?: unknown) => ({
    investor: uuid(investor),
    investmentId,
  })
  const round = (id: number, ...investors: object[]) => ({
    id: uuid(id),
    company: uuid(1),
    investors,
  })
  const done = await load(t.database, 'rounds', [
    round(10, part(2, uuid(90)), part(3, uuid(91))),
    round(11, part(2, uuid(90)), part(3)),
  ])
  expect(done).toMatchObject({ created: 2, refused: 0 })
  await load(t.database, 'rounds', [round(12, part(2, uuid(91)), part(3, 'seven'))])
  const rows = await t.sql`select round_id, investor_id, id from round_investors order by 1, 2`
  const asked = [uuid(90), uuid(91)]
  const holders = rows.filter(({ id }) => asked.includes(id)).map(({ round_id }) => round_id)
  expect(holders.length).toBe(2)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  expect(rows.map(({ round_id, investor_id }) => [round_id, investor_id])).toEqual([
    [uuid(10), uuid(2)],
    [uuid(10), uuid(3)],
    [uuid(11), uuid(2)],
    [uuid(11), uuid(3)],
    [uuid(12), uuid(2)],
  ])
})

test('roles: an empty list says none, a blank means those of the title', async () => {
  const ann = { id: uuid(1), firstName: 'Ann', jobTitle: 'CEO' }
  for (const [given, stored] of [
    [[], []],
    ['', ['executive']],
    ['[]', []],
    [null, ['executive']],
    [['nonsense'], ['executive']],
  ]) {
    await load(t.database, 'people', [{ ...ann, roles: given }])
    const [row] = await t.sql`select to_json(roles) as roles from people where id = ${uuid(1)}`
    expect([given, row?.roles]).toEqual([given, stored])
  }
})
