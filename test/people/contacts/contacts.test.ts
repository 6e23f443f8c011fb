/** My contacts, on a real PostgreSQL: whom an account revealed, what it noted, through merges, deletions and erasures. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Directory } from '../../../src/directory/records/directory.ts'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import { deleteRecord, mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { createLog } from '../../../src/log.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import {
  contactNoteOf,
  contactsOf,
  setContactNote,
  tagsOf,
} from '../../../src/people/contacts/contacts.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { rejection } from '../../helpers/rejection.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { newAccount, revealOf } from '../../money/charge/fixtures.ts'

const t = sharedDatabase()
let directory: Directory
beforeAll(async () => {
  directory = await openDirectory(t.database, { log: createLog('silent') })
})
afterAll(() => directory.stop())

let made = 0
async function someone(fields: object = {}) {
  const id = randomUUID()
  const name = `p${++made}x${id.slice(0, 6)}`
  const { refusals } = await importRows(t.database, 'people', [
    {
      id,
      slug: name,
      firstName: 'Ada',
      lastName: name,
      email: `${name}@private.example`,
      createdAt: `2024-01-01T00:00:00.${String(made).padStart(3, '0')}Z`,
      ...fields,
    },
  ])
  expect(refusals).toEqual([])
  return { id, name }
}
const buyer = () => newAccount(t.sql, { tier: 'team', credits: 1_000 })
type Account = Awaited<ReturnType<typeof buyer>>
async function reveal(account: Account, ...ids: string[]) {
  const meter = createMeter(t.database, { maxWaitMs: PATIENCE_MS })
  for (const id of ids) expect((await meter.charge(revealOf(account, id))).outcome).toBe('charged')
}
const note = (account: Account, id: string, text: string, tags = '') =>
  setContactNote(t.database, account.id, id, { note: text, tags })
async function read(account: Account, filter: object = {}, page = 1, size = 25) {
  await directory.refresh()
  return contactsOf(t.database, directory, account.id, filter, { page, size })
}
const idsOf = async (...of: Parameters<typeof read>) =>
  (await read(...of)).contacts.map(({ id }) => id)

test('an account sees whom it revealed, newest first, and nobody whom another account revealed', async () => {
  const [mine, theirs] = [await buyer(), await buyer()]
  const [a, b, c] = [await someone(), await someone(), await someone()]
  await reveal(mine, a.id, b.id)
  await reveal(theirs, c.id)
  await note(theirs, c.id, 'theirs', 'secret')
  expect(await note(theirs, a.id, 'not revealed by them')).toBe(false)
  const { total, contacts } = await read(mine)
  expect(total).toBe(2)
  expect(contacts.map(({ id, channels }) => [id, channels?.email])).toEqual([
    [b.id, `${b.name}@private.example`],
    [a.id, `${a.name}@private.example`],
  ])
  expect(await tagsOf(t.database, mine.id)).toEqual([])
  expect(await contactNoteOf(t.database, mine.id, c.id)).toBeUndefined()
})

test('they are found by name, job title, note, tag and channel, and by pages of which a later one is the last', async () => {
  const account = await buyer()
  const a = await someone({ jobTitle: 'Chief Beekeeper', telegram: 'bees' })
  const b = await someone({ lastName: '100% Lovelace' })
  await reveal(account, a.id, b.id)
  await note(account, b.id, 'Met in Lisbon,\n“twice”', 'Seed round, vip,VIP, a"b\\c')
  expect(await tagsOf(t.database, account.id)).toEqual(['a"b\\c', 'Seed round', 'vip'])
  const finds = async (filter: object) =>
    (await idsOf(account, filter)).map((id) => (id === a.id ? 'a' : 'b'))
  expect(await finds({ q: 'beekeeper chief' })).toEqual(['a'])
  expect(await finds({ q: '100% love' })).toEqual(['b'])
  expect(await finds({ q: '%' })).toEqual(['b'])
  expect(await finds({ q: 'lisbon vip' })).toEqual(['b'])
  expect(await finds({ q: 'lisbon beekeeper' })).toEqual([])
  expect(await finds({ tag: 'seed ROUND' })).toEqual(['b'])
  expect(await finds({ tag: 'a"b\\c' })).toEqual(['b'])
  expect(await finds({ tag: 'round' })).toEqual([])
  expect(await finds({ q: 'A"B\\c' })).toEqual(['b'])
  expect(await finds({ q: '{' })).toEqual([])
  expect(await finds({ q: 'love VIP round' })).toEqual(['b'])
  expect(await finds({ channel: 'telegram' })).toEqual(['a'])
  expect(await finds({ channel: 'phone' })).toEqual([])
  expect(await finds({ q: '', tag: undefined })).toEqual(['b', 'a'])
  expect(await read(account, {}, 9, 1)).toMatchObject({ page: 2, contacts: [{ id: a.id }] })
})

test('a name is found as it is written, also where the database knows no case of its letters', async () => {
  const account = await buyer()
  const { id } = await someone({ firstName: 'Élodie', lastName: 'İnan' })
  await reveal(account, id)
  for (const q of ['Élodie', 'élodie', 'İnan', 'LODIE'])
    expect([q, await idsOf(account, { q })]).toEqual([q, [id]])
  await note(account, id, 'Über-Zürich')
  for (const q of ['Über', 'RICH', 'Zürich élodie', 'ber lodie'])
    expect([q, await idsOf(account, { q })]).toEqual([q, [id]])
})

test('letters that become others in lower case are found by those, and marks stand for themselves', async () => {
  const account = await buyer()
  const { id } = await someone({ firstName: '\u212aelvin', lastName: 'İz', jobTitle: 'C++ (core)' })
  await reveal(account, id)
  for (const q of ['kelvin', 'KELVIN', 'i', 'c++', '(core)', 'elvin core'])
    expect([q, await idsOf(account, { q })]).toEqual([q, [id]])
  for (const q of ['.', 'c+)', '[k', 'kelvin.', '\\w'])
    expect([q, await idsOf(account, { q })]).toEqual([q, []])
})

test('a filter offers the 100 tags that are used most', async () => {
  const account = await buyer()
  await t.sql`
    insert into contact_notes (account_id, person_id, note, tags, updated_at)
    select ${account.id}, gen_random_uuid(), '', array[case when i % 2 = 0 then 'Often' else 'often' end, 'tag ' || i], now()
      from generate_series(1, 150) i`
  const tags = await tagsOf(t.database, account.id)
  expect([tags.length, tags[0]?.toLowerCase()]).toEqual([100, 'often'])
})

test('a note has at most 2,000 characters, and tags are at most 20 of 40', async () => {
  const account = await buyer()
  const { id } = await someone()
  await reveal(account, id)
  for (const [text, tags, field] of [
    ['x'.repeat(2_001), '', 'note'],
    ['', 'y'.repeat(41), 'tags'],
    ['', Array.from({ length: 21 }, (_, i) => `t${i}`).join(), 'tags'],
  ] as const) {
    expect(await rejection(note(account, id, text, tags))).toMatchObject({ field })
  }
  expect(await note(account, id, 'x'.repeat(2_000), `${'y'.repeat(40)},`)).toBe(true)
  expect(await note(account, 'no id', '')).toBe(false)
})

test('a merge leaves one contact with the notes and tags of both, and undo parts them again', async () => {
  const [both, one] = [await buyer(), await buyer()]
  const [kept, gone] = [await someone(), await someone()]
  await reveal(both, kept.id, gone.id)
  await reveal(one, gone.id)
  await note(both, kept.id, 'first', 'a,b')
  await note(both, gone.id, 'second', 'b,c')
  await note(one, gone.id, 'mine')
  const before = [await read(both), await read(one)]
  const { change } = await mergeRecords(t.database, 'person', [kept.id, gone.id], 'olga')
  expect(await read(both)).toMatchObject({
    total: 1,
    contacts: [{ id: kept.id, note: 'first\n\nsecond', tags: ['a', 'b', 'c'] }],
  })
  expect(await contactNoteOf(t.database, both.id, kept.id)).toEqual({
    note: 'first\n\nsecond',
    tags: ['a', 'b', 'c'],
  })
  expect(await read(one)).toMatchObject({ total: 1, contacts: [{ id: kept.id, note: 'mine' }] })
  await undoChange(t.database, change, 'olga')
  expect([await read(both), await read(one)]).toEqual(before)
  // What is saved after a merge is the survivor's alone.
  await mergeRecords(t.database, 'person', [kept.id, gone.id], 'olga')
  await note(both, kept.id, 'both', 'c')
  expect((await read(both)).contacts).toMatchObject([{ note: 'both', tags: ['c'] }])
})

test('somebody who was deleted shows as gone without a channel, somebody who was erased not at all', async () => {
  const account = await buyer()
  const [deleted, erased] = [await someone(), await someone()]
  await reveal(account, deleted.id, erased.id)
  await note(account, deleted.id, 'stays', 'kept')
  await note(account, erased.id, 'goes', 'lost')
  const { change } = await deleteRecord(t.database, 'person', deleted.id, 'olga')
  await erasePerson(t.database, erased.id, 'olga')
  expect(await read(account)).toMatchObject({
    total: 1,
    contacts: [{ id: deleted.id, channels: null, note: 'stays', tags: ['kept'] }],
  })
  expect(await tagsOf(t.database, account.id)).toEqual(['kept'])
  await undoChange(t.database, change, 'olga')
  expect((await read(account)).contacts[0]?.channels?.email).toBe(`${deleted.name}@private.example`)
})

test('somebody whose id has the form of an erased one’s number is seen as anybody is', async () => {
  const account = await buyer()
  const id = randomUUID().replace(/^(.{14})4/, '$18')
  await someone({ id })
  await reveal(account, id)
  await note(account, id, 'here')
  for (const filter of [{}, { q: 'ada here' }, { channel: 'email' }])
    expect(await idsOf(account, filter)).toEqual([id])
})

test('words are found in the name of one and the note of the other of two that are one', async () => {
  const account = await buyer()
  const [kept, gone] = [await someone(), await someone()]
  await reveal(account, kept.id, gone.id)
  await note(account, kept.id, 'Zanzibar again')
  await note(account, gone.id, 'Zanzibar', 'Spice')
  await mergeRecords(t.database, 'person', [kept.id, gone.id], 'olga')
  for (const filter of [
    { q: `${kept.name} zanzibar spice` },
    { tag: 'SPICE' },
    { tag: 'spice', q: 'ada' },
  ])
    expect([filter, await idsOf(account, filter)]).toEqual([filter, [kept.id]])
  expect(await idsOf(account, { tag: 'spice', q: 'nobody' })).toEqual([])
  // A word that both notes have stands for no other one.
  expect(await idsOf(account, { q: 'zanzibar again' })).toEqual([kept.id])
  expect(await idsOf(account, { q: 'zanzibar nobody' })).toEqual([])
})

test('a note on a page that was opened before a merge is kept beside the other one’s', async () => {
  const account = await buyer()
  const [kept, gone] = [await someone(), await someone()]
  await reveal(account, gone.id)
  await mergeRecords(t.database, 'person', [kept.id, gone.id], 'olga')
  await note(account, kept.id, 'first', 'a')
  expect(await note(account, gone.id, 'second', 'b')).toBe(true)
  expect(await read(account)).toMatchObject({
    total: 1,
    contacts: [{ id: kept.id, note: 'first\n\nsecond', tags: ['a', 'b'] }],
  })
  expect(await note(await buyer(), gone.id, 'not revealed by them')).toBe(false)
})

test('a note that is saved while its contact is being erased leaves nothing', async () => {
  const account = await buyer()
  const { id } = await someone()
  await reveal(account, id)
  const { saving } = await t.sql.begin(async (tx) => {
    await tx`select erase_people(array[${id}::uuid], 'olga')`
    let isSaved = false
    const saving = note(account, id, 'about somebody').finally(() => {
      isSaved = true
    })
    // Until it is kept, or waits for the erasure.
    for (let waiting = 0; !isSaved && waiting === 0; ) {
      const [row] = await t.sql<{ waiting: number }[]>`
        select count(*)::integer as waiting from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%insert into contact_notes%'`
      waiting = row?.waiting ?? 0
    }
    return { saving }
  })
  expect(await saving).toBe(false)
  expect(await t.sql`select from contact_notes where person_id = ${id}`).toHaveLength(0)
})
