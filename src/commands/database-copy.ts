/** A copy of the embedded database for work that would hold up the server that runs on it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restoreBackup, writeBackup } from '../database/backup.ts'
import type { Database } from '../database/client.ts'
import { openDatabase } from '../database/open.ts'

/**
 * Runs `work` with a copy of the database in `dataDir`, which is as it was when the copy was begun. The copy lies in a
 * directory that its owner alone can read, and is removed at the end.
 * @throws what `work` throws, DataDirError, the system's errors
 */
export async function onCopyOfDatabase<T>(
  database: Database,
  dataDir: string,
  work: (copy: Database) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'chainkin-'))
  const copyDir = join(directory, 'data')
  try {
    const file = join(directory, 'copy.tar.gz')
    await writeBackup(database, dataDir, file)
    await restoreBackup(file, copyDir, { force: false })
    await rm(file)
    const copy = await openDatabase({ databaseUrl: undefined, dataDir: copyDir })
    try {
      return await work(copy.database)
    } finally {
      await copy.close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
