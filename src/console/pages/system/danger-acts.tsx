/** @jsxImportSource hono/jsx */
/** Confirmation of a backup's download, which holds everything. */
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { notFound } from '../../../site/http/form-errors.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { whileAllowed } from '../../../site/http/rights.ts'
import { downloadBackup, listBackups } from '../../acts/backups.ts'
import type { DangerMaker } from '../../ui/dangers.tsx'
import { performed } from '../../ui/frame.tsx'
import { BACKUPS } from '../../ui/paths.ts'

export const SYSTEM_DANGERS = {
  'download-backup': async (context, { on }) => {
    const { name, path } = await backupNamed(context, on)
    return {
      title: `Download ${name}`,
      lead: 'A backup holds everything: all people with their e-mail addresses, phone numbers and Telegram names, all accounts with their ledgers, the hashes of keys and passwords, and the secrets of two-step sign-in. Keep it where nobody else reads it. The audit log says that you had it. A download that breaks off begins anew.',
      label: 'Download',
      what: 'backup',
      back: BACKUPS,
      prepare: () => () => sent(context, name, path),
    }
  },
} satisfies Readonly<Record<string, DangerMaker>>

/** Finds a backup by its name in the listing, never by a path. Case is ignored, because the confirmation page lowers it. @throws PageError 404 */
async function backupNamed({ application }: SignedInContext, asked: string) {
  const { database, config } = application
  const { dir } = config.backups
  const { backups } = dir
    ? await listBackups(database, { ...config.backups, dir })
    : { backups: [] }
  const backup = backups.find(({ name }) => name.toLowerCase() === asked)
  if (!backup) throw notFound('backup')
  return backup
}

/** Bytes of a backup between two looks at whether its reader is an operator. */
const BACKUP_BYTES = 1024 * 1024

/** Sends the file as it is read, in pieces; breaks off for somebody who is no operator any more. @returns undefined for somebody who is no operator any more */
async function sent(context: SignedInContext, name: string, path: string) {
  // Opened first, so that an unreadable file isn't logged as downloaded, and one that is deleted meanwhile is sent whole.
  const file = await open(path).catch(() => undefined)
  if (!file) throw notFound('backup')
  const { size } = await file.stat()
  const isNoted = await performed(context, downloadBackup(name)).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  if (!isNoted) {
    await file.close()
    return undefined
  }
  const pieces = whileAllowed<Buffer>(context, file.createReadStream(), brokenOff, {
    allows: ({ user }) => user.isOperator,
    bytes: BACKUP_BYTES,
  })
  // The types of Node’s streams and of the web’s differ, the streams don’t.
  const body = Readable.toWeb(Readable.from(pieces)) as unknown as ReadableStream
  return new Response(body, {
    headers: {
      'content-type': 'application/x-tar',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${name}"`,
    },
  })
}

function brokenOff(): never {
  throw new Error('the reader of a backup is no operator any more')
}
