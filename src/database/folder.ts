/**
 * The embedded database's folder in the data directory, and how a new one takes its place: whole or not
 * at all, wherever a start, a restore or the power ends.
 */
import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { syncFolder, unpackFolder } from './archive.ts'
import { imageArchive } from './image.ts'

export interface DatabaseFolders {
  /** Where the database is. */
  current: string
  /** One that is being made. */
  coming: string
  /** One that is being replaced; nothing is in `current` then. */
  going: string
}

export function databaseFolders(dataDir: string): DatabaseFolders {
  return {
    current: join(dataDir, 'postgres'),
    coming: join(dataDir, 'postgres.coming'),
    going: join(dataDir, 'postgres.going'),
  }
}

/**
 * Leaves the database's folder ready to start from: finishes or undoes what was interrupted, and
 * unpacks the prepared image where there is no database yet. The caller holds the directory's lock.
 */
export async function prepareFolder(dataDir: string): Promise<void> {
  const { current, coming, going } = databaseFolders(dataDir)
  await rm(coming, { recursive: true, force: true })
  if (await exists(going)) {
    if (await exists(current)) await rm(going, { recursive: true, force: true })
    else await rename(going, current)
  }
  if (await exists(current)) return
  const image = await imageArchive()
  await unpackFolder(Readable.from(image.stream()), coming)
  await takePlace(dataDir)
}

/** Puts `coming` in the place of `current`, if there is one. */
export async function takePlace(dataDir: string): Promise<void> {
  const { current, coming, going } = databaseFolders(dataDir)
  const replaces = await exists(current)
  if (replaces) await rename(current, going)
  await rename(coming, current)
  await syncFolder(dataDir)
  if (replaces) await rm(going, { recursive: true, force: true })
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
