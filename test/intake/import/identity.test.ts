/** Which record a row means, and the slug it gets. */
import { describe, expect, test } from 'bun:test'
import { importFiles } from '../../../src/intake/import/import.ts'
import { company, counts, csv, emptyDatabase, load, reasons } from './sources.ts'

const t = emptyDatabase()

const ID = '018f0000-0000-7000-8000-00000000000a'

const slugs = async (table: 'companies' | 'people') =>
  (await t.sql`select slug from ${t.sql(table)} order by external_id, slug`).map(({ slug }) => slug)

describe('identity: id, else externalId, else slug', () => {
  test('an id that the row brings is kept', async () => {
    await load(t.database, 'companies', [company({ id: ID })])
    expect(counts(await load(t.database, 'companies', [{ id: ID, name: 'Other' }]))).toStartWith(
      '0 created, 1 updated',
    )
    expect([...(await t.sql`select id, name, slug from companies`)]).toEqual([
      { id: ID, name: 'Other', slug: 'acme' },
    ])
  })

  test('an id that the service makes is a UUIDv7', async () => {
    await load(t.database, 'companies', [company()])
    const [row] = await t.sql`select id from companies`
    expect(row?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
  })

  test('externalId goes before slug', async () => {
    await load(t.database, 'companies', [
      company({ externalId: 'a', slug: 'one' }),
      company({ externalId: 'b', slug: 'two' }),
    ])
    const done = await load(t.database, 'companies', [
      { externalId: 'b', slug: 'one', ticker: 'TWO' },
    ])
    expect(counts(done)).toStartWith('0 created, 1 updated')
    const [row] = await t.sql`select slug, ticker from companies where external_id = 'b'`
    expect({ ...row }).toEqual({ slug: 'two', ticker: 'TWO' })
  })

  test("an externalId that is another record's is refused", async () => {
    await load(t.database, 'companies', [company({ id: ID }), company({ externalId: 'b' })])
    expect(reasons(await load(t.database, 'companies', [{ id: ID, externalId: 'b' }]))).toEqual([
      '1 externalId: belongs to another record',
    ])
  })

  test('a slug that an earlier row of the file made or brought names its record', async () => {
    const done = await load(t.database, 'companies', [
      company({ externalId: 'a' }),
      { slug: 'acme', ticker: 'ACM' },
      company({ externalId: 'b', name: 'Beta', slug: 'given' }),
      { slug: 'given', ticker: 'BET' },
    ])
    expect(counts(done)).toStartWith('2 created, 2 updated')
    const rows = await t.sql`select external_id, slug, ticker from companies order by external_id`
    expect(rows.map((row) => Object.values(row).join(' '))).toEqual(['a acme ACM', 'b given BET'])
  })

  test('rows of one file that speak of one record are applied in order', async () => {
    const done = await load(t.database, 'companies', [
      company({ id: ID, externalId: 'a', slug: 'acme', ticker: 'ONE' }),
      { externalId: 'a', ticker: 'TWO' },
      { slug: 'acme', domain: 'acme.example' },
      { id: ID, size: '1-10' },
      { externalId: 'a', ticker: 'TWO' },
    ])
    expect(counts(done)).toBe('1 created, 3 updated, 1 unchanged, 0 refused')
    const [row] = await t.sql`select ticker, domain, size from companies`
    expect({ ...row }).toEqual({ ticker: 'TWO', domain: 'acme.example', size: '1-10' })
  })
})

describe('slugs', () => {
  test('missing, malformed or taken: made from the name, numbered if need be', async () => {
    await load(t.database, 'companies', [
      company({ externalId: '1', slug: 'acme' }),
      company({ externalId: '2' }),
      company({ externalId: '3', slug: 'Not A Slug' }),
      company({ externalId: '4', slug: 'acme', name: 'Beta' }),
      company({ externalId: '5', name: '量子' }),
    ])
    expect(await slugs('companies')).toEqual(['acme', 'acme-2', 'acme-3', 'beta', 'company'])
  })

  test('rows of the source that share a slug all go in, and keep their slugs', async () => {
    const rows = ['a', 'b', 'c'].map((externalId) => company({ externalId, slug: 'shared' }))
    expect(counts(await load(t.database, 'companies', rows))).toStartWith('3 created')
    expect(counts(await load(t.database, 'companies', rows))).toBe(
      '0 created, 0 updated, 3 unchanged, 0 refused',
    )
    expect(await slugs('companies')).toEqual(['shared', 'acme', 'acme-2'])
  })

  test('a row without a slug keeps the stored one, also under a new name', async () => {
    await load(t.database, 'companies', [company({ externalId: 'a' })])
    await load(t.database, 'companies', [{ externalId: 'a', name: 'Renamed', slug: null }])
    expect(await slugs('companies')).toEqual(['acme'])
  })

  test('slug null says that a person has none; where the field is absent, what is stored stays', async () => {
    const ann = { externalId: 'a', firstName: 'Ann' }
    await load(t.database, 'people', [ann, { externalId: 'b', firstName: 'Ben', slug: null }])
    expect(await slugs('people')).toEqual(['ann', null])
    await load(t.database, 'people', [
      { ...ann, slug: null },
      { externalId: 'b', firstName: 'Ben' },
    ])
    expect(await slugs('people')).toEqual([null, null])
    const blank = csv([{ firstName: 'Cem', slug: null }])
    await importFiles(t.database, { people: blank })
    await load(t.database, 'people', [{ ...ann, slug: 'ann-2' }])
    expect(await slugs('people')).toEqual(['ann-2', null, null])
  })

  test('a well-formed, free slug replaces the stored one', async () => {
    await load(t.database, 'companies', [company({ externalId: 'a' })])
    await load(t.database, 'companies', [{ externalId: 'a', slug: 'better' }])
    expect(await slugs('companies')).toEqual(['better'])
  })

  test('a person whose name has no Latin letter has a slug only if there is a handle', async () => {
    await load(t.database, 'people', [
      { externalId: '1', firstName: 'Пирожок', lastName: 'Черничный' },
      { externalId: '2', firstName: 'Пирожок', twitterHandle: '@pirozhok' },
    ])
    expect(await slugs('people')).toEqual([null, 'pirozhok'])
  })
})
