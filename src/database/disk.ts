/** Room on the disk of the embedded database, which gives up where it can't write, and starts again only once there is some. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'

/** Below it nothing large is taken in: what the database still has to write, to stop and to start, fits in it. */
export const MIN_FREE_BYTES = 256 * 1024 * 1024

export type DiskPlace = Pick<Config, 'databaseUrl' | 'dataDir'>

/** @returns undefined for a PostgreSQL, whose disk is not seen from here. @throws the system's errors */
export async function freeBytes({ databaseUrl, dataDir }: DiskPlace): Promise<number | undefined> {
  if (databaseUrl) return undefined
  return bytesFreeIn(existsSync(dataDir) ? dataDir : '.')
}

/** @throws the system's errors, where the folder is not there for example */
export async function bytesFreeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
