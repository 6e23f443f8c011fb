/** The services that only the console's pages act through: requests about people, checks, imports and backups. */
import type { Config } from '../../config.ts'
import type { Database } from '../../database/client.ts'
import { lockInMemory, type TakeLongLock } from '../../database/long-lock.ts'
import type { Log } from '../../log.ts'
import { sendMail } from '../../people/users/mail.ts'
import type { BackupRun } from './backup-list.ts'
import { type Finding, quickChecks } from './checks.ts'
import type { Desk } from './erase.ts'
import { mailNotices } from './notices.ts'

export interface ConsoleServices {
  /** Answers privacy requests, and erases. */
  desk: Desk
  /** Rewrites what lies beside the tables after an erasure; the log says where that fails. */
  afterErasure(rewrite: () => Promise<string[]>): void
  /** Settings that operators see. */
  config: Pick<Config, 'given' | 'dataDir' | 'workers' | 'backups'>
  /** The quick checks of `doctor`: machine, database and backups. */
  checks(): Promise<Record<string, Finding>>
  /** Begins the work on an import in another process; absent where this one starts none. */
  imports?: { begin(id: string): void } | undefined
  /** Makes backups in another process; absent without BACKUP_DIR, or where this one starts none. */
  backups?:
    | {
        begin(name: string): Promise<BackupRun>
        last(): BackupRun | undefined
      }
    | undefined
  /** Queues mails about orders and privacy requests that wait, and about orders that were decided. */
  mailNotices(): Promise<void>
  /** Waits for rewriting after erasures. */
  stop(): Promise<void>
}

export function openConsole(
  config: Config,
  services: Partial<Pick<ConsoleServices, 'imports' | 'backups'>> & {
    database: Database
    appUrl: string
    log: Log
    /** Absent where the database is in memory, which nobody else uses. */
    takeLongLock?: TakeLongLock | undefined
  },
): ConsoleServices {
  const { database, appUrl, log, takeLongLock, imports, backups } = services
  const { serviceName, mailNoticesTo, payments } = config
  const rewriting = new Set<Promise<void>>()
  return {
    desk: {
      database,
      sender: { serviceName, appUrl },
      sendMail: (mail) => sendMail(config, mail),
      beside: takeLongLock && config,
      takeLongLock: takeLongLock ?? lockInMemory(),
    },
    afterErasure(rewrite) {
      const work = rewrite().then((left) => {
        for (const what of left) log.error('a person is erased, but not everywhere', { what })
        rewriting.delete(work)
      })
      rewriting.add(work)
    },
    config,
    checks: () => quickChecks(database, config),
    imports,
    backups,
    mailNotices: () => mailNotices({ database, appUrl, serviceName, mailNoticesTo, payments }),
    async stop() {
      await Promise.all(rewriting)
    },
  }
}
