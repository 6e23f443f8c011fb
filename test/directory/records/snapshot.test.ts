/** Starting from a snapshot: it is taken whole or not at all, and read on from its position. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDirectory } from '../../../src/directory/records/open.ts'
import { personItem } from '../../../src/directory/records/render.ts'
import { writeSnapshot } from '../../../src/directory/records/snapshot/snapshot.ts'
import { lockedText } from '../../../src/directory/records/template.ts'
import { createLog } from '../../../src/log.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { insertCompany, insertPerson } from './fixtures.ts'

let db: TestDatabase
let folder: string
let file: string
beforeAll(async () => {
  db = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'chainkin-snapshot-'))
  file = join(folder, 'snapshot')
  const company = await insertCompany(db.sql, 'Line\u2028Separator 比特币')
  for (const name of ['Ann', 'Björn', 'Chloé']) await insertPerson(db.sql, name, company)
  await writeSnapshot(db.database, file)
})
afterAll(async () => {
  await db.drop()
  await rm(folder, { recursive: true })
})

/** Opens from the file. @returns every person as listed, and why the file was refused, if it was. */
async function openFrom(snapshot: string | undefined) {
  let reason: unknown = null
  const log = createLog('warn', (line) => {
    reason = JSON.parse(line).reason
  })
  const directory = await openDirectory(db.database, { log, snapshot })
  const query = { roles: [], channels: [], page: 1, limit: 100 }
  const people = directory
    .people({ ...query, q: 'example' })
    .people.map((p) => lockedText(personItem(p)))
  const projects = directory.search('比特币', 12).projects.length
  await directory.stop()
  return { people, projects, reason }
}

test('the directory is the same as from the database, also after later changes', async () => {
  expect(await openFrom(file)).toEqual(await openFrom(undefined))
  await insertPerson(db.sql, 'Later')
  const later = await openFrom(file)
  expect(later.people).toHaveLength(4)
  expect(later).toEqual(await openFrom(undefined))
})

/** The file's lines as one text, and the arrays behind them (`src/directory/records/snapshot/byte-area.ts`). */
async function parts(): Promise<{ text: string; area: Buffer }> {
  const bytes = await readFile(file)
  const linesEnd = Number(bytes.toString('latin1', bytes.length - FOOTER))
  const area = bytes.subarray(Math.ceil(linesEnd / 8) * 8, bytes.length - FOOTER)
  return { text: bytes.toString('utf8', 0, linesEnd), area }
}

/** A file of other lines. */
function withText(text: string, area: Buffer): Buffer {
  const lines = Buffer.from(text)
  const padding = Buffer.alloc(Math.ceil(lines.length / 8) * 8 - lines.length)
  const footer = Buffer.from(`${String(lines.length).padStart(FOOTER - 1)}\n`)
  return Buffer.concat([lines, padding, area, footer])
}
const FOOTER = 32

describe('is refused, and the database read instead,', () => {
  let area: Buffer
  let whole: string
  beforeAll(async () => {
    ;({ text: whole, area } = await parts())
  })

  const refused = async (contents: string | Buffer, why: RegExp) => {
    const other = join(folder, 'refused')
    await writeFile(other, typeof contents === 'string' ? withText(contents, area) : contents)
    const { people, reason } = await openFrom(other)
    expect(reason).toMatch(why)
    expect(people).toEqual((await openFrom(undefined)).people)
  }

  test('where it was cut short, in a line or between two', async () => {
    await refused(whole.slice(0, -40), /unreadable/)
    await refused(`${whole.split('\n').slice(0, -2).join('\n')}\n`, /not whole/)
    await refused('', /not whole/)
    const bytes = await readFile(file)
    for (const length of [0, 10, 40, bytes.length / 2, bytes.length - 1]) {
      await refused(bytes.subarray(0, length), /not whole/)
    }
    await refused(withText(whole, area.subarray(8)), /not whole|no \d+ bytes/)
    await refused(withText(whole, Buffer.concat([area, Buffer.alloc(8)])), /not whole/)
  })

  test('where lines follow its end', async () => {
    const more = '{"kind":"person","names":"Dora","handles":"","arrays":[]}'
    await refused(`${whole}${more}\n`, /after its end/)
    await refused(`${whole}${whole}`, /after its end/)
  })

  test('where a part of its index is missing, or the index is of other records', async () => {
    const lines = whole.split('\n')
    for (const part of ['"words":"', '"names":"', '"lists":"postings"', '"order":"']) {
      const without = lines.filter((line) => !line.includes(part))
      expect(without.length).toBeLessThan(lines.length)
      await refused(without.join('\n'), /not whole/)
    }
    const withoutFirst = lines.map((line) => {
      if (!line.startsWith('{"kind":"person","columns"')) return line
      const { columns, ...rest } = JSON.parse(line)
      for (const values of Object.values<unknown[]>(columns)) values.shift()
      return JSON.stringify({ ...rest, columns })
    })
    await refused(withoutFirst.join('\n').replace('"person":3', '"person":2'), /other records/)
    // The first slot in each place.
    const order = lines.find((line) => line.includes('person","order":"name"')) ?? ''
    const [[start, length]] = JSON.parse(order).arrays
    const twice = Buffer.from(area)
    for (let at = start; at < start + length; at += 4) area.copy(twice, at, start, start + 4)
    await refused(withText(whole, twice), /other records/)
  })

  test('where a line is JSON of another shape', async () => {
    const lines = whole.split('\n')
    const withLine = (place: number, line: string) => lines.with(place, line).join('\n')
    const rows = {
      company: ['null', '{"id":7}', '{"id":[7]}', '{"id":["x"],"companyType":["project"]}'],
      person: ['null', '{"id":[7]}', '{"id":["x"]}', '{"id":["x"],"companyId":["y"]}'],
    }
    for (const [kind, shapes] of Object.entries(rows)) {
      const place = lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`))
      for (const row of shapes) {
        await refused(
          withLine(place, `{"kind":"${kind}","columns":${row},"arrays":[],"isAscii":[]}`),
          /another shape/,
        )
      }
      const { columns, ...rest } = JSON.parse(lines[place] ?? '')
      for (const [column, value] of Object.entries({ page: 9, start: -1, end: 2 ** 40 })) {
        const line = { ...rest, columns: { ...columns, [column]: columns.id.map(() => value) } }
        await refused(withLine(place, JSON.stringify(line)), /another shape/)
      }
      for (const pages of [{ arrays: null }, { arrays: [] }, { isAscii: null }]) {
        const line = JSON.stringify({ ...rest, columns, ...pages })
        await refused(withLine(place, line), /another shape/)
      }
    }
    const uneven = '{"kind":"person","columns":{"id":["x"],"slug":[]},"arrays":[],"isAscii":[]}'
    await refused(withLine(2, uneven), /slug of 0 records/)
    await refused(
      withLine(2, '{"kind":"person","columns":{},"arrays":[],"isAscii":[]}'),
      /not whole/,
    )
    const place = lines.findIndex((line) => line.includes('"lists"'))
    for (const arrays of ['null', '{}', '[]', '[0]', '[[1,4,4]]', '[[0,1e9,4]]', '[[-8,8,4]]']) {
      const line = `{"kind":"person","order":"name","arrays":${arrays}}`
      await refused(withLine(place, line), /another shape/)
    }
    for (const part of [
      '"x":7',
      '"words":7',
      '"words":"a"',
      '"names":"a"',
      '"lists":null',
      '"lists":"other","free":[]',
      '"lists":"postings","free":null',
      '"lists":"postings","free":[]',
    ]) {
      await refused(withLine(place, `{"kind":"person",${part},"arrays":[]}`), /another shape/)
    }
    await refused(withLine(place, '{"kind":"person","words":"","isInTree":""}'), /another shape/)
    await refused(
      withLine(place, '{"kind":"nothing","columns":{"id":["x"]}}'),
      /another shape|not whole/,
    )
    for (const line of ['null', '7', '[]']) {
      await refused(withLine(place, line), /unreadable|not whole/)
    }
  })

  test('where it was made with other options, or of records with other fields', async () => {
    await refused(whole.replace(/"options":"../, '"options":"xx'), /options/)
    await refused(whole.replace('firstName', 'otherName'), /other fields/)
  })

  test('where it is of another database or another log', async () => {
    await refused(whole.replace(/"database":"./, '"database":"x'), /another database/)
    await refused(whole.replace(/"position":\d+/, '"position":99999999'), /newer/)
    await refused(whole.replace(/"position":\d+/, '"position":-1'), /older/)
  })

  test('where its last change is one that a failover lost, and another has its number', async () => {
    const position = Number(/"position":(\d+)/.exec(whole)?.[1])
    const movedBy = (seconds: number) => db.sql`
      update change_log set at = at + make_interval(secs => ${seconds}) where sequence = ${position}`
    await movedBy(1)
    await refused(whole, /of changes that the database has no more/)
    await movedBy(-1)
    expect((await openFrom(file)).reason).toBeNull()
    // As an earlier version wrote it.
    await writeFile(
      join(folder, 'earlier'),
      withText(whole.replace(/,"positionAt":[\d.]+/, ''), area),
    )
    expect((await openFrom(join(folder, 'earlier'))).reason).toBeNull()
  })

  test('where there is none', async () => {
    expect((await openFrom(join(folder, 'nothing'))).reason).toMatch(/ENOENT/)
  })
})
