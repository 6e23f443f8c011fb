/** A snapshot file that was written before somebody was erased. */
import { open, rm } from 'node:fs/promises'
import { type Database, errorCode } from '../../../database/client.ts'
import { scalar } from '../../../database/scalar.ts'
import { LOAD_DEADLINE } from '../rows.ts'
import type { Manifest } from './file.ts'
import { logOf } from './snapshot.ts'

/** More than a manifest takes. */
const MANIFEST_BYTES = 4_096

/**
 * Removes the file where it may hold somebody who was erased: where it is of this database and from before
 * the last erasure. Only its first line is read.
 * @returns whether it was removed. @throws the system's errors where it can't be
 */
export async function removeOutdated(database: Database, file: string): Promise<boolean> {
  const erasedAt = await database.use(
    ({ sql }) => scalar<number>(sql`select max(position)::float8 from erasures`),
    LOAD_DEADLINE,
  )
  if (erasedAt === null) return false
  const manifest = await manifestOf(file)
  const { identity } = await logOf(database)
  if (manifest?.database !== identity || (manifest.position ?? 0) >= erasedAt) return false
  await rm(file, { force: true })
  return true
}

/** Reads the file's first line; undefined if there is no file or it is no snapshot. */
async function manifestOf(file: string): Promise<Partial<Manifest> | undefined> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MANIFEST_BYTES), 0, MANIFEST_BYTES)
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n')
    return JSON.parse(line) ?? undefined
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) !== undefined) return undefined
    throw error
  }
}
