/** The change log: what the triggers write, and who sees it when. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { changesAfter, logBounds, trimChangeLog } from '../../../src/directory/records/changes.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

/** What the work writes to the log, as `kind id`. */
async function logged(work: () => Promise<unknown>): Promise<string[]> {
  const { last } = await logBounds(db.sql)
  await work()
  const { changes } = await changesAfter(db.sql, last, 1_000)
  return changes.map(({ kind, id }) => `${kind} ${id}`)
}

describe('the change log', () => {
  test('has a row for each record that an insert, update or delete touches', async () => {
    const company = await insertCompany(db.sql, 'Acme')
    const person = await insertPerson(db.sql, 'Ann', company)
    const renamed = () => db.sql`update people set last_name = 'Other' where id = ${person}`
    expect(await logged(renamed)).toEqual([`person ${person}`])
    const deleted = () => db.sql`delete from companies where id = ${company}`
    // The foreign key takes the person out of the company: that is a change of the person.
    expect((await logged(deleted)).sort()).toEqual([`company ${company}`, `person ${person}`])
  })

  test('has nothing for an update that changes nothing', async () => {
    const company = await insertCompany(db.sql, 'Still')
    const same = () => db.sql`update companies set name = name where id = ${company}`
    expect(await logged(same)).toEqual([])
    const none = () => db.sql`update companies set name = 'x' where false`
    expect(await logged(none)).toEqual([])
  })

  test("logs an investor's part as its round", async () => {
    const company = await insertCompany(db.sql, 'Raised')
    const fund = await insertCompany(db.sql, 'Fund', 'investor')
    const [round] = await db.sql<{ id: string }[]>`
      insert into funding_rounds (id, company_id) values (gen_random_uuid(), ${company}) returning id`
    const invested = () => db.sql`insert into round_investors (id, round_id, investor_id)
      values (gen_random_uuid(), ${round?.id ?? ''}, ${fund})`
    expect(await logged(invested)).toEqual([`round ${round?.id}`])
  })

  test('asks for a rebuild on TRUNCATE', async () => {
    const [entry] = await logged(() => db.sql`truncate round_investors`)
    expect(entry).toStartWith('rebuild ')
  })

  test('keeps the order of commits: a slow transaction never commits behind a later sequence', async () => {
    const { last } = await logBounds(db.sql)
    const slow = await db.sql.reserve()
    await slow`begin`
    await slow`insert into companies (id, slug, name, company_type)
      values (gen_random_uuid(), 'slow', 'Slow', 'project')`
    const fast = insertCompany(db.sql, 'Fast')
    await Bun.sleep(100)
    // The second writer waits: nothing is visible that would let a follower step over the first.
    expect((await changesAfter(db.sql, last, 10)).changes).toEqual([])
    await slow`commit`
    slow.release()
    await fast
    expect((await changesAfter(db.sql, last, 10)).changes).toHaveLength(2)
  })

  test('is trimmed of what is older than an hour, never of its newest row', async () => {
    await db.sql`update change_log set at = now() - interval '2 hours'`
    await trimChangeLog(db.sql, 10_000)
    const { first, last } = await logBounds(db.sql)
    expect(last).toBeGreaterThan(0)
    expect(first).toBe(last)
  })
})

describe('people.has_* follow private_channels', () => {
  const flags = async (id: string) => {
    const [row] = await db.sql`
      select has_email, has_phone, has_telegram, has_linkedin from people where id = ${id}`
    return Object.values(row ?? {})
      .map(Number)
      .join('')
  }

  test('on insert, update and delete', async () => {
    const person = await insertPerson(db.sql, 'Chan')
    await db.sql`insert into private_channels (person_id, email, telegram) values (${person}, 'a@b.example', 't')`
    expect(await flags(person)).toBe('1010')
    await db.sql`update private_channels set email = null, phone = '+1', linkedin_url = '' where person_id = ${person}`
    expect(await flags(person)).toBe('0110')
    await db.sql`delete from private_channels where person_id = ${person}`
    expect(await flags(person)).toBe('0000')
  })

  test('log only people whose flags differ', async () => {
    const person = await insertPerson(db.sql, 'Same')
    await db.sql`insert into private_channels (person_id, email) values (${person}, 'a@b.example')`
    const other = () =>
      db.sql`update private_channels set email = 'c@d.example' where person_id = ${person}`
    expect(await logged(other)).toEqual([])
  })
})
