/** Whom a request may be about: found in the database, without showing a channel. On a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { everythingAbout } from '../../../src/intake/editing/data-subject.ts'
import { deleteRecord, mergeRecords } from '../../../src/intake/editing/edit.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import type { Candidate } from '../../../src/people/privacy/candidates.ts'
import { showRequest } from '../../../src/people/privacy/register.ts'
import { ADA, fixtures, PRIVATE_VALUES, uuid } from '../../helpers/fixtures.ts'
import { rejection } from '../../helpers/rejection.ts'
import { sharedAskers } from './fixtures.ts'

const NAMESAKE = uuid(555)
const OTHER = uuid(556)

const askers = sharedAskers(async ({ database }) => {
  await fixtures(database)
  await importRows(database, 'people', [
    { id: NAMESAKE, firstName: 'Ada', lastName: 'Ashford', email: 'namesake@private.example' },
    {
      id: OTHER,
      firstName: 'Zoe',
      lastName: 'Zeller',
      linkedinUrl: 'https://www.linkedin.com/in/zoe-z',
      twitterHandle: 'ZoeZ',
      externalId: 'x-9',
    },
  ])
})

/** Whom the operator is told of. */
async function foundFor(
  person: string,
  email = 'stranger@example.com',
): Promise<Partial<Candidate>[] | undefined> {
  const id = await askers.confirmed({ person, email })
  await askers.clock.advance(3_600)
  const request = await showRequest(askers.database, id)
  return request?.people.map(({ id, foundBy, isEmailOnFile }) => ({ id, foundBy, isEmailOnFile }))
}

test('a page, a handle, a profile, a name or the address itself leads to the record', async () => {
  const zoe = (foundBy: Candidate['foundBy'][number]): Partial<Candidate>[] => [
    { id: OTHER, foundBy: [foundBy], isEmailOnFile: null },
  ]
  for (const [person, foundBy] of [
    [`https://app.test/people/${OTHER}`, 'page'],
    [OTHER.toUpperCase(), 'page'],
    ['x-9', 'page'],
    ['@zoez', 'handle'],
    ['https://x.com/ZOEZ?s=20', 'handle'],
    ['linkedin.com/in/Zoe-Z/', 'profile'],
    ['zoë  ZELLER', 'name'],
  ] as const) {
    expect([person, await foundFor(person)]).toEqual([person, zoe(foundBy)])
  }
  expect(await foundFor('Nobody at all')).toEqual([])
  expect(await foundFor('%')).toEqual([])
})

test('namesakes are told apart by the address on file, which is compared and not shown', async () => {
  const id = await askers.confirmed({ person: 'Ada Ashford', email: 'namesake@private.example' })
  const request = await showRequest(askers.database, id)
  expect(
    request?.people.map(({ id, foundBy, isEmailOnFile }) => [id, foundBy, isEmailOnFile]),
  ).toEqual([
    [NAMESAKE, ['name', 'email'], true],
    [ADA.id, ['name'], false],
  ])
  const told = JSON.stringify(request?.people)
  for (const channel of [...PRIVATE_VALUES, 'namesake@private.example']) {
    expect(told).not.toContain(channel)
  }
})

test('everything that is held about a person, of records that were merged into theirs too', async () => {
  const [kept, gone] = [uuid(700), uuid(701)]
  await importRows(askers.database, 'people', [
    {
      id: kept,
      firstName: 'Mia',
      lastName: 'Moss',
      email: 'mia@private.example',
      createdAt: '2024-01-01',
    },
    {
      id: gone,
      firstName: 'M.',
      lastName: 'Moss',
      slug: 'm-moss',
      telegram: 'miamoss',
      createdAt: '2025-01-01',
    },
  ])
  const [account] = await askers.sql`
    insert into accounts (name, email) values ('Reader', 'reader@example.com') returning id`
  await askers.sql`
    insert into unlocks (account_id, person_id, at) values (${account?.id}, ${kept}, meter_now())`
  // Kept by the id of before the merge.
  await askers.sql`
    insert into contact_notes values (${account?.id}, ${gone}, 'Met in Lisbon', '{founder}', now())`
  const [list] = await askers.sql`
    insert into record_lists (account_id, name) values (${account?.id}, 'Founders') returning id`
  await askers.sql`insert into list_entries values (${list?.id}, ${gone}, 'person', now())`
  await mergeRecords(askers.database, 'person', [kept, gone], 'operator')
  const everything = await everythingAbout(askers.database, 'm-moss')
  expect(everything).toMatchObject({
    id: kept,
    record: { first_name: 'Mia', last_name: 'Moss', company: null },
    channels: { email: 'mia@private.example', telegram: 'miamoss' },
    formerNames: [{ id: gone, slug: 'm-moss', externalId: null }],
    unlockedBy: [{ account: account?.id, name: 'Reader', email: 'reader@example.com' }],
    notes: [{ account: account?.id, name: 'Reader', note: 'Met in Lisbon', tags: ['founder'] }],
    lists: [{ account: account?.id, name: 'Reader', list: 'Founders' }],
  })
  expect(JSON.stringify(everything.changes)).toContain('"m-moss"')
  await deleteRecord(askers.database, 'person', kept, 'operator')
  const afterwards = await everythingAbout(askers.database, kept)
  expect(afterwards).toMatchObject({ record: null, unlockedBy: everything.unlockedBy })
  expect(JSON.stringify(afterwards.changes)).toContain('mia@private.example')
  for (const name of [uuid(799), 'nobody-of-this-name']) {
    expect(await rejection(everythingAbout(askers.database, name))).toMatchObject({
      message: `there is no person ${name}`,
    })
  }
})
