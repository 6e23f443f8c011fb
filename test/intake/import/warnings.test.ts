/** A bad value of an optional field costs that value, not the record. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { importFiles, importRows } from '../../../src/intake/import/import.ts'
import { FIELDS } from '../../../src/intake/import/kinds.ts'
import type { Finding, KindName } from '../../../src/intake/import/summary.ts'
import {
  company,
  counts,
  emptyDatabase,
  jsonl,
  load,
  type Row,
  reasons,
  warnings,
} from './sources.ts'

const t = emptyDatabase()

/** What no field takes but free text: each is refused by its cleaner, or cleaned to something that is none. */
const GARBAGE = [
  '\0',
  'half \ud800',
  'damaged \ufffd',
  'x'.repeat(10_001),
  { a: 1 },
  [[]],
  [{}],
  1e300,
]

/** A row of each kind that all of its fields can be put into. */
const BASES: Readonly<Record<KindName, Row>> = {
  companies: company({ externalId: 'a', size: '51-200', followers: 3, domain: 'acme.example' }),
  people: { externalId: 'a', firstName: 'Ann', jobTitle: 'CTO', email: 'ann@example.com' },
  rounds: { externalId: 'a', company: 'acme', roundType: 'Seed', amountUsd: 3 },
}

const TABLES = {
  companies: 'companies',
  people: 'people',
  rounds: 'funding_rounds',
} as const

/** All that is stored of a kind, without ids and times that each run makes anew. */
async function stored(kind: KindName): Promise<unknown[]> {
  const [row] = await t.sql`
    select coalesce(json_agg(to_jsonb(r) - '{id,company_id,created_at,updated_at}'::text[]), '[]') as records,
           (select coalesce(json_agg(to_jsonb(c) - 'person_id'), '[]') from private_channels c) as channels,
           (select count(*)::int from round_investors) as investments
      from ${t.sql(TABLES[kind])} r where r.external_id = 'a'`
  return Object.values({ ...row })
}

const isBad = (kind: KindName, field: string, value: unknown) => {
  try {
    FIELDS[kind][field]?.clean(value)
    return false
  } catch {
    return true
  }
}

describe.each(['companies', 'people', 'rounds'] as const)('%s', (kind) => {
  const optional = Object.entries(FIELDS[kind]).flatMap(([field, { isEssential }]) =>
    isEssential === true || field in BASES[kind] ? [] : [field],
  )
  const garbage = fc
    .dictionary(fc.constantFrom(...optional), fc.constantFrom<unknown>(...GARBAGE), { minKeys: 1 })
    .map((fields) =>
      Object.fromEntries(
        Object.entries(fields).filter(([field, value]) => isBad(kind, field, value)),
      ),
    )
    .filter((fields) => Object.keys(fields).length > 0)

  test('whatever garbage stands in optional fields, the others are stored as without it', async () => {
    await load(t.database, 'companies', [company()])
    await load(t.database, kind, [BASES[kind]])
    const wanted = await stored(kind)
    await fc.assert(
      fc.asyncProperty(garbage, fc.boolean(), async (fields, isNew) => {
        if (isNew) await t.sql`delete from ${t.sql(TABLES[kind])} where external_id = 'a'`
        const done = await load(t.database, kind, [{ ...BASES[kind], ...fields }])
        expect(counts(done)).toBe(
          isNew
            ? '1 created, 0 updated, 0 unchanged, 0 refused'
            : '0 created, 0 updated, 1 unchanged, 0 refused',
        )
        expect(done.warned).toBe(1)
        expect(new Set(done.warnings.map(({ field }) => field))).toEqual(
          new Set(Object.keys(fields)),
        )
        expect(await stored(kind)).toEqual(wanted)
      }),
      { numRuns: 25 },
    )
  })
})

test('an update keeps what is stored where the new value is bad', async () => {
  await load(t.database, 'companies', [company({ externalId: 'a', ticker: 'ACM', followers: 7 })])
  const done = await load(t.database, 'companies', [
    { externalId: 'a', followers: 'many', ticker: 'NEW' },
  ])
  expect(counts(done)).toBe('0 created, 1 updated, 0 unchanged, 0 refused')
  const [row] = await t.sql`select ticker, followers from companies`
  expect({ ...row }).toEqual({ ticker: 'NEW', followers: 7 })
})

test('a round without a key is known by type, event and date: a bad one refuses it', async () => {
  await load(t.database, 'companies', [company()])
  const round = { company: 'acme', announceDate: 'soon' }
  const done = await load(t.database, 'rounds', [round, { ...round, externalId: 'r' }])
  expect(reasons(done).length).toBe(1)
  expect(warnings(done).length).toBe(1)
  expect(counts(done)).toBe('1 created, 0 updated, 0 unchanged, 1 refused')
})

test('a bad investor costs the entry; where none is left the stored list stays', async () => {
  await load(t.database, 'companies', [company(), company({ name: 'Fund' })])
  const round = { externalId: 'r', company: 'acme' }
  const investors = [{ investor: 'fund', isLead: true }, { investor: 'who' }, {}, 7]
  const first = await load(t.database, 'rounds', [{ ...round, investors }])
  expect(counts(first)).toBe('1 created, 0 updated, 0 unchanged, 0 refused')
  expect(first.warned).toBe(1)
  expect(first.warnings.length).toBe(3)
  const again = await load(t.database, 'rounds', [
    { ...round, investors: [{}] },
    { ...round, investors: [{ investor: 'who' }] },
  ])
  expect(counts(again)).toBe('0 created, 0 updated, 2 unchanged, 0 refused')
  expect((await t.sql`select from round_investors where is_lead`).length).toBe(1)
})

test('a finding says line and value, never a private one; reasons are counted', async () => {
  const found: Finding[] = []
  const rows = [
    { firstName: 'Ann', email: 'secret', twitterHandle: 'no handle' },
    { firstName: 'Ben', email: 'secret', company: 'nobody' },
  ]
  const summary = await importFiles(
    t.database,
    { people: jsonl(rows) },
    { onFinding: (_, finding) => found.push(finding) },
  )
  expect(found.map(({ row, field, value }) => [row, field, value])).toEqual([
    [1, 'twitterHandle', 'no handle'],
    [1, 'email', undefined],
    [2, 'email', undefined],
    [2, 'company', 'nobody'],
  ])
  expect(summary.people?.warned).toBe(2)
  expect(
    summary.people?.reasons.map(({ field, count, firstRow }) => [field, count, firstRow]),
  ).toEqual([
    ['email', 2, 1],
    ['twitterHandle', 1, 1],
    ['company', 1, 2],
  ])
  expect(JSON.stringify([found, summary])).not.toContain('secret')
})

test('strict, as the kit imports: nothing is left out', async () => {
  await load(t.database, 'companies', [company()])
  const people = [
    { firstName: 'Ann', company: 'nobody' },
    { firstName: 'Ben', email: 'nonsense' },
  ]
  const done = await importRows(t.database, 'people', people)
  expect(counts(done)).toBe('0 created, 0 updated, 0 unchanged, 2 refused')
  const rounds = [{ externalId: 'r', company: 'acme', investors: [{}] }]
  expect((await importRows(t.database, 'rounds', rounds)).refused).toBe(1)
})
