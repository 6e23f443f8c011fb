/** The owners of files: root keeps away from another user's database, and a start names the files that are another user's. */
import { accessSync, constants, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { type FileHandle, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from './client.ts'

const ROOT = 0
const isRoot = () => process.geteuid?.() === ROOT

/** @returns undefined for one that /etc/passwd doesn't have, as of a service with a dynamic user */
function nameOf(uid: number): string | undefined {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    return lines.find((line) => line.split(':')[2] === String(uid))?.split(':')[0]
  } catch {
    return undefined
  }
}

const userText = (uid: number) => nameOf(uid) ?? `user ${uid}`

/**
 * Why root may not use the database in a folder: its files are another user's, whose service can't open those that root would make.
 * @returns undefined where a new file there gets the folder's owner whoever makes it, as on some network file systems
 */
export async function rootProblem(dataDir: string, folder: string): Promise<string | undefined> {
  const found = isRoot() ? await stat(folder).catch(() => undefined) : undefined
  if (!found || found.uid === ROOT) return undefined
  const probe = await mkdtemp(join(folder, 'owner-'))
  const { uid } = await stat(probe)
  await rmdir(probe)
  if (uid === found.uid) return undefined
  const name = nameOf(found.uid)
  const user = name
    ? `sudo -u ${name}`
    : `setpriv --reuid=${found.uid} --regid=${found.gid} --clear-groups`
  return `${folder} belongs to ${userText(found.uid)}, who could not use what root writes there. Run it as "${user} env DATA_DIR=${quoted(dataDir)} chainkin …"`
}

/** Our files in a data directory: locks, a socket, databases. */
const OURS = /^(postgres|socket|lock|[\w.-]+-lock)/

/** Names the first file in a data directory that this process may not read or write, with its owner; undefined where there is none. */
export function strangeFile(dataDir: string): string | undefined {
  const path = firstStrange(dataDir, (name) => OURS.test(name))
  if (path === undefined) return undefined
  const own = process.geteuid?.() ?? ROOT
  const { uid } = lstatSync(path)
  const back = `chown -R ${nameOf(own) ?? own} ${quoted(dataDir)}`
  return `${path} belongs to ${userText(uid)}, and this process runs as ${userText(own)}. To give it back, run as root: ${back}`
}

function firstStrange(
  path: string,
  isOurs: (name: string) => boolean = () => true,
): string | undefined {
  try {
    const found = lstatSync(path)
    const isFolder = found.isDirectory()
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0))
    for (const name of isFolder ? readdirSync(path).filter(isOurs) : []) {
      const strange = firstStrange(join(path, name))
      if (strange !== undefined) return strange
    }
    return undefined
  } catch (error) {
    return errorCode(error) === 'EACCES' ? path : undefined
  }
}

/**
 * Gives a new file of root's to the owner of the file that it replaces.
 * @param place where it is moved to
 * @param ofFolder else to the owner of its folder
 */
export async function keepOwner(
  handle: FileHandle,
  place: string,
  ofFolder = false,
): Promise<void> {
  if (!isRoot()) return
  const before = await stat(place).catch(() => (ofFolder ? stat(dirname(place)) : undefined))
  // Where owners can't be changed, they aren't those of the machine's users.
  if (before && before.uid !== ROOT) await handle.chown(before.uid, before.gid).catch(() => {})
}

/** A path as a shell reads it. */
export const quoted = (path: string) =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
