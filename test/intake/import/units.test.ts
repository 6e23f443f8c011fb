/** Columns whose numbers are in another unit than their field, by a file of the shape of DefiLlama's raises. */
import { beforeEach, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ImportOptions, importFiles } from '../../../src/intake/import/import.ts'
import type { Source } from '../../../src/intake/import/read.ts'
import { readMaps } from '../../../src/server/commands/import-options.ts'
import { run } from '../../helpers/command.ts'
import { sharedDirectory } from '../../helpers/shared.ts'
import { company, csv, emptyDatabase, load, type Row } from './sources.ts'

const t = emptyDatabase()
const directory = sharedDirectory()

const NAMES = ['Aurdex', 'Belvane', 'Corvid', 'Dunmark', 'Ellipta', 'Farrow']
const AMOUNTS = [2.16, 11, 1.1, null, 0.5, 165]
const FIRST_DATE = 1_600_000_000
const DAY_S = 86_400

/** Invented rows in the shape of DefiLlama's, whose amounts are in millions and whose dates are Unix times. */
const raises = (): Row[] =>
  NAMES.map((name, i) => ({
    date: FIRST_DATE + i * DAY_S,
    name,
    round: 'Seed',
    amount: AMOUNTS[i],
    chains: ['Ethereum'],
    category: 'DEX',
    source: 'https://news.example/raise',
    leadInvestors: i === 0 ? ['Paravane'] : [],
    otherInvestors: i === 0 ? ['North Harbor', 'Quay'] : ['Ember Capital', 'Quay'],
    valuation: null,
    defillamaId: String(1_000 + i),
  }))

const json = (rows: readonly Row[]): Source => ({
  stream: Readable.from([Buffer.from(JSON.stringify({ raises: rows }))]),
})

const FORMATS: [string, (rows: readonly Row[]) => Source][] = [
  ['JSON', json],
  ['CSV', csv],
]

async function imported(rounds: Source, map: string[] = [], options: ImportOptions = {}) {
  const columnMap = await readMaps({ map: ['name=company', ...map] }, ['rounds'])
  const summary = await importFiles(t.database, { rounds }, { columnMap, ...options })
  if (!summary.rounds) throw new Error('no summary')
  return summary.rounds
}

const stored = async () =>
  (
    await t.sql<{ amount: number | null; date: string }[]>`
      select amount_usd::float8 as amount, to_char(announce_date at time zone 'UTC', 'YYYY-MM-DD') as date
        from funding_rounds order by announce_date`
  ).map(({ amount, date }) => [amount, date])

const IN_DOLLARS = [
  [2_160_000, '2020-09-13'],
  [11_000_000, '2020-09-14'],
  [1_100_000, '2020-09-15'],
  [null, '2020-09-16'],
  [500_000, '2020-09-17'],
  [165_000_000, '2020-09-18'],
]

beforeEach(async () => {
  const investor = company({ name: 'Ember Capital', companyType: 'investor' })
  await load(t.database, 'companies', [...NAMES.map((name) => company({ name })), investor])
})

for (const [format, source] of FORMATS) {
  test(`${format}: amounts in millions are stored in dollars by a unit, Unix times without an option`, async () => {
    const done = await imported(source(raises()), ['amount=amountUsd*1e6'])
    expect(done).toMatchObject({ created: 6, refused: 0 })
    expect(done.questions).toBeUndefined()
    expect(await stored()).toEqual(IN_DOLLARS)
  })

  test(`${format}: a column of amounts that no round has is asked about, by a dry run too, and the answer corrects what was stored`, async () => {
    const question = {
      field: 'amountUsd',
      column: 'amount',
      count: 5,
      of: 5,
      value: 2.16,
      row: 1,
      unit: { name: 'millions', factor: 1e6 },
    }
    const tried = await imported(source(raises()), [], { isDryRun: true })
    expect(tried.questions).toMatchObject([question])
    const done = await imported(source(raises()))
    expect(done.questions).toMatchObject([question])
    const corrected = await imported(source(raises()), ['amount=amountUsd*1e6'])
    expect(corrected).toMatchObject({ created: 0, updated: 5, unchanged: 1 })
    expect(await stored()).toEqual(IN_DOLLARS)
  })

  test(`${format}: of a row none of whose investors is known, each is named`, async () => {
    const named: unknown[] = []
    const rows = raises().slice(0, 1)
    const done = await imported(source(rows), ['amount=amountUsd*1e6'], {
      onFinding: (_kind, { field, value }) => named.push([field, value]),
    })
    expect(done).toMatchObject({ created: 1, warned: 1 })
    expect(named.sort()).toEqual([
      ['investors', 'North Harbor'],
      ['investors', 'Paravane'],
      ['investors', 'Quay'],
    ])
  })
}

test('amounts in thousands are asked about as such; plausible ones, few ones and confirmed ones are not', async () => {
  const questionsOf = async (amounts: (number | string)[], map: string[] = []) => {
    const rows = amounts.map((amount, i) => ({ ...raises()[i % 6], amount, round: `R${i}` }))
    const { questions = [] } = await imported(json(rows), map, { isDryRun: true })
    return questions.map(({ unit }) => unit?.name)
  }
  expect(await questionsOf([2_160, 1_100, 5_000, 900])).toEqual(['thousands'])
  expect(await questionsOf([2.5, 1.1, 5, 900])).toEqual(['millions'])
  expect(await questionsOf([2_160_000, 1_100_000, 5_000])).toEqual([])
  expect(await questionsOf([2, 3])).toEqual([])
  // Four of five are enough, three of four are not.
  expect(await questionsOf([2, 3, 4, 5, 2_000_000])).toEqual(['millions'])
  expect(await questionsOf([2, 3, 4, 2_000_000])).toEqual([])
  expect(await questionsOf(['$2.16M', '1.1 million', '$5M', '$3M'])).toEqual([])
  expect(await questionsOf([2, 3, 4], ['amount=amountUsd*1'])).toEqual([])
})

test('a value that names its unit keeps it, and what fills a blank cell is in the field’s own', async () => {
  const rows = raises()
    .slice(0, 3)
    .map((row, i) => ({ ...row, amount: ['$2.5M', '2,5', ''][i] }))
  await imported(csv(rows), ['amount=amountUsd*1e6'], { fill: { rounds: { amountUsd: '750000' } } })
  expect((await stored()).map(([amount]) => amount)).toEqual([2_500_000, 2_500_000, 750_000])
})

test('dates of before there were such rounds are asked about', async () => {
  const rows = raises().map((row, i) => ({ ...row, amount: 2e6, date: `1970-01-0${i + 1}` }))
  const { questions } = await imported(csv(rows))
  expect(questions).toMatchObject([{ field: 'announceDate', column: 'date', count: 6, of: 6 }])
  expect(questions?.[0]?.unit).toBeUndefined()
})

test('the command says the question and what to type, on its end and in the report', async () => {
  const [file, report] = ['raises.json', 'report.csv'].map((name) => join(directory.path, name))
  if (!file || !report) throw new Error('no paths')
  await writeFile(file, JSON.stringify({ raises: raises() }, null, 1))
  const args = ['import', '--rounds', file, '--map', 'name=company', '--report', report]
  for (const more of [['--dry-run'], []]) {
    const { code, stdout } = await run([...args, ...more], { env: { DATABASE_URL: t.url } })
    const question =
      'amountUsd: 5 of 5 amounts are below $10,000 (first: 2.16 in line 3): are they in millions? If so, import again with --map "amount=amountUsd*1e6"; if not, --map "amount=amountUsd*1" says that they are right'
    expect(stdout).toContain(`  ${question}\n`)
    expect(await readFile(report, 'utf8')).toContain(
      `,3,amount,amountUsd,2.16,question,"${question.replaceAll('"', '""')}"`,
    )
    expect(code).toBe(0)
  }
})
