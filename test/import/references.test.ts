/** Companies that people and rounds name. */
import { describe, expect, test } from 'bun:test'
import { importFiles } from '../../src/import/import.ts'
import { company, counts, emptyDatabase, jsonl, load, warnings } from './sources.ts'

const t = emptyDatabase()

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
    expect(warnings(done)).toEqual(['6 company: no such company'])
    const rows = await t.sql`select first_name, company_id from people order by first_name`
    expect(rows.map(({ company_id }) => company_id)).toEqual([ID, ID, ID, null, null, null])
  })

  test('companies are imported before the people and rounds that name them', async () => {
    const summary = await importFiles(t.database, {
      rounds: jsonl([{ externalId: 'r', company: 'acme', investors: [{ investor: 'fund' }] }]),
      people: jsonl([{ firstName: 'A', company: 'acme' }]),
      companies: jsonl([company(), company({ name: 'Fund', companyType: 'investor' })]),
    })
    expect(Object.keys(summary)).toEqual(['companies', 'people', 'rounds'])
    expect(summary.people?.created).toBe(1)
    expect(summary.rounds?.created).toBe(1)
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
      '1 investors: names a company that does not exist',
    ])
    expect(await investments()).toEqual(before)
  })
})
