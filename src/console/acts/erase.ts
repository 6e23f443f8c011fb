/** Forgets a person in the tables and in all that lies beside them, which is the database's files. */
import type { Config } from '../../config.ts'
import type { Database } from '../../database/client.ts'
import type { Erased } from '../../database/erasures.ts'
import type { TakeLongLock } from '../../database/long-lock.ts'
import { freeRows, noBackups, scrubFiles } from '../../database/scrub.ts'
import type { Sender } from '../../people/users/email-templates.ts'
import type { Mail } from '../../people/users/mail.ts'

/** A database, and what lies beside its tables. */
export interface ErasedPlace {
  database: Database
  /** Absent where nothing does: the database is in memory. */
  beside: Pick<Config, 'databaseUrl' | 'dataDir'> | undefined
}

/** Resources for answering a request: the database with the files beside it, mail, and a lock. */
export interface Desk extends ErasedPlace {
  sender: Sender
  /** Sends a mail and waits for the server's answer. @returns false where no server is configured. @throws MailNotSent */
  sendMail(mail: Mail): Promise<boolean>
  takeLongLock: TakeLongLock
}

export interface Erasing {
  /** Null where there was nobody to erase. */
  erased: Erased | null
  /** Rewrites what lies beside the tables, once. @returns what is left to do by hand, if that failed */
  rewrite(): Promise<string[]>
}

/**
 * Erases a person from the tables. The caller must then call `rewrite`; the person stays erased where that fails. No backup begins
 * before it is done, because the backup would hold the person.
 * @throws what `erase` throws, and DataDirError while a backup is made
 */
export async function eraseIn(
  { database, beside }: ErasedPlace,
  erase: () => Promise<Erased | null>,
): Promise<Erasing> {
  const isEmbedded = beside !== undefined && !beside.databaseUrl
  const held = isEmbedded ? await noBackups(beside.dataDir) : undefined
  const release = () => held?.[Symbol.dispose]()
  try {
    const erased = await erase()
    if (!erased) release()
    const rewrite = async () => {
      if (!erased || !beside) return []
      try {
        return await rewriteBeside(database, beside)
      } finally {
        release()
      }
    }
    return { erased, rewrite }
  } catch (error) {
    release()
    throw error
  }
}

type Beside = NonNullable<ErasedPlace['beside']>

async function rewriteBeside(database: Database, beside: Beside): Promise<string[]> {
  try {
    await rewriteDatabase(database, beside)
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [`not all was rewritten (${reason}): repeat "erasures scrub"`]
  }
}

/** Rewrites the database's files once more. @throws DataDirError while a backup is made */
export async function scrub(database: Database, beside: Beside): Promise<void> {
  using _held = beside.databaseUrl ? undefined : await noBackups(beside.dataDir)
  await rewriteDatabase(database, beside)
}

function rewriteDatabase(database: Database, { databaseUrl, dataDir }: Beside): Promise<void> {
  return databaseUrl ? freeRows(database) : scrubFiles(database, dataDir)
}
