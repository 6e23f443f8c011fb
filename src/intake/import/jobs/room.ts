/** Whether the disk has room for a file and what is made of it: one that fills the disk would stop the embedded database for everybody. */
import { type DiskPlace, freeBytes, MIN_FREE_BYTES } from '../../../database/disk.ts'
import { JobRefused } from './types.ts'

/**
 * Where the system doesn't say how much is free, nothing is refused: the operator could do nothing about it. `doctor` tells of it.
 * @param place undefined where the database is in memory
 * @param least bytes that stay free
 * @param read tells how many are free
 * @throws JobRefused
 */
export async function expectRoom(
  place: DiskPlace | undefined,
  least = MIN_FREE_BYTES,
  read = freeBytes,
): Promise<void> {
  const free = place && (await read(place).catch(() => undefined))
  if (free === undefined || free >= least) return
  const [left, needed] = [free, least].map((bytes) => Math.floor(bytes / 1e6))
  throw new JobRefused(
    `the disk of DATA_DIR has ${left} MB left, and ${needed} MB stay free for the database: make room on it, and try again`,
  )
}
