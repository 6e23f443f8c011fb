/** What changes in Postgres shows in the directory within two seconds. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { type Database, DatabaseUnavailable } from '../../../src/database/client.ts'
import type { Directory } from '../../../src/directory/records/directory.ts'
import { follow } from '../../../src/directory/records/follow.ts'
import { loadState } from '../../../src/directory/records/load.ts'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { ALONE } from '../../../src/directory/records/pace.ts'
import { personItem, portfolioItem } from '../../../src/directory/records/render.ts'
import { arrayOf, lockedText } from '../../../src/directory/records/template.ts'
import { silentLog } from '../../../src/log.ts'
import { releaseMemory } from '../../../src/runtime.ts'
import { within } from '../../helpers/given-time.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

let db: TestDatabase
let directory: Directory
let other: Directory
beforeAll(async () => {
  db = await testDatabase()
  directory = await openDirectory(db.database, { log: silentLog })
  other = await openDirectory(db.database, { log: silentLog })
})
afterAll(async () => {
  await Promise.all([directory.stop(), other.stop()])
  await db.drop()
})

const everything = { page: 1, limit: 100 }

/** Ids of the company's people. */
function teamOf(d: Directory, id: string): string[] | undefined {
  const company = d.company(id)
  return company && d.team(company).map((person) => person.id)
}

/** What a change may take to show; where much is loaded nothing but completeness is promised. */
const PROMISED_MS = 2_000

/** Waits until it holds in both instances. */
const shows = (holds: (directory: Directory) => boolean, limitMs = PROMISED_MS) =>
  within(limitMs, () => holds(directory) && holds(other))

/** The same database, which can be made unreachable. NOTIFY doesn't get through at all: it polls. */
function cuttable(real: Database) {
  let isCut = false
  const database: Database = {
    use: async (work, options) => {
      if (isCut) throw new DatabaseUnavailable('cut off')
      return real.use(work, options)
    },
    listen: async () => ({ stop: async () => {} }),
    close: async () => {},
  }
  return {
    database,
    cutOff: (cut: boolean) => {
      isCut = cut
    },
  }
}

describe('two instances show within 2 s', () => {
  test('an insert, in lists, search, facets and single reads', async () => {
    const company = await insertCompany(db.sql, 'Zephyrine')
    const person = await insertPerson(db.sql, 'Quillon', company)
    await db.sql`update people set roles = '{founder}' where id = ${person}`
    await shows((d) => d.person(person)?.roles[0] === 'founder')
    for (const d of [directory, other]) {
      expect(d.search('zephyr', 12).projects.map(({ id }) => id)).toEqual([company])
      const { people, facets } = d.people({ ...everything, q: 'quillon' })
      expect(people.map(({ id }) => id)).toEqual([person])
      expect(facets.roles).toEqual([{ value: 'founder', count: 1 }])
      expect(teamOf(d, company)).toEqual([person])
    }
  })

  test("a company's change, inside its people and in portfolio rows as well", async () => {
    const company = await insertCompany(db.sql, 'Before')
    const fund = await insertCompany(db.sql, 'Fund', 'investor')
    const person = await insertPerson(db.sql, 'Emp', company)
    await db.sql`with round as (
        insert into funding_rounds (id, company_id) values (gen_random_uuid(), ${company}) returning id
      ) insert into round_investors (id, round_id, investor_id) select gen_random_uuid(), id, ${fund} from round`
    await shows((d) => d.company(fund)?.portfolioCount === 1)
    await db.sql`update companies set name = 'Afterwards' where id = ${company}`
    await shows((d) => d.company(company)?.name === 'Afterwards')
    for (const d of [directory, other]) {
      const [p, f] = [d.person(person), d.company(fund)]
      expect(p && lockedText(personItem(p))).toContain('"name":"Afterwards"')
      expect(f && d.portfolio(f).map(portfolioItem).join()).toContain('"name":"Afterwards"')
      expect(d.search('before', 12).projects).toEqual([])
    }
  })

  test('a change of company and a change of slug', async () => {
    const [one, two] = [await insertCompany(db.sql, 'One'), await insertCompany(db.sql, 'Two')]
    const person = await insertPerson(db.sql, 'Mover', one)
    await shows((d) => d.person(person)?.company?.id === one)
    await db.sql`update people set company_id = ${two}, slug = 'moved-on' where id = ${person}`
    await shows((d) => d.person('moved-on')?.company?.id === two)
    for (const d of [directory, other]) {
      expect(d.person(`p-${person}`)).toBeUndefined()
      expect(teamOf(d, one)).toEqual([])
      expect(teamOf(d, two)).toEqual([person])
    }
  })

  test('a slug that passes from one company to another', async () => {
    const [one, two] = [await insertCompany(db.sql, 'Old'), await insertCompany(db.sql, 'New')]
    await db.sql`update companies set slug = 'taken' where id = ${one}`
    await shows((d) => d.company('taken')?.id === one)
    await db.sql`update companies set slug = 'given-up' where id = ${one}`
    await db.sql`update companies set slug = 'taken' where id = ${two}`
    await shows((d) => d.company('taken')?.id === two && d.company('given-up')?.id === one)
  })

  test('a deletion; nobody is shown with a company that is gone', async () => {
    const company = await insertCompany(db.sql, 'Goner')
    const person = await insertPerson(db.sql, 'Stayer', company)
    await shows((d) => d.person(person)?.company !== undefined)
    await db.sql`delete from companies where id = ${company}`
    await shows((d) => d.company(company) === undefined)
    for (const d of [directory, other]) {
      const left = d.person(person)
      expect(left && lockedText(personItem(left))).toContain('"companyId":null,"company":null')
      expect(d.search('goner', 12).projects).toEqual([])
    }
    await db.sql`delete from people where id = ${person}`
    await shows((d) => d.person(person) === undefined)
  })
})

describe('nothing is missed', () => {
  test.concurrent('what changed while an instance was cut off shows once it is back', async () => {
    const { database, cutOff } = cuttable(db.database)
    const alone = await openDirectory(database, { log: silentLog })
    cutOff(true)
    const company = await insertCompany(db.sql, 'Meanwhile')
    await expectRejection(alone.refresh(), DatabaseUnavailable)
    expect(alone.company(company)).toBeUndefined()
    cutOff(false)
    await within(PATIENCE_MS, () => alone.company(company) !== undefined)
    expect(alone.company(company)?.name).toBe('Meanwhile')
    await alone.stop()
  })

  test.concurrent('what was trimmed from the log before an instance came back is loaded anew', async () => {
    const { database, cutOff } = cuttable(db.database)
    const alone = await openDirectory(database, { log: silentLog })
    cutOff(true)
    const missed = await insertCompany(db.sql, 'Missed')
    await insertCompany(db.sql, 'Latest')
    await db.sql`delete from change_log where sequence < (select max(sequence) from change_log)`
    cutOff(false)
    await within(PATIENCE_MS, () => alone.company(missed) !== undefined)
    expect(alone.company(missed)?.name).toBe('Missed')
    await alone.stop()
  })

  test('a kept answer is of now, while people come and a rebuild puts all anew', async () => {
    const look = () => {
      const { people, total } = directory.people(everything)
      return { shows: [...people, total], text: () => arrayOf(people.map(personItem)) }
    }
    const kept = () => new TextDecoder().decode(directory.ready('everybody', look).bytes)
    const before = kept()
    let isRebuilding = true
    const rebuilt = directory.rebuild().finally(() => {
      isRebuilding = false
    })
    while (isRebuilding) {
      await insertPerson(db.sql, 'Newcomer')
      expect(kept()).toBe(lockedText(look().text()))
    }
    await rebuilt
    await directory.refresh()
    expect(kept()).toBe(lockedText(look().text()))
    expect(kept()).not.toBe(before)
  })

  test('changes that never stop hold up no rebuild', async () => {
    let isRebuilding = true
    const changing = Array.from({ length: 4 }, async () => {
      while (isRebuilding) await insertPerson(db.sql, 'Newcomer')
    })
    await directory.rebuild()
    isRebuilding = false
    await Promise.all(changing)
    await shows((d) => d.people({ ...everything, q: 'newcomer' }).total > 0, PATIENCE_MS)
  })

  test('no store stays in memory once rebuilds have replaced it, the first one neither', async () => {
    const pace = ALONE
    const options = { log: silentLog, pace: () => pace, trims: false }
    // Several, because a collector may take a number on the stack for a reference.
    const followers = await Promise.all(
      Array.from({ length: 6 }, async () =>
        follow(db.database, await loadState(db.database, pace), options),
      ),
    )
    const first = followers.map(({ state }) => new WeakRef(state.store))
    await Promise.all(followers.map(({ rebuild }) => rebuild()))
    await setImmediate()
    releaseMemory()
    await setImmediate()
    releaseMemory()
    expect(first.filter((store) => store.deref()).length).toBeLessThan(3)
    await Promise.all(followers.map(({ stop }) => stop()))
  })

  test('a rebuild asked for on one instance happens on every one, and the old state serves meanwhile', async () => {
    const company = await insertCompany(db.sql, 'Kept')
    await shows((d) => d.company(company) !== undefined)
    const before = [directory.company(company), other.company(company)]
    const rebuilt = directory.rebuild()
    expect(directory.company(company)).toBeDefined()
    await rebuilt
    expect(directory.company(company)).not.toBe(before[0])
    await shows((d) => !before.includes(d.company(company)))
  })

  test('many changes in one statement', async () => {
    await db.sql`insert into people (id, first_name, last_name)
      select gen_random_uuid(), 'Bulk', 'Number' || i from generate_series(1, 3000) i`
    await shows((d) => d.people({ ...everything, q: 'bulk' }).total === 3_000, PATIENCE_MS)
    await db.sql`delete from people where first_name = 'Bulk'`
    await shows((d) => d.people({ ...everything, q: 'bulk' }).total === 0, PATIENCE_MS)
  })
})
