/** Makes a backup of either database while it is used. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import type { Database } from '../client.ts'
import { DataDirError, takeLock } from '../data-dir.ts'
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
  const save = (copy: Database) => saveDatabase(copy, file, unrested)
  return onCopyOfDatabase(database, dataDir, save, options.signal)
}
