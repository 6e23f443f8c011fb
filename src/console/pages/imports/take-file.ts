/** Takes a file in as it arrives, piece by piece. */
import { readColumns } from '../../../intake/import/jobs/mapping.ts'
import { appendChunk, createJob, expectRoom, readJob } from '../../../intake/import/jobs/store.ts'
import { CHUNK_BYTES } from '../../../intake/import/jobs/types.ts'
import type { KindName } from '../../../intake/import/summary.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import type { Upload } from '../../../site/http/upload.ts'
import { deleteJob, endUpload } from '../../acts/imports.ts'
import { actorOf } from '../../ui/frame.tsx'
import { orFieldError } from './parts.tsx'

/**
 * Stores a file as a new import. One that doesn't come whole is deleted.
 * @returns the import's id
 * @throws FieldError for a file that is not taken; PageError where it breaks off or is too large
 */
export function takeFile(
  context: SignedInContext,
  kind: KindName,
  { name, bytes }: Upload,
): Promise<string> {
  const { database, desk } = context.application
  return orFieldError(
    async () => {
      const by = actorOf(context)
      await expectRoom(desk.beside)
      const id = await createJob(database, { kind, name, by })
      try {
        for await (const chunk of inChunks(bytes)) {
          await expectRoom(desk.beside)
          await appendChunk(database, id, chunk)
        }
        await endUpload(database, by, id)
        // Files that hold no table are refused here, so that another one can be chosen.
        const job = await readJob(database, id)
        if (job) await readColumns(database, job, job.settings)
      } catch (error) {
        // Where this fails as well, the database forgets the upload in ten minutes.
        await deleteJob(database, by, id).catch(() => {})
        throw error
      }
      return id
    },
    () => 'file',
  )
}

/** Joins pieces to chunks, because each chunk is a statement. */
async function* inChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    length += piece.length
    if (length < CHUNK_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}
