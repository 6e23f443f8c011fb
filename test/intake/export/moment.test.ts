/** An export is of one moment, and its files are whole or not there. */
import { describe, expect, test } from 'bun:test'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportFiles } from '../../../src/intake/export/export.ts'
import { ChangedMeanwhile, type ReadRows, readMoment } from '../../../src/intake/export/moment.ts'
import { selectionOf } from '../../../src/intake/export/selection.ts'
import { importAll } from '../../../src/intake/import/import.ts'
import { fixtures, uuid } from '../../helpers/fixtures.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'

const t = sharedDatabase(fixtures)
const folder = sharedDirectory()

let number = 50_000
/** Adds a company and somebody who works there. */
async function addTeam() {
  const id = uuid(number++)
  const company = { id, name: `Newcomer ${number}`, companyType: 'project' }
  const person = { id: uuid(number++), firstName: `Newcomer ${number}`, company: id }
  await importAll(t.database, { companies: [company], people: [person] })
}

async function idsOf(read: ReadRows, kind: 'companies' | 'people'): Promise<unknown[]> {
  const ids: unknown[] = []
  for await (const rows of read(selectionOf(kind, false))) ids.push(...rows.map(({ id }) => id))
  return ids
}

/** Reads companies, then lets something happen, and then reads people. */
const readAround = (happens: () => Promise<unknown>) => async (read: ReadRows) => {
  const companies = await idsOf(read, 'companies')
  await happens()
  return { companies, people: await idsOf(read, 'people') }
}

const stored = async (table: string) => {
  const rows = await t.sql`select id from ${t.sql(table)} order by id`
  return rows.map(({ id }) => id)
}

describe('PostgreSQL: one transaction', () => {
  test('what changes meanwhile is in none of the files', async () => {
    const before = { companies: await stored('companies'), people: await stored('people') }
    const read = await readMoment(t.database, { isSliced: false }, readAround(addTeam))
    expect(read).toEqual(before)
  })

  test('a connection that is lost half-way ends it: no later moment is read', async () => {
    const terminate = () => t.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`
    await expectRejection(
      readMoment(t.database, { isSliced: false }, readAround(terminate)),
      /the database is unavailable/,
    )
    const read = await readMoment(
      t.database,
      { isSliced: false },
      readAround(async () => {}),
    )
    expect(read.people).toEqual(await stored('people'))
  })

  test('what fails besides the database is told as what it is', async () => {
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
    const fail = async () => {
      throw full
    }
    const failed = readMoment(t.database, { isSliced: false }, readAround(fail))
    expect(await failed.catch((error: unknown) => error)).toBe(full)
  })

  test('it can’t change anything', async () => {
    const work = async (read: ReadRows) => {
      const columns = ['id']
      const select = "select id from set_config('x', (delete from people)::text)"
      for await (const _ of read({ columns, select }));
    }
    await expectRejection(readMoment(t.database, { isSliced: false }, work))
  })
})

describe('the embedded database: slices, and the change log', () => {
  test('what changes meanwhile is read too: all is read anew', async () => {
    let changes = 2
    const happens = async () => {
      if (changes-- > 0) await addTeam()
    }
    const reading = { isSliced: true, pausesMs: [0, 0] }
    const read = await readMoment(t.database, reading, readAround(happens))
    expect(read).toEqual({ companies: await stored('companies'), people: await stored('people') })
  })

  test('a directory that never rests is given up, and no file is left', async () => {
    const reading = { isSliced: true, pausesMs: [0] }
    await expectRejection(
      readMoment(t.database, reading, readAround(addTeam)),
      new ChangedMeanwhile(2),
    )
  })

  test('slices leave nothing out and give nothing twice', async () => {
    const people = Array.from({ length: 600 }, () => ({
      id: uuid(number++),
      firstName: 'One of many',
    }))
    await importAll(t.database, { people })
    for (const isGentle of [undefined, async () => true]) {
      const read = await readMoment(t.database, { isSliced: true, isGentle }, (read) =>
        idsOf(read, 'people'),
      )
      expect(read).toEqual(await stored('people'))
    }
  })
})

test('the channels of a slice are looked up, not read from the first row on', async () => {
  const people = Array.from({ length: 2_000 }, () => ({
    id: uuid(number++),
    firstName: `No ${number}`,
    email: `no${number}@example.com`,
  }))
  await importAll(t.database, { people })
  await t.sql`analyze`
  const { select } = selectionOf('people', true)
  const after = people[1_500]?.id
  const plan = await t.sql.unsafe(
    `explain ${select} where t.id > '${after}' order by t.id limit 250`,
  )
  expect(JSON.stringify(plan)).toContain('Nested Loop Left Join')
})

describe('files', () => {
  const target = (name: string) =>
    ({ path: join(folder.path, name), format: 'jsonl', isGzipped: false }) as const
  const reading = { isSliced: false }

  test('are the same bytes however they were read, compressed as well', async () => {
    const people = Array.from({ length: 1_500 }, () => ({
      id: uuid(number++),
      firstName: `No ${number}`,
      jobTitle: `Title ${(number * 7_919) % 10_007}`,
    }))
    await importAll(t.database, { people })
    const readings = [
      { isSliced: false },
      { isSliced: true },
      { isSliced: true, isGentle: async () => true },
    ]
    const contents: string[] = []
    for (const [position, reading] of readings.entries()) {
      const path = join(folder.path, `bytes-${position}.gz`)
      const options = { ...reading, withChannels: true }
      const targets = { people: { path, format: 'csv', isGzipped: true } } as const
      await exportFiles(t.database, targets, options)
      contents.push((await readFile(path)).toString('base64'))
      await rm(path)
    }
    expect(contents).toEqual(contents.map(() => contents[0] ?? ''))
  })

  test('interrupted: none is there, and what was there before is as it was', async () => {
    await writeFile(join(folder.path, 'before.jsonl'), 'before')
    const interrupted = new AbortController()
    const targets = { companies: target('before.jsonl'), people: target('new.jsonl') }
    const running = exportFiles(t.database, targets, {
      ...reading,
      force: true,
      signal: interrupted.signal,
    })
    interrupted.abort()
    await expectRejection(running)
    expect(await readdir(folder.path)).toEqual(['before.jsonl'])
    expect(await readFile(join(folder.path, 'before.jsonl'), 'utf8')).toBe('before')
  })
})
