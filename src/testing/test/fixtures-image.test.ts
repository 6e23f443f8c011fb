/** The prepared database of the fixed directory, and the form that it is kept in. */
import { describe, expect, test } from 'bun:test'
import { connect, type Database } from '../../database/client.ts'
import { type MemoryFile, startMemoryDatabase } from '../../database/memory.ts'
import { migrate } from '../../database/migrate.ts'
import { differencesOf, withDifferences } from '../differences.ts'
import { fixedFiles } from '../prepared.ts'
import { seedFixed } from '../seed.ts'

test('it holds what importing the fixed records gives: where it does not, `bun run image` makes it', async () => {
  const prepared = await contentsOf(await fixedFiles(), async () => {})
  const imported = await contentsOf(undefined, async (database) => {
    await migrate(database)
    await seedFixed(database)
  })
  expect(prepared.companies?.length).toBeGreaterThan(5)
  expect(prepared).toEqual(imported)
})

const TIMES = ['updated_at', 'applied_at', 'changed_at', 'at', 'created_at']

/** Every row and function of a database, without the times and ids that were made for it. */
async function contentsOf(
  files: readonly MemoryFile[] | undefined,
  prepare: (database: Database) => Promise<void>,
): Promise<Record<string, string[]>> {
  const memory = await startMemoryDatabase(files)
  const database = connect({ openStream: memory.open, connections: 1, deadlineMs: 60_000 })
  try {
    await prepare(database)
    return await database.use(async ({ sql }) => {
      const contents: Record<string, string[]> = {}
      const keep = async (name: string, query: string) => {
        const rows = await sql.unsafe<{ text: string }[]>(query)
        contents[name] = rows.map(({ text }) => text).sort()
      }
      const tables = await sql<{ name: string }[]>`
        select oid::regclass::text as name from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
      for (const { name } of tables) {
        const madeUp = name === 'round_investors' ? [...TIMES, 'id'] : TIMES
        await keep(
          name,
          `select (to_jsonb(t) - '{${madeUp}}'::text[])::text as text from ${name} t`,
        )
      }
      const functions = "pronamespace = 'public'::regnamespace and prokind = 'f'"
      await keep(
        'functions',
        `select pg_get_functiondef(oid) as text from pg_proc where ${functions}`,
      )
      return contents
    })
  } finally {
    await database.close()
    await memory.close()
  }
}

describe('files as what differs from others', () => {
  const file = (path: string, ...pages: (readonly [number, number])[]): MemoryFile => ({
    path,
    content: Buffer.concat(pages.map(([bytes, value]) => Buffer.alloc(bytes, value))),
  })
  const folder = { path: 'base', content: null }
  const base = [folder, file('base/1', [8192, 1], [8192, 2], [100, 3]), file('base/2', [50, 4])]
  const restored = (files: readonly MemoryFile[]) =>
    withDifferences(differencesOf(files, base), base)

  test.each([
    ['the same', base],
    ['a changed page', [folder, file('base/1', [8192, 1], [8192, 9], [100, 3])]],
    ['a shorter file', [folder, file('base/1', [8192, 1], [10, 2])]],
    ['a longer file', [file('base/2', [50, 4], [8192, 0], [8192, 7])]],
    [
      'another file, partly of zeros',
      [{ path: 'new', content: null }, file('new/1', [8192, 0], [5, 5])],
    ],
    ['an empty file, and none of before', [{ path: 'base/1', content: new Uint8Array() }]],
  ] satisfies [string, MemoryFile[]][])('are themselves again: %s', (_, files) => {
    const plain = (given: readonly MemoryFile[]) =>
      given.map(({ path, content }) => [path, content && Buffer.from(content).toString('hex')])
    expect(plain(restored(files))).toEqual(plain(files))
  })

  test('what is the same takes no bytes and is not copied', () => {
    expect(differencesOf(base, base).length).toBeLessThan(300)
    expect(restored(base)[1]?.content).toBe(base[1]?.content as Uint8Array)
  })
})
