/**
 * A data directory of an earlier build opens with this one. `earlier/data-1.6.0.tar.br` was made by
 * version 1.6.0, before there was a prepared image: an import, three accounts with 100 credits each,
 * three calls by two of them, and `kill -9`.
 */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { brotliDecompressSync } from 'node:zlib'
import { unpackFolder } from '../../src/database/archive.ts'
import { migrationState } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { checkBooks } from '../../src/money/charge/books.ts'
import { get, serve, temporaryDirectory } from '../helpers/command.ts'

/** Of the account `one`; it opened a contact that stays unlocked. */
const KEY = 'ck_live_4iuwyzPEI19w9j3VuonDrPHIjxPVR2TP3OU2FX'

test('a data directory of version 1.6.0, killed under way, is recovered, migrated and served', async () => {
  const directory = await temporaryDirectory()
  const packed = await readFile(join(import.meta.dirname, 'earlier/data-1.6.0.tar.br'))
  await unpackFolder(Readable.from([brotliDecompressSync(packed)]), directory.path)

  const { database, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir: directory.path,
  })
  const accounts = await database.use(
    ({ sql }) => sql`select name, balance::integer from accounts order by name`,
  )
  const books = await checkBooks(database)
  const migrations = await migrationState(database)
  await close()
  expect([...accounts]).toEqual([
    { name: 'one', balance: 80 },
    { name: 'three', balance: 100 },
    { name: 'two', balance: 80 },
  ])
  expect(books).toEqual({ accounts: 3, wrong: [] })
  expect(migrations).toEqual({ missing: [], unknown: [] })

  const server = await serve({ DATA_DIR: directory.path, LOG_LEVEL: 'error' })
  const { status, body } = await get(`${server.apiUrl}/v1/people/ada-early?include=private`, KEY)
  await server.stop()
  await directory.remove()
  expect(status).toBe(200)
  expect(body.meta).toEqual({ creditsCharged: 5, creditsBalance: 75 })
  expect(JSON.stringify(body)).toContain('ada@earlier.example')
})
