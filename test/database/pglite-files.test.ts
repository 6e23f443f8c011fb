/** What the embedded database has on the disk when it answers. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import { unpackFolder } from '../../src/database/archive.ts'
import { engine } from '../../src/database/engine.ts'
import { imageArchive } from '../../src/database/image.ts'
import { DURABLE_START, DurableFiles } from '../../src/database/pglite-files.ts'
import { temporaryDirectory } from '../helpers/command.ts'

test('a commit waits for the disk: files and the names of files are synced where PostgreSQL asks', async () => {
  const directory = await temporaryDirectory()
  const folder = join(directory.path, 'postgres')
  await unpackFolder(Readable.from((await imageArchive()).stream()), folder)
  const database = new PGlite({
    ...(await engine()),
    fs: new DurableFiles(folder, () => {}),
    startParams: DURABLE_START,
  })
  const { rows } = await database.query(`
    select name, setting from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method') order by 1`)
  expect(rows).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
    { name: 'wal_sync_method', setting: 'fsync' },
  ])

  const { FS } = database.Module
  const synced: (string | undefined)[] = []
  const operations = (FS.lookupPath('/pglite/data/PG_VERSION').node as Node).mount.type.stream_ops
  const sync = operations.fsync
  operations.fsync = (stream) => {
    synced.push(stream.path)
    return sync(stream)
  }
  await database.exec("insert into rejected_keys values ('192.0.2.1', now(), 1)")
  expect(synced.some((path) => path?.includes('/pg_wal/'))).toBe(true)
  // Full, the log goes on in a file of another name.
  await database.exec('select pg_switch_wal(); checkpoint')
  await database.exec("insert into rejected_keys values ('192.0.2.2', now(), 1)")
  expect(synced.some((path) => path?.endsWith('/pg_wal'))).toBe(true)
  operations.fsync = sync
  await database.close()
  await directory.remove()
})

/** The parts of Emscripten's files that are looked at here. */
interface Stream {
  path?: string
}
interface Node {
  mount: { type: { stream_ops: { fsync: (stream: Stream) => number } } }
}
