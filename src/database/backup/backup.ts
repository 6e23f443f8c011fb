/** Makes a backup of either database while it is used. */
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Database } from '../client.ts'
import { DataDirError, databaseFolders, takeLock } from '../data-dir.ts'
import { bytesFreeIn } from '../disk.ts'
import { onCopyOfDatabase } from './base-backup.ts'
import type { Manifest } from './file.ts'
import { type SaveOptions, saveDatabase } from './save.ts'

interface BackupOptions extends SaveOptions {
  /** True if nobody else uses the embedded database, so that it needs no copy. */
  isAlone?: boolean
}

/**
 * Writes a backup to a file, which is replaced whole or not at all. The tables of an embedded database that serves are read from
 * a copy of its files, made beside it, because it has one session.
 * @returns the file's size in bytes, and what it says of itself
 * @throws DataDirError where another backup is made, or the disk has no room for a copy; the system's errors; AbortError;
 * DatabaseUnavailable
 */
export async function backUp(
  database: Database,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  file: string,
  { isAlone = false, ...options }: BackupOptions = {},
): Promise<{ bytes: number; manifest: Manifest }> {
  if (databaseUrl) return saveDatabase(database, file, options)
  // Without others, and on a copy, nobody is served meanwhile.
  const { isGentle: _, ...unrested } = options
  if (isAlone) return saveDatabase(database, file, unrested)
  using lock = takeLock(dataDir, 'copy-lock')
  if (!lock) throw new DataDirError(`another backup of ${dataDir} is being made`)
  // Before anything long: a file that can't be written.
  await stat(dirname(file))
  await expectRoom(dataDir)
  const { signal } = options
  return onCopyOfDatabase(database, dataDir, (copy) => saveDatabase(copy, file, unrested), {
    directory: join(dataDir, 'copy'),
    signal,
  })
}

/** The copy is packed and unpacked there. @throws DataDirError where the service might be left without room */
async function expectRoom(dataDir: string): Promise<void> {
  const needed = 2 * (await bytesIn(databaseFolders(dataDir).current))
  // Where the system doesn't say, a backup is worth trying.
  const free = await bytesFreeIn(dataDir).catch(() => undefined)
  if (free !== undefined && free < needed) {
    const [has, needs] = [free, needed].map((bytes) => Math.ceil(bytes / 1e6))
    throw new DataDirError(
      `a backup copies the database first: that needs ${needs} MB in ${dataDir}, and ${has} are free`,
    )
  }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // A file may go while it is looked at.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += found?.size ?? 0
  }
  return bytes
}
