/** Import jobs as tests make them. */

import { endUpload, runImport, undoImport } from '../../../../src/console/acts/imports.ts'
import { perform } from '../../../../src/console/acts/perform.ts'
import type { Actor } from '../../../../src/database/actor.ts'
import { appendChunk, createJob, readJob } from '../../../../src/intake/import/jobs/store.ts'
import type { ImportJob } from '../../../../src/intake/import/jobs/types.ts'
import { askCheck, type WorkOptions, workOn } from '../../../../src/intake/import/jobs/work.ts'
import type { KindName } from '../../../../src/intake/import/summary.ts'
import type { TestDatabase } from '../../../helpers/postgres.ts'

export const COMMAND: Actor = { via: 'command', userId: null, who: 'root', address: null }

/** Does imports on a database. */
export function importing(t: Pick<TestDatabase, 'database'>) {
  /** How a process works that is alone. */
  const options: WorkOptions = {
    takeLongLock: async () => ({ isHeld: () => true, release: async () => {} }),
    signal: new AbortController().signal,
  }

  /** A job with its whole file. */
  async function added(
    kind: KindName,
    content: string | Buffer,
    name = 'list.csv',
  ): Promise<ImportJob> {
    const id = await createJob(t.database, { kind, name, by: COMMAND })
    await appendChunk(t.database, id, typeof content === 'string' ? Buffer.from(content) : content)
    await endUpload(t.database, COMMAND, id)
    return current(id)
  }

  async function current(id: string): Promise<ImportJob> {
    const job = await readJob(t.database, id)
    if (!job) throw new Error(`there is no job ${id}`)
    return job
  }

  return {
    options,
    added,
    current,
    async checked({ id }: Pick<ImportJob, 'id'>, given: Partial<WorkOptions> = {}) {
      await askCheck(t.database, id)
      await workOn(t.database, id, { ...options, ...given })
      return current(id)
    },
    async imported(
      { id }: Pick<ImportJob, 'id'>,
      given: Partial<WorkOptions> = {},
      by: Actor = COMMAND,
    ) {
      await perform(t.database, by, runImport, id, { checked: '' })
      await workOn(t.database, id, { ...options, ...given })
      return current(id)
    },
    async undone({ id }: Pick<ImportJob, 'id'>, by: Actor = COMMAND) {
      await perform(t.database, by, undoImport, id)
      await workOn(t.database, id, options)
      return current(id)
    },
  }
}
