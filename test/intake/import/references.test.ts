/** Companies that people and rounds name. */
import { describe, expect, test } from 'bun:test'
import { company, counts, emptyDatabase, load, warnings } from './sources.ts'

const t = emptyDatabase()

const NO_COMPANY = 'no such company: none has this id, externalId, slug, domain or name'
const ID = '018f0000-0000-7000-8000-00000000000a'

describe('references', () => {
  test('people name their company by id, externalId or slug, or none', async () => {
    await load(t.database, 'companies', [company({ id: ID, externalId: 'a', slug: 'acme' })])
    const done = await load(t.database, 'people', [
      { firstName: 'A', company: ID.toUpperCase() },
      { firstName: 'B', company: 'a' },
      { firstName: 'C', company: 'acme' },
      { firstName: 'D', company: null },
      { firstName: 'E' },
      { firstName: 'F', company: 'nobody' },
    ])
    expect(warnings(done)).toEqual([`6 company: ${NO_COMPANY}`])
    const rows = await t.sql`select first_name, company_id from people order by first_name`
    expect(rows.map(({ company_id }) => company_id)).toEqual([ID, ID, ID, null, null, null])
  })

  /** Names of people and the slugs of their companies. */
  const employers = async () =>
    Object.fromEntries(
      (
        await t.sql`select first_name, c.slug from people p
                      left join companies c on c.id = p.company_id`.values()
      ).map(([person, slug]) => [person, slug]),
    )

  test('a company is also known by its domain and by the name that it alone has', async () => {
    await load(t.database, 'companies', [
      company({ name: 'Café Labs', slug: 'cafe', domain: 'cafe.example' }),
      company({ name: 'Yearn.example', slug: 'yearn' }),
      company({ name: 'Acme, Inc.', slug: 'acme-inc' }),
    ])
    const named = {
      A: 'CAFE  labs',
      B: 'cafe.example',
      C: 'https://www.Cafe.example/about',
      D: 'yearn.example',
      E: 'Acme, Inc.',
      F: 'Acme',
    }
    const rows = Object.entries(named).map(([firstName, of]) => ({ firstName, company: of }))
    expect(warnings(await load(t.database, 'people', rows))).toEqual([`6 company: ${NO_COMPANY}`])
    expect(await employers()).toEqual({
      A: 'cafe',
      B: 'cafe',
      C: 'cafe',
      D: 'yearn',
      E: 'acme-inc',
      F: null,
    })
  })

  test('a page on a site that many companies use tells none of them by its domain', async () => {
    await load(t.database, 'companies', [
      company({ slug: 'acme', domain: 'github.com' }),
      company({ name: 'Beta', slug: 'beta', domain: 'beta.example' }),
      company({ name: 'Gamma', slug: 'gamma', domain: 'docs.google.com' }),
    ])
    await load(t.database, 'people', [
      { firstName: 'A', company: 'https://github.com/beta' },
      { firstName: 'B', company: 'https://beta.example/about' },
      { firstName: 'C', company: 'github.com' },
      { firstName: 'D', company: 'https://docs.google.com/document/1' },
      { firstName: 'E', company: 'https://github.com/features/actions' },
    ])
    expect(await employers()).toEqual({ A: null, B: 'beta', C: 'acme', D: null, E: null })
  })

  test('an id goes before an externalId, then slug, domain, name', async () => {
    await load(t.database, 'companies', [
      company({ slug: 'by-id', id: ID }),
      company({ slug: 'by-external-id', externalId: ID }),
      company({ slug: 'by-external-id-2', externalId: 'same' }),
      company({ slug: 'same' }),
      company({ slug: 'by-domain', domain: 'two.example' }),
      company({ slug: 'by-name', name: 'two.example' }),
      company({ slug: 'by-name-2', name: 'Same' }),
    ])
    const named = { A: ID, B: 'same', C: 'two.example', D: 'Same' }
    await load(
      t.database,
      'people',
      Object.entries(named).map(([firstName, of]) => ({ firstName, company: of })),
    )
    expect(await employers()).toEqual({
      A: 'by-id',
      B: 'by-external-id-2',
      C: 'by-domain',
      D: 'by-name-2',
    })
  })

  test('a name or domain that several have is left out, and two of them are named', async () => {
    await load(t.database, 'companies', [
      company({ slug: 'acme', domain: 'github.example' }),
      company({ slug: 'acme-eu', name: 'ACME', domain: 'github.example' }),
      company({ slug: 'acme-us', name: 'Acme' }),
    ])
    const done = await load(t.database, 'people', [
      { firstName: 'A', company: 'Ac me' },
      { firstName: 'B', company: 'github.example' },
    ])
    const two = 'Acme (slug acme) and ACME (slug acme-eu)'
    expect(warnings(done)).toEqual([
      `1 company: several companies have this name: ${two} and 1 more; give the slug or id of one`,
      `2 company: several companies have this domain: ${two}; give the slug or id of one`,
    ])
  })

  test('investors are named alike, in one list or with their leads in another', async () => {
    await load(t.database, 'companies', [
      company(),
      company({ name: 'Fund One', companyType: 'investor' }),
      company({ name: 'Fund, Two', companyType: 'investor', slug: 'two', domain: 'two.example' }),
    ])
    await load(t.database, 'rounds', [
      { externalId: 'r', company: 'ACME', investors: 'Fund One|two.example', leadInvestors: 'two' },
    ])
    const rows = await t.sql`select c.slug, o.is_lead from round_investors o
                               join companies c on c.id = o.investor_id order by c.slug`
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { slug: 'fund-one', is_lead: false },
      { slug: 'two', is_lead: true },
    ])
  })

  test('a round brings its whole list of investors; investments that stay keep their id', async () => {
    await load(t.database, 'companies', [
      company(),
      company({ name: 'F1', companyType: 'investor' }),
      company({ name: 'F2', companyType: 'investor' }),
      company({ name: 'F3', companyType: 'investor' }),
    ])
    const investments = async () =>
      (
        await t.sql`select o.id, c.slug, o.is_lead from round_investors o
                      join companies c on c.id = o.investor_id order by c.slug`
      ).map((row) => ({ ...row }))
    const round = {
      externalId: 'r',
      company: 'acme',
      roundType: 'Seed',
      amountUsd: 3e6,
      announceDate: '2021-03-04',
    }
    const lists = [
      [{ investor: 'f1', isLead: true }, { investor: 'f2' }, { investor: 'f2' }],
      [{ investor: 'f1' }, { investor: 'f3', isLead: true }],
    ]
    expect(
      counts(await load(t.database, 'rounds', [{ ...round, investors: lists[0] }])),
    ).toStartWith('1 created')
    const [first] = await investments()
    expect(
      counts(await load(t.database, 'rounds', [{ ...round, investors: lists[0] }])),
    ).toStartWith('0 created, 0 updated')
    expect(counts(await load(t.database, 'rounds', [round]))).toStartWith('0 created, 0 updated')
    expect(
      counts(await load(t.database, 'rounds', [{ ...round, investors: lists[1] }])),
    ).toStartWith('0 created, 1 updated')
    expect(await investments()).toMatchObject([
      { id: first?.id, slug: 'f1', is_lead: false },
      { slug: 'f3', is_lead: true },
    ])
    const before = await investments()
    const unknown = { ...round, investors: [{ investor: 'who' }] }
    expect(warnings(await load(t.database, 'rounds', [unknown]))).toEqual([
      `1 investors: ${NO_COMPANY}`,
    ])
    expect(await investments()).toEqual(before)
  })
})
