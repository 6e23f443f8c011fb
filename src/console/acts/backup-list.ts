/** Backups that there are, as operators see them. */
import { basename } from 'node:path'
import type { Config } from '../../config.ts'
import { bytesUnderWay, type KeptBackup, keptBackups } from '../../database/backup/kept.ts'
import { identityOf } from '../../database/backup/save.ts'
import type { Database } from '../../database/client.ts'

export interface ListedBackup extends KeptBackup {
  /** File name without the folder. */
  name: string
  /** When newer ones take its place, as far as the schedule makes them; ISO 8601, UTC. */
  keptUntil: string
}

export interface BackupList {
  /** The newest first. */
  backups: ListedBackup[]
  /** How much is written of the one that some process makes now; null where none is made. */
  bytesUnderWay: number | null
}

/** State of the last backup that a page of this process started. */
export interface BackupRun {
  state: 'running' | 'made' | 'failed'
  /** Why it failed. */
  reason?: string
}

/** The backups of this database in a folder, as this machine sees it. @throws the system's errors, DatabaseUnavailable, BackupError */
export async function listBackups(
  database: Database,
  { dir, everySeconds, keep }: Config['backups'] & { dir: string },
): Promise<BackupList> {
  const identity = await database.use(({ sql }) => identityOf(sql))
  const files = await keptBackups(dir, identity)
  const newestMs = Date.parse(files[0]?.madeAt ?? '')
  const backups = files.map((backup, place) => {
    const untilMs = newestMs + Math.max(1, keep - place) * everySeconds * 1_000
    return {
      ...backup,
      name: basename(backup.path),
      keptUntil: new Date(untilMs).toISOString(),
    }
  })
  return { backups, bytesUnderWay: (await bytesUnderWay(dir, identity)) ?? null }
}
