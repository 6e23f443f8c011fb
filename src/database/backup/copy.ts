/** A copy of the embedded database for work that would hold up the server that runs on it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackBaseBackup, writeBaseBackup } from '../base-backup.ts'
import type { Database } from '../client.ts'
import { databaseFolders, makeDataDir } from '../data-dir.ts'
import { openDatabase } from '../open.ts'

interface CopyOptions {
  /** Where the copy lies, which is made, and emptied before; without it, in a directory of the system's. */
  directory?: string
  signal?: AbortSignal | undefined
}

/**
 * Runs `work` with a copy of the database in `dataDir`, which is as it was when the copy was begun. The copy lies in a
 * directory that its owner alone can read, and is removed at the end.
 * @throws what `work` throws, DataDirError, AbortError, the system's errors
 */
export async function onCopyOfDatabase<T>(
  database: Database,
  dataDir: string,
  work: (copy: Database) => Promise<T>,
  { directory, signal }: CopyOptions = {},
): Promise<T> {
  const place = directory ?? (await mkdtemp(join(tmpdir(), 'chainkin-')))
  try {
    // One that was killed has left its copy there.
    if (directory) await rm(directory, { recursive: true, force: true })
    await makeDataDir(place)
    const file = join(place, 'copy.tar.gz')
    await writeBaseBackup(database, dataDir, file, signal)
    await unpackBaseBackup(file, databaseFolders(place).current)
    await rm(file)
    signal?.throwIfAborted()
    const copy = await openDatabase({ databaseUrl: undefined, dataDir: place })
    try {
      return await work(copy.database)
    } finally {
      await copy.close()
    }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}
