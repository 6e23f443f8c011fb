/**
 * The same file a second time, where its rows have no key: it makes no record and refuses no other row. `IMPORT_FILES` is
 * how many random files are tried: 400 here, 4,000 in `.ci/long models`. All of them are one import, each with a name of its own.
 */
import { expect, test } from 'bun:test'
import { importFiles } from '../../../src/intake/import/import.ts'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { company, jsonl, load, type Row } from './sources.ts'

const FILES = Number(process.env.IMPORT_FILES ?? 400)
const SEED = Number(process.env.IMPORT_SEED ?? 45)

const t = sharedDatabase()

/** Numbers from 0 to 1, the same for each seed. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/**
 * Files of up to six rows about people of one name, which share companies, e-mail addresses, handles and telephones. In some
 * files most rows have only the name.
 */
function randomFiles(random: () => number, least: number): Row[][] {
  const among = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]
  return Array.from({ length: FILES }, (_, file) => {
    const share = among([0, 0.3, 0.4, 0.5]) ?? 0
    return Array.from({ length: least + Math.floor(random() * (7 - least)) }, () => {
      const channels = [
        ['email', `${among(LETTERS)}${file}@x.example`, share],
        ['twitterHandle', `${among(LETTERS)}_${file}`, share],
        ['phone', `+1-555-${among(LETTERS) === 'a' ? 1 : 2}00${10_000 + file}`, share / 2],
      ] as const
      const known = { company: among(PLACES), jobTitle: among(['CEO', 'CTO']) }
      const row: Row = { firstName: 'Ben', lastName: `Lee ${file}`, ...known }
      for (const [field, value, chance] of channels) if (random() < chance) row[field] = value
      return row
    })
  })
}

const LETTERS = ['a', 'b', 'c']
const PLACES = [undefined, 'acme', 'beta']

/** Imports files as one. @returns the refused rows of each, and its records as they are afterwards */
async function imported(files: readonly Row[][]) {
  const places = files.flatMap((rows, file) => rows.map((_, row) => [file, row] as const))
  const refused = files.map(() => new Set<number>())
  await importFiles(
    t.database,
    { people: jsonl(files.flat()) },
    {
      onFinding(_kind, { row, severity }) {
        const [file, place] = places[row - 1] ?? []
        if (severity === 'refused' && file !== undefined && place !== undefined)
          refused[file]?.add(place + 1)
      },
    },
  )
  const rows = await t.sql<{ file: number; record: string }[]>`
    select split_part(last_name, ' ', 2)::int as file,
           concat_ws(' ', p.id, (select name from companies o where o.id = p.company_id), c.email, p.twitter_handle, c.phone) as record
      from people p left join private_channels c on c.person_id = p.id order by p.id`
  const records = Map.groupBy(rows, ({ file }) => file)
  return files.map((_, file) => ({
    refused: [...(refused[file] ?? [])].join(),
    records: (records.get(file) ?? []).map(({ record }) => record),
  }))
}

test.each([
  ['an empty directory', false],
  ['one that has another file of the same names', true],
])(
  'a file imported again changes nothing in %s',
  async (_, hasOthers) => {
    await t.sql`truncate companies, people cascade`
    await load(t.database, 'companies', [company(), company({ name: 'Beta' })])
    const random = randomNumbers(SEED)
    if (hasOthers) await imported(randomFiles(random, 1))
    const files = randomFiles(random, 2)
    const first = await imported(files)
    const again = await imported(files)
    const changed = files.flatMap((rows, file) => {
      const [before, after] = [JSON.stringify(first[file]), JSON.stringify(again[file])]
      return before === after ? [] : [{ rows: JSON.stringify(rows), before, after }]
    })
    expect(changed).toEqual([])
    // A rule that refused all rows would change nothing either.
    expect(first.filter(({ refused }) => refused === '').length).toBeGreaterThan(FILES / 20)
    expect(first.some(({ refused }) => refused !== '')).toBe(true)
  },
  LIMIT_MS * 2,
)
