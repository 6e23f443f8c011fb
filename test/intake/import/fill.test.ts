/** `--fill field=value`: what a file has no column for is said once for all of its rows. */
import { expect, test } from 'bun:test'
import { importFiles } from '../../../src/intake/import/import.ts'
import { readFill } from '../../../src/server/commands/import-options.ts'
import { csv, emptyDatabase, jsonl } from './sources.ts'

const t = emptyDatabase()

test('a row that has nothing in the field gets the value, any other keeps its own', async () => {
  const fill = readFill(['companyType=Fund', 'sectors=DeFi'], ['companies', 'people'])
  const rows = [
    { name: 'Acme', type: '' },
    { name: 'Beta', type: 'project' },
    { name: 'Cee', type: '-' },
  ]
  const { companies } = await importFiles(t.database, { companies: csv(rows) }, { fill })
  expect(companies).toMatchObject({ created: 3, warned: 0 })
  const stored =
    await t.sql`select name, company_type as type, sectors from companies order by name`
  expect(stored.map(({ type }) => type)).toEqual(['investor', 'project', 'investor'])
  expect(stored.map(({ sectors }) => sectors)).toEqual([['DeFi'], ['DeFi'], ['DeFi']])
})

test('a file without the column, and null in JSON, have nothing in it', async () => {
  const fill = readFill(['companyType=project'], ['companies'])
  const rows = [{ name: 'Acme' }, { name: 'Beta', companyType: null }]
  const { companies } = await importFiles(t.database, { companies: jsonl(rows) }, { fill })
  expect(companies).toMatchObject({ created: 2 })
})

test('what can not be meant is refused with the reason', () => {
  const refused = (option: string) => {
    try {
      return readFill([option], ['companies', 'people'])
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }
  expect(refused('companyType')).toBe('--fill "companyType": give "field=value"')
  expect(refused('companyType=')).toBe('--fill "companyType=": give "field=value"')
  expect(refused('slug=acme')).toBe(
    '--fill "slug=acme": a key is a single record\'s, and can\'t be filled',
  )
  expect(refused('email=a@x.example')).toContain("a private channel is a single person's")
  expect(refused('companyTyp=project')).toStartWith(
    '--fill "companyTyp=project": companies and people have no field "companyTyp" (did you mean companyType?)',
  )
  expect(refused('companyType=shop')).toBe(
    '--fill "companyType=shop": not one of project, investor, platform, launchpad, service, institution',
  )
  expect(refused('createdAt=3/5/24')).toContain('reads as 3 May 2024 or 5 March 2024')
})
