/** Private channels never enter the memory that answers lists and searches. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { personDetail, personItem } from '../../../src/directory/records/render.ts'
import { fill } from '../../../src/directory/records/template.ts'
import { silentLog } from '../../../src/log.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const SECRETS = [
  'sentinel@mail.example',
  '+4199sentinel',
  'sentinel_telegram',
  'https://linkedin.example/sentinel',
]

/** Everything that can be reached from a value, as text. */
function dump(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (seen.has(value)) return ''
  seen.add(value)
  if (value instanceof Map) return [...value].map((entry) => dump(entry, seen)).join('\n')
  return Object.values(value)
    .map((part) => dump(part, seen))
    .join('\n')
}

test('no channel is in any record, list or search; the flags are', async () => {
  const company = await insertCompany(db.sql, 'Holder')
  const person = await insertPerson(db.sql, 'Secretive', company)
  const [email = '', phone = '', telegram = '', linkedin = ''] = SECRETS
  await db.sql`insert into private_channels (person_id, email, phone, telegram, linkedin_url)
    values (${person}, ${email}, ${phone}, ${telegram}, ${linkedin})`
  const directory = await openDirectory(db.database, { log: silentLog })
  const shown = directory.person(person)
  if (!shown) throw new Error('not loaded')
  expect(shown.channels.length).toBeGreaterThan(0)
  expect(shown.channels).toEqual(['email', 'phone', 'telegram', 'linkedin'])
  const unlocked = new Map([
    [person, { email: null, phone: null, telegram: null, linkedinUrl: null }],
  ])
  const texts = [
    dump(shown),
    dump(directory.company(company)),
    fill(personItem(shown), unlocked, false),
    fill(personDetail(shown), unlocked, true),
    JSON.stringify(directory.people({ q: 'sentinel', roles: [], channels: [], page: 1, limit: 9 })),
  ]
  for (const text of texts) for (const secret of SECRETS) expect(text).not.toContain(secret)
  expect(
    directory.people({ q: 'sentinel', roles: [], channels: [], page: 1, limit: 9 }).total,
  ).toBe(0)
  await directory.stop()
})

test('no statement of the directory or the index names the table of channels', () => {
  for (const folder of ['src/directory/records', 'src/directory/search', 'index-build']) {
    for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
      (name) => name.endsWith('.ts') && !name.startsWith('demo'),
    )) {
      const code = readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      expect(code).not.toMatch(/private_channels|privateChannels\b/)
    }
  }
})
