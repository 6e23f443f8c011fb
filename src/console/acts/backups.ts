/** Backups as operators ask for them: which there are, and the acts of making and of downloading one. */
import { basename } from 'node:path'
import type { Config } from '../../config.ts'
import { bytesUnderWay, type KeptBackup, keptBackups } from '../../database/backup/kept.ts'
import { identityOf } from '../../database/backup/save.ts'
import type { Database } from '../../database/client.ts'
import type { Act } from './perform.ts'

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
      ...{ ...backup, name: basename(backup.path) },
      keptUntil: new Date(untilMs).toISOString(),
    }
  })
  return { backups, bytesUnderWay: (await bytesUnderWay(dir, identity)) ?? null }
}

/** Notes that a backup is made; a process of its own makes it. @param name of the file */
export const makeBackup = (name: string): Act<true> => backupAct('backup.make', name)

/** Notes that somebody had a backup, which holds everything. @param name of the file */
export const downloadBackup = (name: string): Act<true> => backupAct('backup.download', name)

const backupAct = (name: 'backup.make' | 'backup.download', backup: string): Act<true> => ({
  name,
  to: { kind: 'backup', id: backup },
  call: (sql) => sql`set_config('chainkin.backup', ${backup}, true)`,
  result: () => true,
})
