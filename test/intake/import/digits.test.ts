/** Numbers of JSON whose digits a number of JavaScript can't hold: ids of many systems are so long. */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { parseJson } from '../../../src/intake/import/formats/json.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import { company, csv, emptyDatabase, load } from './sources.ts'

const t = emptyDatabase()

const [MIRA, TOM] = ['1745678901234567890', '1745678901234567891']
const rows = [
  `{"externalId": ${MIRA}, "firstName": "Mira", "email": "mira@oldfen.example"}`,
  `{"externalId": ${TOM}, "firstName": "Tom", "email": "tom@ravel.example"}`,
]
const people = async () =>
  Object.fromEntries(
    (await t.sql`select external_id, first_name from people`).map((row) => [
      row.external_id,
      row.first_name,
    ]),
  )

for (const [format, text] of [
  ['JSON Lines', rows.join('\n')],
  ['a JSON list', `[${rows.join(', ')}]`],
] as const) {
  test(`two ids that differ in the last digit are two people: ${format}`, async () => {
    const { people: done } = await importFiles(t.database, {
      people: { stream: Readable.from([text]) },
    })
    expect(done).toMatchObject({ created: 2, warned: 0, refused: 0 })
    expect(await people()).toEqual({ [MIRA]: 'Mira', [TOM]: 'Tom' })
  })
}

test('a number keeps its digits in every field of text, also in lists and in JSON in a cell', async () => {
  await load(t.database, 'companies', [
    `{"name": "Quenlight", "companyType": "project", "discordUrl": 597638925346930701, "sectors": [${MIRA}]}`,
    company({ name: 'Fund', externalId: TOM, companyType: 'investor' }),
  ])
  const [{ discord_url, sectors }] = (await t.sql`
    select discord_url, sectors from companies where slug = 'quenlight'`) as [
    Record<string, unknown>,
  ]
  expect([discord_url, sectors]).toEqual([
    'https://discord.com/channels/597638925346930701',
    [MIRA],
  ])
  const inCell = { externalId: 'b', company: 'quenlight', investors: `[{"investor": ${TOM}}]` }
  await load(t.database, 'rounds', [
    `{"externalId": "a", "company": "quenlight", "investors": [${TOM}]}`,
  ])
  await importFiles(t.database, { rounds: csv([inCell]) })
  expect(
    (
      await t.sql`select c.slug from round_investors v join companies c on c.id = v.investor_id`
    ).map(({ slug }) => slug),
  ).toEqual(['fund', 'fund'])
})

test('a short number reads the same beside a long one', async () => {
  const numbers = ['1.50', '0.1', '12.0', '-7', '1e3', '3.0000000000000000']
  for (const number of numbers) {
    expect(parseJson(`[${number}, ${MIRA}]`)).toEqual([JSON.parse(number), MIRA])
  }
})

test('in a field of numbers it is the number', async () => {
  await load(t.database, 'companies', [company()])
  const { warnings } = await load(t.database, 'rounds', [
    '{"externalId": "a", "company": "acme", "amountUsd": 1000000000000000}',
    '{"externalId": "b", "company": "acme", "amountUsd": 12345678901234567890}',
  ])
  const amounts =
    await t.sql`select amount_usd::float8 as usd from funding_rounds order by external_id`
  expect(amounts.map(({ usd }) => usd)).toEqual([1e15, null])
  expect(warnings.map(({ row, reason }) => [row, reason])).toEqual([
    [2, 'out of range (0 to 1000000000000000)'],
  ])
})

test('what is in quotes, or no long number, is read as JSON reads it', () => {
  const texts = [
    `{"a": "${MIRA}", "b": 1.10, "c": -0, "d": [1e3, null, true], "${MIRA}": {"e": 9007199254740991}}`,
    '{"a": 0.12345678901234568}',
    '1',
    `"${MIRA}"`,
  ]
  for (const text of texts) expect(parseJson(text)).toEqual(JSON.parse(text))
  expect(parseJson(`{"a": [-${MIRA}]}`)).toEqual({ a: [`-${MIRA}`] })
  const decimal = '0.123456789012345678901'
  expect(parseJson(`[${decimal}]`)).toEqual([decimal])
})
