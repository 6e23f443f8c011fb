/** Acts on backups, which are files: one more, and the download of one. */
import { type FileHandle, open } from 'node:fs/promises'
import { ActRefused, act, done, type Statement, type Target } from './act.ts'

/** Notes that a backup is made; a process of its own makes it. */
export const makeBackup = act({
  name: 'backup.make',
  subject: 'backup',
  isOnce: true,
  fields: {},
  button: 'Back up now',
  statement: noteFile,
})

const CONTENT =
  'A backup holds everything: all people with their e-mail addresses, phone numbers and Telegram names, all accounts with their ledgers, the hashes of keys and passwords, and the secrets of two-step sign-in. Keep it where nobody else reads it. The audit log says that you had it. A download that breaks off begins anew.'

/** Opens a backup and notes that somebody had it. It is found by its name in the listing, never by a path. @returns the file */
export const downloadBackup = act({
  name: 'backup.download',
  subject: 'backup',
  fields: {},
  button: 'Download',
  async ask({ backups }, { on }) {
    const backup = (await backups?.())?.find(({ name }) => name === on)
    return backup && { title: `Download ${on}`, lead: CONTENT }
  },
  statement: noteFile,
  async run({ backups, own }, target): Promise<FileHandle | undefined> {
    const backup = (await backups?.())?.find(({ name }) => name === target.on)
    // Opened first, so that an unreadable file isn't logged as downloaded, and one that is deleted meanwhile is sent whole.
    const file = backup && (await open(backup.path).catch(() => undefined))
    if (!file) throw new ActRefused('the file can’t be read')
    let isNoted: true | undefined
    try {
      isNoted = await own(target, {})
    } finally {
      if (!isNoted) await file.close()
    }
    return isNoted && file
  },
})

/** The audit log reads the name of the file from the setting. */
function noteFile({ id }: Target): Statement<true> {
  return done((sql) => sql`set_config('chainkin.backup', ${id}, true)`)
}
