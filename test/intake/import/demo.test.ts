/** The demo directory: what `bun start` shows a newcomer. */
import { describe, expect, test } from 'bun:test'
import { COMPANY_TYPES, ROLES } from '../../../src/contract/vocabulary.ts'
import { inventCompanies } from '../../../src/server/demo/companies.ts'
import { DEMO_COMPANY, DEMO_PERSON, seedDemo } from '../../../src/server/demo/demo.ts'
import { inventPeople } from '../../../src/server/demo/people.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const NOW = new Date('2026-03-17T09:00:00Z')
const t = sharedDatabase((database) => seedDemo(database, NOW))

const one = async (query: string): Promise<number> => Number((await t.sql.unsafe(query))[0]?.n)
const values = async (query: string): Promise<unknown[]> =>
  (await t.sql.unsafe(query)).map(({ v }) => v)

describe('the demo directory', () => {
  test('has at least 300 companies of all six types, 1,000 people, rounds', async () => {
    expect(await one('select count(*) n from companies')).toBeGreaterThanOrEqual(300)
    expect(await one('select count(*) n from people')).toBe(1_000)
    expect(await one('select count(*) n from funding_rounds')).toBeGreaterThan(200)
    expect(await values('select distinct company_type v from companies order by 1')).toEqual(
      COMPANY_TYPES.toSorted(),
    )
  })

  test('has every state of the fields that have states', async () => {
    const states = async (field: string) =>
      (await values(`select distinct coalesce(${field}::text, 'null') v from companies`)).toSorted()
    expect(await states('token_launched')).toEqual(['false', 'null', 'true'])
    expect(await states('lifecycle')).toEqual(['deceased', 'defunct', 'null'])
    expect(await states("twitter_risk->>'level'")).toEqual(['high', 'low', 'medium', 'null'])
    expect(await states('entity_kind')).toEqual(['individual', 'null', 'organization'])
    expect((await states('trust_tier')).length).toBe(5)
    expect(
      await one("select count(*) n from companies where handle_history <> '[]'"),
    ).toBeGreaterThan(10)
    expect(await one("select count(*) n from companies where alt_roles <> '{}'")).toBeGreaterThan(5)
  })

  test('has people with several channels and with none, without slug, without company', async () => {
    const flags = 'has_email::int + has_phone::int + has_telegram::int + has_linkedin::int'
    expect(await one(`select count(*) n from people where ${flags} >= 2`)).toBeGreaterThan(500)
    expect(await one(`select count(*) n from people where ${flags} = 0`)).toBeGreaterThan(50)
    expect(await one('select count(*) n from people where slug is null')).toBeGreaterThan(5)
    expect(await one('select count(*) n from people where company_id is null')).toBeGreaterThan(50)
    expect(await one('select count(*) n from people where is_creator')).toBeGreaterThan(10)
    expect(
      await one("select count(*) n from people where contact_type = 'analyst'"),
    ).toBeGreaterThan(50)
    const roles = new Set(await values('select distinct unnest(roles) v from people'))
    expect(ROLES.filter((role) => !roles.has(role))).toEqual([])
  })

  test('has channels that reach nobody', async () => {
    const real = `email not like '%@example.com' or phone !~ '^\\+1-555-01\\d\\d$'
      or telegram not like 'example\\_%' or linkedin_url not like '%/in/example-%'`
    expect(await one(`select count(*) n from private_channels where ${real}`)).toBe(0)
    expect(await one("select count(*) n from companies where domain not like '%.example'")).toBe(0)
  })

  test('has portfolios of all sizes', async () => {
    const sizes = await values(
      'select count(*)::int v from round_investors group by investor_id order by 1 desc',
    )
    expect(Number(sizes[0])).toBeGreaterThan(20)
    expect(Number(sizes.at(-1))).toBeLessThan(5)
  })

  test('has the company and the person that the first calls ask for', async () => {
    expect(
      await values(`select p.slug v from people p join companies c on c.id = p.company_id
        where c.slug = '${DEMO_COMPANY.slug}' and p.slug = '${DEMO_PERSON.slug}'
          and has_email and has_phone and has_telegram and has_linkedin`),
    ).toEqual([DEMO_PERSON.slug])
    expect(DEMO_COMPANY.slug).toStartWith(DEMO_COMPANY.query)
  })

  test('is the same when seeded again', async () => {
    const state = async () =>
      JSON.stringify([
        await t.sql`select id, slug, updated_at from companies order by id`,
        await t.sql`select id, slug, updated_at from people order by id`,
        await t.sql`select id from round_investors order by id`,
      ])
    const before = await state()
    await seedDemo(t.database, NOW)
    expect(await state()).toBe(before)
  })

  test('has raises of the month before its making and of each before that, and none of later', async () => {
    const months = await values(
      "select distinct to_char(announce_date at time zone 'UTC', 'YYYY-MM') v from funding_rounds order by 1 desc",
    )
    const before = Array.from({ length: 24 }, (_, n) => new Date(Date.UTC(2026, 1 - n)))
    expect(months.slice(0, 24)).toEqual(before.map((month) => month.toISOString().slice(0, 7)))
  })
})

describe('inventing', () => {
  test('is the same for the same seed, and another for another', () => {
    const first = (seed: number) =>
      JSON.stringify([...inventCompanies(20, seed), ...inventPeople(20, seed)])
    expect(first(7)).toBe(first(7))
    expect(first(7)).not.toBe(first(8))
  })

  test('gives 100,000 people names of their own, nearly all', () => {
    const names = new Set<string>()
    for (const { firstName, lastName } of inventPeople(100_000, 7))
      names.add(`${firstName} ${lastName}`)
    expect(names.size).toBeGreaterThan(90_000)
  })
})
