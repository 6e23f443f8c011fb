/**
 * Files as people and programs write them, and exactly what is stored of each. Those of LibreOffice 7 and SheetJS 0.18 were
 * written by these programs, the others by hand after what Excel, Google Sheets, LinkedIn, CRMs and APIs write.
 */
import { expect, test } from 'bun:test'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../../src/intake/import/import.ts'
import { type Finding, KINDS, type KindName } from '../../../src/intake/import/summary.ts'
import expected from './messy/expected.json'
import { company, emptyDatabase, jsonl, load, reasons, warnings } from './sources.ts'

const t = emptyDatabase()

const file = (name: string) => createReadStream(join(import.meta.dir, 'messy', name))

/** Imports a file, and gives what was refused and left out. */
async function take(kind: KindName, name: string) {
  const { [kind]: done } = await importFiles(t.database, { [kind]: { stream: file(name) } })
  if (!done) throw new Error(`no summary of ${kind}`)
  return { refused: reasons(done), left: warnings(done), ignored: done.ignoredFields }
}

const NOT_COMPARED = ['id', 'person_id', 'company_id', 'updated_at']
/** What a new record has that no file says. */
const isPlain = (field: string, value: unknown) =>
  value === null ||
  (value === false && field !== 'token_launched') ||
  field.startsWith('has_') ||
  (field === 'contact_type' && value === 'team') ||
  (field === 'created_at' && String(value) > '2025') ||
  (Array.isArray(value) && value.length === 0)

async function stored(rows: Promise<readonly Record<string, unknown>[]>) {
  return (await rows).map(({ record }) =>
    Object.fromEntries(
      Object.entries(record as object).filter(
        ([field, value]) => !NOT_COMPARED.includes(field) && !isPlain(field, value),
      ),
    ),
  )
}

const companies = () => stored(t.sql`select to_jsonb(c) as record from companies c order by c.slug`)

const people = () =>
  stored(t.sql`
    select to_jsonb(p) || coalesce(to_jsonb(c), '{}') || jsonb_build_object('company', k.slug) as record
      from people p left join private_channels c on c.person_id = p.id left join companies k on k.id = p.company_id
     order by p.first_name, p.last_name, p.slug`)

const rounds = () =>
  stored(t.sql`
    select to_jsonb(f) || jsonb_build_object('company', k.slug, 'investors', (
             select jsonb_agg(i.slug || case when r.is_lead then ' leads' else '' end order by i.slug)
               from round_investors r join companies i on i.id = r.investor_id where r.round_id = f.id)) as record
      from funding_rounds f join companies k on k.id = f.company_id order by f.announce_date`)

const known = () =>
  load(t.database, 'companies', [
    company({ name: 'Uniswap Labs', slug: 'uniswap-labs', domain: 'uniswap.org' }),
    company({
      name: 'Paradigm',
      slug: 'paradigm',
      domain: 'paradigm.xyz',
      companyType: 'investor',
    }),
    company({ name: 'Chainalysis', slug: 'chainalysis', domain: 'chainalysis.com' }),
  ])

const READS = { companies, people, rounds }
const kindOf = (name: string): KindName => KINDS.find((kind) => name.includes(kind)) ?? 'companies'

for (const [name, wanted] of Object.entries(expected)) {
  test(name, async () => {
    const kind = kindOf(name)
    if (kind !== 'companies') await known()
    const said = await take(kind, name)
    expect({ ...said, stored: await READS[kind]() }).toEqual(wanted)
  })
}

test('a full name counts only where neither part of it is given', async () => {
  const { refused } = await load(t.database, 'people', [
    { Name: 'Ada Lovelace, CTO', 'First Name': 'Ada', 'Last Name': 'Lovelace' },
    { Name: 'ada@example.com', 'First Name': 'Ada', 'Last Name': 'Byron' },
    { Name: 'ada@example.com' },
  ])
  expect(refused).toBe(1)
  expect((await people()).map(({ last_name }) => last_name)).toEqual(['Byron', 'Lovelace'])
})

test('an e-mail address in a public column is in no report', async () => {
  const findings: Finding[] = []
  const rows = [{ Name: 'ada@priv.example' }, { Name: 'Ann', Company: 'ann@priv.example' }]
  await importFiles(
    t.database,
    { people: jsonl(rows) },
    { onFinding: (_, finding) => findings.push(finding) },
  )
  expect(findings.map(({ value }) => value)).toEqual(['(an e-mail address)', '(an e-mail address)'])
  expect(JSON.stringify(findings)).not.toContain('priv.example')
})

test('rows that share a reference or a source are not one record', async () => {
  const of = (name: string) => ({ Name: name, Reference: 'Fair 2024', 'Source ID': 'crm' })
  const { created } = await load(t.database, 'people', [of('Ada Byron'), of('Ann Lee')])
  expect(created).toBe(2)
})
