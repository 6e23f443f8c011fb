/** Rows that are refused, and fields that are ignored. */
import { describe, expect, test } from 'bun:test'
import { importFiles } from '../../../src/intake/import/import.ts'
import { company, counts, emptyDatabase, jsonl, load, reasons } from './sources.ts'

const t = emptyDatabase()

describe('refusals', () => {
  test('bad rows are refused one by one, good rows go in', async () => {
    const done = await load(t.database, 'companies', [
      company({ externalId: '1' }),
      '{"name": ',
      { externalId: '3', companyType: 'project' },
      { externalId: '4', name: 'No type' },
      company({ externalId: '5', name: 'Nul\0' }),
      company({ externalId: 'x'.repeat(201) }),
      company({ id: '7' }),
      company({ externalId: '8', companyType: 'shop' }),
      company({ externalId: '9' }),
    ])
    expect(reasons(done)).toEqual([
      '2 null: not a JSON object',
      '3 name: missing',
      '4 companyType: missing',
      '5 name: contains NUL',
      '6 externalId: longer than 200 characters',
      '7 id: not a UUID: an id of your own is an externalId, by --map "id=externalId"',
      '8 companyType: not one of project, investor, platform, launchpad, service, institution',
    ])
    expect(counts(done)).toBe('2 created, 0 updated, 0 unchanged, 7 refused')
    expect(done.read).toBe(9)
  })

  test('a person needs a name, also after an update', async () => {
    await load(t.database, 'people', [{ externalId: 'a', firstName: 'Ann' }])
    const done = await load(t.database, 'people', [
      { externalId: 'a', firstName: null },
      { externalId: 'b', jobTitle: 'CEO' },
    ])
    expect(reasons(done)).toEqual([
      '1 firstName: missing, and lastName too',
      '2 firstName: missing, and lastName too',
    ])
  })

  test('unknown fields are named once and go nowhere', async () => {
    const told: string[] = []
    const rows = [
      company({ slug: 'a', twiterHandle: 'a' }),
      company({ slug: 'b', twiterHandle: 'b', 'ann@example.com': 1 }),
    ]
    const summary = await importFiles(
      t.database,
      { companies: jsonl(rows) },
      { onIgnoredField: (kind, field) => told.push(`${kind} ${field}`) },
    )
    expect(summary.companies?.ignoredFields).toEqual(['twiterHandle', '(not a field name)'])
    expect(told).toEqual(['companies twiterHandle', 'companies (not a field name)'])
    expect(summary.companies?.created).toBe(2)
  })

  test('unknown columns with dots and brackets in their names are named', async () => {
    const names = ['Owner.Name', 'Amount (EUR)', 'Raised [USD]', 'Owner*', 'properties.hs_lead']
    const given = [...names, 'x.com/ada', '+1 555 0100']
    const rows = [company({ slug: 'a', ...Object.fromEntries(given.map((name) => [name, 'x'])) })]
    const summary = await importFiles(t.database, { companies: jsonl(rows) })
    expect(summary.companies?.ignoredFields).toEqual([...names, '(not a field name)'])
  })

  test('names like __proto__ are names like any other', async () => {
    const done = await load(t.database, 'companies', [
      '{"name":"A","companyType":"project","__proto__":{"ticker":"X"}}',
    ])
    expect(done.created).toBe(1)
    expect((await t.sql`select ticker from companies`)[0]?.ticker).toBeNull()
  })
})
