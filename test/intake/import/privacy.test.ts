/** No private channel in a reason, a summary, a progress report or the change log. */
import { expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { shownOf } from '../../../src/intake/import/findings.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import { FIELDS } from '../../../src/intake/import/kinds.ts'
import { ERASED } from '../../../src/intake/import/summary.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { csv, jsonl, type Row } from './sources.ts'

const t = sharedDatabase()

const SECRET = 'zzsecret'
/** Each channel, right and wrong, and rows that are broken where a channel stands. */
const CHANNELS: Row[] = [
  {
    email: `${SECRET}@example.com`,
    telegram: `${SECRET}`,
    phone: '+1-555-0107',
    linkedinUrl: `linkedin.com/in/${SECRET}`,
  },
  { email: `${SECRET} at example.com` },
  { email: `${SECRET}\0@example.com` },
  { phone: `+1-555-${SECRET}` },
  { telegram: `${SECRET} ${SECRET}` },
  { linkedinUrl: `https://example.com/${SECRET}` },
  { linkedinUrl: `http://[${SECRET}` },
  { email: [SECRET], phone: { number: SECRET } },
]
const PEOPLE = CHANNELS.map((channels, i) => ({ firstName: `Ann ${i}`, ...channels }))

async function everythingSaid(source: ReturnType<typeof jsonl>): Promise<string> {
  const said: unknown[] = []
  const note = (...what: unknown[]) => said.push(what)
  await importFiles(
    t.database,
    { people: source },
    { onProgress: note, onFinding: note, onIgnoredField: note },
  ).then(note, (error) => note(error, inspect(error, { depth: 20 }), error.summary))
  return JSON.stringify(said)
}

test('JSON Lines', async () => {
  const broken = [
    `{"firstName":"Ann","email":"${SECRET}@example.com"`,
    `"${SECRET}"`,
    `{"${SECRET}@example.com":1}`,
  ]
  const said = await everythingSaid(jsonl([...PEOPLE, ...broken]))
  expect(said).toContain('"reason":"not an e-mail address"')
  expect(said).not.toContain(SECRET)
})

test('a finding shows the label of its row, and nothing of an erased person', () => {
  const row = { number: 1, fields: { fullName: 'Ann Lee', email: SECRET, avatarUrl: 'no url' } }
  const finding = { severity: 'refused', row: 1, field: null, reason: 'x' } as const
  const shown = (given: object) => shownOf(FIELDS.people, { ...finding, ...given }, row)
  expect(shown({ field: 'avatarUrl' })).toEqual({ label: 'Ann Lee', value: 'no url' })
  expect(shown({ field: 'email' })).toEqual({ label: 'Ann Lee', value: undefined })
  expect(shown({ reason: ERASED })).toEqual({})
})

test('the differences of a dry run, where an address is a key', async () => {
  const row = (jobTitle: string, externalId: string) => ({
    firstName: '李',
    lastName: '明',
    jobTitle,
    externalId,
  })
  await importFiles(t.database, { people: jsonl([row('A', 'zqkey@example.com')]) })
  const [stored] = await t.sql`select id from people where external_id like 'zqkey%'`
  const said = await importFiles(
    t.database,
    {
      people: jsonl([
        row('B', 'zqkey@example.com'),
        { ...row('B', 'new.zqkey@example.com'), id: stored?.id },
      ]),
    },
    { isDryRun: true },
  )
  const { differences = [] } = said.people ?? {}
  expect(differences).toMatchObject([
    { record: stored?.id, field: 'jobTitle', before: 'A', after: 'B' },
    { record: stored?.id, field: 'externalId', before: '(an e-mail address)' },
  ])
  expect(JSON.stringify(said)).not.toContain('zqkey')
})

test('CSV, also without its header', async () => {
  expect(await everythingSaid(csv(PEOPLE))).not.toContain(SECRET)
  const headless = csv([{ [`${SECRET}@example.com`]: SECRET, [`+1-555-${SECRET}`]: SECRET }])
  expect(await everythingSaid(headless)).not.toContain(SECRET)
})

test('channels are in their table and nowhere else', async () => {
  const tables = await t.sql`select table_name from information_schema.tables
                              where table_schema = 'public' and table_name <> 'private_channels'`
  for (const { table_name } of tables) {
    const rows = await t.sql`select to_jsonb(x)::text as row from ${t.sql(table_name)} x`
    expect(rows.map(({ row }) => row).join()).not.toContain(SECRET)
  }
  expect(
    (await t.sql`select from private_channels where email like ${`${SECRET}%`}`).length,
  ).toBeGreaterThan(0)
})
