/** An upgrade of a database in which pages of LinkedIn are stored that are nobody's profile. */
import { expect, test } from 'bun:test'
import { migrate } from '../../src/database/migrate.ts'
import { undoChange } from '../../src/intake/editing/edit.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { until } from '../helpers/replicas.ts'
import { sharedDatabase } from '../helpers/shared.ts'
import { expectBooksToBalance, newAccount, revealOf } from '../money/charge/fixtures.ts'

const t = sharedDatabase()

const people = () =>
  t.sql`select p.slug, c.linkedin_url as url, c.email, p.has_linkedin as flag
          from people p join private_channels c on c.person_id = p.id order by p.slug`
/** People with pages of a company, as imports of earlier releases stored them. */
const addPages = (count: number) => t.sql`
  with added as (
    insert into people (id, first_name) select gen_random_uuid(), 'P' || n from generate_series(1, ${count}) n returning id)
  insert into private_channels (person_id, linkedin_url) select id, 'https://www.linkedin.com/company/acme' from added`
const pages = async () =>
  (await t.sql`select from private_channels where linkedin_url like '%/company/%'`).length
const position = async () => {
  const [row] = await t.sql`select coalesce(max(sequence), 0)::float8 as at from change_log`
  return Number(row?.at)
}

test('pages that are nobody’s profile go once, as a change that instances follow and an operator can undo; what was paid stays', async () => {
  const NOBODYS = [
    'https://www.linkedin.com/in/',
    'https://www.linkedin.com/authwall?trk=bf',
    'https://linkedin.com/company/acme',
  ]
  await importRows(t.database, 'people', [
    ...NOBODYS.map((_, i) => ({
      slug: `n${i}`,
      firstName: `N ${i}`,
      email: `n${i}@people.example`,
    })),
    { slug: 'profile', firstName: 'Ada', linkedinUrl: 'https://www.linkedin.com/in/ada' },
  ])
  // As imports of earlier releases stored them.
  for (const [i, url] of NOBODYS.entries()) {
    await t.sql`update private_channels set linkedin_url = ${url} from people where id = person_id and slug = ${`n${i}`}`
  }
  const before = await people()
  expect(before.map(({ flag }) => flag)).toEqual([true, true, true, true])
  const [first] = await t.sql`select id from people where slug = 'n0'`
  const account = await newAccount(t.sql, { tier: 'pro', credits: 100 })
  const meter = createMeter(t.database, { maxWaitMs: PATIENCE_MS })
  const { charged } = await meter.charge(revealOf(account, first?.id))
  const [unlock] = await t.sql`select * from unlocks`

  const from = await position()
  await t.sql`delete from chainkin_functions`
  await migrate(t.database)

  expect([...(await people())].map((row) => ({ ...row }))).toEqual([
    ...NOBODYS.map((_, i) => ({
      slug: `n${i}`,
      url: null,
      email: `n${i}@people.example`,
      flag: false,
    })),
    { slug: 'profile', url: 'https://www.linkedin.com/in/ada', email: null, flag: true },
  ])
  const changed = await t.sql`
    select distinct slug from change_log join people using (id) where kind = 'person' and sequence > ${from} order by 1`
  expect(changed.map(({ slug }) => slug)).toEqual(['n0', 'n1', 'n2'])
  expect((await t.sql`select * from unlocks`).map((row) => ({ ...row }))).toEqual([{ ...unlock }])
  expect(charged).toBe(10)
  await expectBooksToBalance(t.sql)

  // Applied again they find nothing, so that no change is noted.
  const [journal] =
    await t.sql`select change::float8 as change, who, what from journal order by change desc limit 1`
  expect([journal?.who, journal?.what]).toEqual(['upgrade', 'sql'])
  await t.sql`delete from chainkin_functions`
  await migrate(t.database)
  expect((await t.sql`select from journal where change > ${journal?.change}`).length).toBe(0)

  await undoChange(t.database, journal?.change, 'olga')
  expect([...(await people())]).toEqual([...before])
})

test('pages of thousands of people go as one change', async () => {
  await addPages(4_500)
  const [before] = await t.sql`select coalesce(max(change), 0)::float8 as at from journal`
  await t.sql`delete from chainkin_functions`
  await migrate(t.database)
  expect(await pages()).toBe(0)
  expect((await t.sql`select from journal where change > ${before?.at}`).length).toBe(1)
  expect((await t.sql`select from people where has_linkedin and first_name like 'P%'`).length).toBe(
    0,
  )
})

test('functions are applied while others write, and the pages go afterwards: charges wait for neither', async () => {
  await addPages(1)
  await t.sql`delete from chainkin_functions`
  const { promise: end, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const writer = t.sql.begin(async (sql) => {
    await sql`select lock_change_log()`
    begin()
    await end
  })
  await begun
  const migrated = migrate(t.database)
  try {
    await until(async () => (await t.sql`select from chainkin_functions`).length > 0)
    expect(await pages()).toBe(1)
  } finally {
    release()
  }
  await Promise.all([writer, migrated])
  expect(await pages()).toBe(0)
})
