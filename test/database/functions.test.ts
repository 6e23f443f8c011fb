/** Functions and triggers: read where they are, applied again when their text changed, by two versions at once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { migrate, SchemaTooNew } from '../../src/database/migrate.ts'
import {
  FUNCTION_REVISION,
  FUNCTIONS,
  hashOfText,
  MIGRATIONS,
} from '../../src/database/migrations.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { type Databases, databases, withPool } from './schema.ts'

const REVISION = FUNCTION_REVISION.number

let made: Databases
beforeAll(async () => {
  made = await databases()
})
afterAll(() => made.drop())

async function withSql<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 4, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

describe('the text of functions', () => {
  test('every file of drizzle/functions/ is embedded, as it stands', async () => {
    const folder = join(PROJECT_ROOT, 'drizzle/functions')
    const files = (await readdir(folder, { recursive: true })).filter((f) => f.endsWith('.sql'))
    expect(FUNCTIONS.map(({ name }) => `${name}.sql`).sort()).toEqual(files.sort())
    for (const { name, sql } of FUNCTIONS) {
      expect(sql).toBe(await readFile(join(folder, `${name}.sql`), 'utf8'))
    }
  })

  test('a changed text is a new revision: where this fails, raise the number and put this hash beside it', () => {
    expect(FUNCTION_REVISION.hash).toBe(hashOfText(FUNCTIONS))
  })

  test('migrations hold no function and no trigger', () => {
    const holding = MIGRATIONS.filter(({ sql }) =>
      /create (or replace )?(function|trigger)/i.test(sql),
    )
    expect(holding.map(({ name }) => name)).toEqual([])
  })
})

describe('bringing a database to this build’s functions', () => {
  test('applying them again leaves triggers as they are, so no writer waits', async () => {
    const url = await made.empty()
    await withSql(url, async (sql) => {
      const triggers = () =>
        sql`select tgname, xmin::text from pg_trigger where not tgisinternal order by tgrelid, tgname`
      await withPool(url, migrate)
      const before = [...(await triggers())]
      await sql`delete from chainkin_functions`
      await withPool(url, migrate)
      expect([...(await triggers())]).toEqual(before)
      expect(before.length).toBeGreaterThan(10)
    })
  })

  test('an instance of an older version that starts later leaves newer functions as they are', async () => {
    const url = await made.empty()
    await withPool(url, migrate)
    await withSql(url, async (sql) => {
      await sql.unsafe(`
        create or replace function meter_now() returns timestamptz language sql volatile
        return timestamptz '2030-01-01';
        insert into chainkin_functions values (${REVISION + 1}, 'of a newer version')`)
      await withPool(url, migrate)
      const [row] = await sql`select extract(year from meter_now())::integer as year`
      expect(row?.year).toBe(2030)
    })
  })

  test('another text of the same revision is refused: nobody could tell which is newer', async () => {
    const url = await made.empty()
    await withPool(url, migrate)
    await withSql(url, (sql) => sql`update chainkin_functions set hash = 'another'`)
    const error = await withPool(url, migrate).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SchemaTooNew)
    expect(String(error)).toContain(`another text of functions, revision ${REVISION}`)
  })
})
